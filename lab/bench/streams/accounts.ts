import { hash, randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { activeContacts, contactsPerActive } from '../load/traffic.ts'

const accounts = 4
const usersOfEach = 5

/** An account that gets messages, and the cookies of its browsers. */
export type Listening = { apiKey: string; cookies: string[] }

/** Accounts with users who are signed in, and with the contacts that will write, so that no turn pays for them. */
export async function makeAccounts(client: Client, streams: number): Promise<Listening[]> {
  const made: Listening[] = []
  for (let n = 1; n <= accounts; n += 1) {
    const accountId = `acc_${String(n).padStart(32, '0')}`
    const apiKey = `a-key-of-the-account-with-streams-${n}`
    await client.query(`insert into accounts (id, kind, bot_active) values ($1, 'standard', false)`, [accountId])
    await client.query(`insert into api_keys (account_id, key_hash) values ($1, sha256($2::bytea))`, [
      accountId,
      apiKey,
    ])
    await client.query(
      `insert into contacts (account_id, id, external_id)
       select $1, 'con_' || lpad(to_hex(n), 32, '0'), 'contact-' || n
       from (select generate_series(0, ${activeContacts - 1}) * ${contactsPerActive} as n) as numbers`,
      [accountId],
    )
    await client.query(
      `insert into conversations (account_id, contact_id, channel) select account_id, id, 'bench' from contacts
       where account_id = $1`,
      [accountId],
    )
    for (let user = 0; user < usersOfEach; user += 1) await addUser(client, accountId, n * usersOfEach + user)
    const cookies: string[] = []
    while (cookies.length < Math.ceil(streams / accounts)) {
      cookies.push(await addSession(client, userId(n * usersOfEach + (cookies.length % usersOfEach))))
    }
    made.push({ apiKey, cookies })
  }
  await client.query('vacuum analyze')
  return made
}

const userId = (n: number) => `usr_${String(n).padStart(32, '0')}`

async function addUser(client: Client, accountId: string, n: number): Promise<void> {
  await client.query(
    `insert into users (id, account_id, email, password_hash, is_owner, is_holder)
     values ($1, $2, $3, 'none', $4, $4)`,
    [userId(n), accountId, `user${n}@example.com`, n % usersOfEach === 0],
  )
}

async function addSession(client: Client, user: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await client.query(
    `insert into sessions (token_hash, account_id, user_id) select $1, account_id, id from users where id = $2`,
    [hash('sha256', token, 'buffer'), user],
  )
  return `__Host-patchbay=${token}`
}
