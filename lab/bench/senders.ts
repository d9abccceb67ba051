import type { Client } from 'pg'
import { contactsPerSender, senderKey, senders } from './load/outgoing.ts'
import type { RunningServer } from './servers/start.ts'

/**
 * Makes the accounts that send, their contacts, and for each account the address that its events go to. Accounts and
 * addresses are made by the commands of the server's own checkout, which may be of another version than this one.
 */
export async function prepareSenders(server: RunningServer, ports: number[]): Promise<void> {
  const accountIds: string[] = []
  const numbers = Array.from({ length: senders }, (_, sender) => sender).values()
  const makeSome = async () => {
    for (const sender of numbers) accountIds[sender] = await makeAccount(server, sender, ports[sender])
  }
  await Promise.all([makeSome(), makeSome()]) // each command is a process of its own
  const database = await server.connect()
  for (const [sender, accountId] of accountIds.entries()) await fillAccount(database, accountId, senderKey(sender))
  await database.query('vacuum (analyze)') // as a database is that has been in use; otherwise it happens as we measure
  await database.end()
}

async function makeAccount({ command }: RunningServer, sender: number, port: number | undefined): Promise<string> {
  const email = `sender${sender}@patchbay.local`
  const { accountId } = await command('account', 'create', '--email', email)
  await command('webhook', 'set', '--account', email, '--url', `http://127.0.0.1:${port}/events`)
  return String(accountId)
}

/** Gives it the key that the load generator knows, and the contacts that it sends to. */
async function fillAccount(database: Client, accountId: string, apiKey: string): Promise<void> {
  await database.query('update api_keys set key_hash = sha256($2::bytea) where account_id = $1', [accountId, apiKey])
  await database.query(
    `insert into contacts (account_id, id, external_id)
     select $1, 'con_' || lpad(to_hex(n), 32, '0'), 'contact-' || n from generate_series(0, $2 - 1) as n`,
    [accountId, contactsPerSender],
  )
  await database.query(
    `insert into conversations (account_id, contact_id, channel) select account_id, id, 'bench' from contacts
     where account_id = $1`,
    [accountId],
  )
}
