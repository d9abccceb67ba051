import { join } from 'node:path'
import { Pool, type PoolClient } from 'pg'
import type { Incoming } from '../../../server/src/journey/intake/incoming.ts'
import { readConfig } from '../../../server/src/platform/config/config.ts'
import { type MessageId, newId } from '../../../server/src/platform/ids.ts'
import { serveWith } from './serve-with.ts'

// What one would write first: a transaction a request, on a pool of ordinary size. It keeps the same facts in the same
// tables with the same promises, so what differs from the product is only how the work reaches the database.
const pool = new Pool({ host: join(readConfig().dataDir, 'postgres'), user: 'patchbay', database: 'postgres', max: 10 })
pool.on('error', () => {}) // the database may end a moment before the pool

await serveWith(async (caller, message) => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const messageId = await keep(client, caller.accountId, message)
    await client.query('commit')
    return messageId
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
})
await pool.end()

async function keep(client: PoolClient, accountId: string, incoming: Incoming): Promise<MessageId> {
  const { externalId, firstName, lastName, email } = incoming.sender
  const contact = await client.query<{ id: string }>(
    `insert into contacts (account_id, id, external_id, first_name, last_name, email) values ($1, $2, $3, $4, $5, $6)
     on conflict (account_id, external_id) where external_id is not null
     do update set first_name = coalesce(contacts.first_name, excluded.first_name),
       last_name = coalesce(contacts.last_name, excluded.last_name), email = coalesce(contacts.email, excluded.email)
     returning id`,
    [accountId, newId('con'), externalId, firstName, lastName, email],
  )
  const contactId = contact.rows[0]?.id
  const conversation = await client.query<{ last_seq: string }>(
    `insert into conversations (account_id, contact_id, channel, last_seq) values ($1, $2, $3, 1)
     on conflict (account_id, contact_id) do update set last_seq = conversations.last_seq + 1
     returning last_seq`,
    [accountId, contactId, incoming.channel],
  )
  const seq = conversation.rows[0]?.last_seq
  const { body, channel, messageSid, toId } = incoming
  const message = await client.query<{ id: MessageId }>(
    `insert into messages
       (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, message_sid, to_id)
     values ($1, $2, $3, $4, 'incoming', 'contact', 'text', 'received', $5, $6, $7, $8)
     on conflict (account_id, message_sid) where message_sid is not null
     do update set message_sid = excluded.message_sid
     returning id`,
    [accountId, newId('msg'), contactId, seq, body, channel, messageSid, toId],
  )
  const [kept] = message.rows
  if (!kept) throw new Error('an upsert returned no row')
  return kept.id
}
