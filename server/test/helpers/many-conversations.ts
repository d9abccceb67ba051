import { sql } from 'kysely'
import type { AccountId } from '../../src/platform/ids.ts'
import type { TestApp } from './harness.ts'

/** Conversations with one message each. The contact of the `n`th newest is `Person n`, with n in hex at the end of its id. */
export async function insertManyConversations(
  { db }: TestApp,
  { accountId }: { accountId: AccountId },
  count: number,
): Promise<void> {
  const contact = sql`'con_' || lpad(to_hex(n), 32, '0')`
  const activeAt = sql`now() - n * interval '10 s'`
  const numbers = sql`generate_series(1, ${count}::integer) as n`
  await sql`insert into contacts (account_id, id, external_id, first_name, last_name)
    select ${accountId}, ${contact}, 'external-' || n, 'Person', n from ${numbers}`.execute(db)
  await sql`insert into conversations (account_id, contact_id, channel, last_seq, incoming_seq, active_at, active_step)
    select ${accountId}, ${contact}, 'Web chat', 1, 1, ${activeAt}, activity_step(${activeAt}) from ${numbers}
  `.execute(db)
  await sql`insert into messages
      (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, message_sid, created_at)
    select ${accountId}, 'msg_' || n, ${contact}, 1, 'incoming', 'contact', 'text', 'received', 'Text of ' || n, 'Web chat',
      'sid-' || n, ${activeAt} from ${numbers}`.execute(db)
}
