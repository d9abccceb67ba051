import type { Client } from 'pg'
import { activeContacts, contactsPerActive } from './load/traffic.ts'

const activeNumbers = `generate_series(0, ${activeContacts - 1}) * ${contactsPerActive}`

/** Silences the bot of the one account there is, and makes the contacts that will write, so that no round pays for them. */
export async function prepareAccount(client: Client): Promise<void> {
  await client.query('update accounts set bot_active = false')
  await makeContacts(client, owner, activeNumbers)
}

/**
 * Makes an account whose bot owes an answer to every message, and waits with it for longer than we measure: the cost of
 * giving answers is a figure of its own, and would hide that of owing them.
 */
export async function prepareOwing(client: Client): Promise<void> {
  await addAccount(client, { id: owing, apiKey: owingKey, isBotActive: true })
  await makeContacts(client, `'${owing}'`, activeNumbers)
  await client.query(`update conversations set quiet_ms = 86400000, max_wait_ms = 86400000 where account_id = $1`, [
    owing,
  ])
}

const owing = 'acc_owing'
export const owingKey = 'a-key-of-the-account-that-owes-answers'

/** Makes an account without a bot, with the contacts that write. */
export async function prepareQuiet(client: Client): Promise<void> {
  await addAccount(client, { id: 'acc_quiet', apiKey: quietKey, isBotActive: false })
  await makeContacts(client, `'acc_quiet'`, activeNumbers)
}

export const quietKey = 'a-key-of-the-account-without-a-bot'

/** As after all of them were given. */
export async function forgetOwed(client: Client): Promise<void> {
  await client.query('delete from turns where account_id = $1', [owing])
}

/** Adds the account whose every request but the first in a minute is refused. */
export async function addThrottledAccount(client: Client, apiKey: string): Promise<void> {
  await addAccount(client, { id: 'acc_throttled', apiKey, isBotActive: false })
  await client.query(`update accounts set rate_limit_per_minute = 1 where id = 'acc_throttled'`)
}

type NewAccount = { id: string; apiKey: string; isBotActive: boolean }

async function addAccount(client: Client, { id, apiKey, isBotActive }: NewAccount): Promise<void> {
  await client.query(`insert into accounts (id, kind, bot_active) values ($1, 'standard', $2)`, [id, isBotActive])
  await client.query(`insert into api_keys (account_id, key_hash) values ($1, sha256($2::bytea))`, [id, apiKey])
}

/**
 * Fills the owner's account up to `rows` messages, spread over all contacts, and marks them as searchable and counted: the
 * server would do that while we measure. Returns how many there are.
 */
export async function fillTo(client: Client, rows: number): Promise<number> {
  const contacts = activeContacts * contactsPerActive
  await makeContacts(client, owner, `generate_series(0, ${contacts - 1})`)
  // The rows are right by construction; asking for each whether its conversation exists would take most of the time.
  await client.query(`set session_replication_role = replica`)
  await client.query(`set synchronous_commit = off`)
  for (let missing = rows - (await countMessages(client)); missing > 0; ) {
    const each = Math.max(1, Math.min(mostAtOnce, Math.floor(missing / contacts)))
    const some = Math.min(missing, contacts)
    await addMessages(client, some, each)
    missing -= some * each
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

/**
 * With the names that `load/traffic.ts` gives them. Those that write lie spread among the others, as they would; next to
 * each other they would share pages.
 */
async function makeContacts(client: Client, accountId: string, numbers: string): Promise<void> {
  await client.query(`
    insert into contacts (account_id, id, external_id, first_name, last_name, email)
    select ${accountId}, 'con_' || lpad(to_hex(n), 32, '0'), 'contact-' || n, 'Ana', 'Of contact-' || n,
      'contact-' || n || '@example.com'
    from (select ${numbers} as n) as numbers
    on conflict do nothing
  `)
  await client.query(`
    insert into conversations (account_id, contact_id, channel)
    select account_id, id, 'bench' from contacts where account_id = ${accountId}
    on conflict do nothing
  `)
}

/** Of one contact in one statement. */
const mostAtOnce = 5

async function addMessages(client: Client, contacts: number, each: number): Promise<void> {
  await client.query(
    `
    with extended as (
      update conversations set last_seq = last_seq + $2::integer
      where (account_id, contact_id) in (
        select account_id, contact_id from conversations where account_id = ${owner} order by contact_id limit $1
      )
      returning account_id, contact_id, last_seq
    ), searchable as (
      insert into search_marks (account_id, contact_id, seq) select account_id, contact_id, last_seq from extended
      on conflict (account_id, contact_id) do update set seq = excluded.seq
    ), counted as (
      insert into report_marks (account_id, contact_id, seq) select account_id, contact_id, last_seq from extended
      on conflict (account_id, contact_id) do update set seq = excluded.seq
    )
    insert into messages
      (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, message_sid, to_id)
    select account_id, 'msg_' || replace(uuidv7()::text, '-', ''), contact_id, last_seq - n, 'incoming', 'contact', 'text',
      'received', repeat('a', 180), 'bench', 'SM' || replace(gen_random_uuid()::text, '-', ''), 'filled'
    from extended cross join generate_series($2::integer - 1, 0, -1) as n
    order by n desc, hashtext(contact_id)
    `,
    [contacts, each],
  )
}
