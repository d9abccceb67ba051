import type { Client } from 'pg'
import { activeContacts, contactsPerActive } from './load/traffic.ts'

/** Silences the bot of the one account there is, and makes the contacts that will write, so that no round pays for them. */
export async function prepareAccount(client: Client): Promise<void> {
  await client.query('update accounts set bot_active = false')
  await makeContacts(client, `generate_series(0, ${activeContacts - 1}) * ${contactsPerActive}`)
}

/** Adds the account whose every request but the first in a minute is refused. */
export async function addThrottledAccount(client: Client, apiKey: string): Promise<void> {
  await client.query(
    `insert into accounts (id, kind, rate_limit_per_minute, bot_active) values ('acc_throttled', 'standard', 1, false)`,
  )
  await client.query(`insert into api_keys (account_id, key_hash) values ('acc_throttled', sha256($1::bytea))`, [
    apiKey,
  ])
}

/** Fills the owner's account up to `rows` messages, spread over all contacts. Returns how many there are. */
export async function fillTo(client: Client, rows: number): Promise<number> {
  const contacts = activeContacts * contactsPerActive
  await makeContacts(client, `generate_series(0, ${contacts - 1})`)
  // The rows are right by construction; asking for each whether its conversation exists would take most of the time.
  await client.query(`set session_replication_role = replica`)
  await client.query(`set synchronous_commit = off`)
  for (let missing = rows - (await countMessages(client)); missing > 0; missing -= contacts) {
    await addMessageToEach(client, Math.min(missing, contacts))
  }
  await client.query('reset session_replication_role')
  await client.query('reset synchronous_commit')
  // As a database is that has grown slowly; otherwise the cleaning up would happen while we measure.
  await client.query('vacuum (analyze)')
  await client.query('checkpoint')
  return countMessages(client)
}

export async function countMessages(client: Client): Promise<number> {
  return count(client, 'true')
}

/** Those that the load generator sent as new. */
export async function countNewMessages(client: Client): Promise<number> {
  return count(client, `message_sid like 'SM%' and to_id = 'shop'`)
}

async function count(client: Client, condition: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>(`select count(*) n from messages where ${condition}`)
  return Number(rows[0]?.n)
}

const owner = '(select owner_account_id from installation)'

/** Those that write lie spread among the others, as they would; next to each other they would share pages. */
async function makeContacts(client: Client, numbers: string): Promise<void> {
  await client.query(`
    insert into contacts (account_id, id, external_id)
    select ${owner}, 'con_' || lpad(to_hex(n), 32, '0'), 'contact-' || n from (select ${numbers} as n) as numbers
    on conflict do nothing
  `)
  await client.query(`
    insert into conversations (account_id, contact_id, channel)
    select account_id, id, 'bench' from contacts
    on conflict do nothing
  `)
}

async function addMessageToEach(client: Client, contacts: number): Promise<void> {
  await client.query(
    `
    with extended as (
      update conversations set last_seq = last_seq + 1
      where (account_id, contact_id) in (select account_id, contact_id from conversations order by contact_id limit $1)
      returning account_id, contact_id, last_seq
    )
    insert into messages
      (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, message_sid, to_id)
    select account_id, 'msg_' || replace(uuidv7()::text, '-', ''), contact_id, last_seq, 'incoming', 'contact', 'text',
      'received', repeat('a', 180), 'bench', 'SM' || replace(gen_random_uuid()::text, '-', ''), 'filled'
    from extended
    order by hashtext(contact_id)
    `,
    [contacts],
  )
}
