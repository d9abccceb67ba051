import type { Client } from 'pg'
import { setEndpoint } from '../server/src/delivery/endpoints/endpoints.ts'
import { readConfig } from '../server/src/platform/config/config.ts'
import { openDb } from '../server/src/platform/database/db.ts'
import type { AccountId } from '../server/src/platform/ids.ts'
import { openLog } from '../server/src/platform/log.ts'
import { openOutbound } from '../server/src/platform/outbound/client.ts'
import { readSecretKey } from '../server/src/platform/secrets/secret-key.ts'
import { contactsPerSender, senderKey, senders } from './load/outgoing.ts'
import type { RunningServer } from './servers/start.ts'

/** Makes the accounts that send, their contacts, and for each account the address that its events go to. */
export async function prepareSenders({ dataDir, connect }: RunningServer, ports: number[]): Promise<void> {
  const database = await connect()
  for (let sender = 0; sender < senders; sender += 1) await makeSender(database, sender)
  await database.query('vacuum (analyze)') // as a database is that has been in use; otherwise it happens as we measure
  await database.end()
  await saveAddresses(dataDir, ports)
}

function accountIdOf(sender: number): AccountId {
  return `acc_sender${sender}`
}

async function makeSender(database: Client, sender: number): Promise<void> {
  const id = accountIdOf(sender)
  await database.query(`insert into accounts (id, kind, bot_active) values ($1, 'standard', false)`, [id])
  await database.query(`insert into api_keys (account_id, key_hash) values ($1, sha256($2::bytea))`, [
    id,
    senderKey(sender),
  ])
  await database.query(
    `insert into users (id, account_id, email, password_hash, is_owner, is_holder)
     values ('usr_' || $1, $2, $1 || '@patchbay.local', '', true, true)`,
    [String(sender), id],
  )
  await database.query(
    `insert into contacts (account_id, id, external_id)
     select $1, 'con_' || lpad(to_hex(n), 32, '0'), 'contact-' || n from generate_series(0, $2 - 1) as n`,
    [id, contactsPerSender],
  )
  await database.query(
    `insert into conversations (account_id, contact_id, channel) select account_id, id, 'bench' from contacts
     where account_id = $1`,
    [id],
  )
}

/** By the product's own code: it seals the secret with the server's key. */
async function saveAddresses(dataDir: string, ports: number[]): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir })
  const { log } = openLog('silent')
  const db = openDb({ host: `${dataDir}/postgres`, user: 'patchbay', database: 'postgres' }, log, 1)
  const outbound = openOutbound({ allowed: config.outboundAllowed })
  const ctx = { db, secretKey: await readSecretKey(config), outbound }
  for (const [sender, port] of ports.entries()) {
    await setEndpoint(
      ctx,
      { accountId: accountIdOf(sender), kind: 'reply' },
      { url: `http://127.0.0.1:${port}/events` },
    )
  }
  await outbound.close()
  await db.destroy()
}
