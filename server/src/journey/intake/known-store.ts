import type { Pool } from 'pg'
import type { KnownRow } from '../../people/contacts/known-contacts.ts'
import { arrayLiteral } from '../../platform/database/array-literal.ts'
import { prepared } from '../../platform/database/prepared.ts'
import type { MessageId } from '../../platform/ids.ts'
import { activeNow } from '../messages/activity-store.ts'
import { opened } from '../messages/sequence-store.ts'
import { type IncomingRow, joinTurn, type KeepResult, seqUnlessRemoved } from './store.ts'

/**
 * Stores messages of known contacts in one statement, as `keep-messages` does, without looking for their contacts: that
 * is two thirds of what the statement costs. Undefined: it was not stored, because its contact has no conversation, as it was
 * erased, or because a field was cleared that the message may fill.
 *
 * The rows must be in the lock order of every process: by account, then by `fromId`.
 */
export async function keepKnown(
  pool: Pool,
  rows: KnownRow<IncomingRow>[],
  mayBeRemoved: boolean,
): Promise<(KeepResult | undefined)[]> {
  const owing = rows.some(({ row }) => row.owesAnswer) ? '-owing' : ''
  const name = `keep-known${owing}${mayBeRemoved ? '-unless-removed' : ''}` as const
  const values = columns.map(([, read]) => arrayLiteral(rows, read))
  const { rows: found } = await pool.query<{ id: MessageId }>(prepared(statements, name, values))
  const kept = new Set(found.map(({ id }) => id))
  return rows.map(({ row: { messageId: id }, contactId }) => (kept.has(id) ? { id, contactId } : undefined))
}

/** The columns of the parameters, and how each is read. */
const columns: [name: string, read: (one: KnownRow<IncomingRow>) => string | undefined][] = [
  ['account_id', ({ row }) => row.accountId],
  ['contact_id', ({ contactId }) => contactId],
  ['clears', ({ clears }) => clears?.toString()],
  ['id', ({ row }) => row.messageId],
  ['message_sid', ({ row }) => row.messageSid],
  ['to_id', ({ row }) => row.toId],
  ['body', ({ row }) => row.body],
  ['status', ({ row }) => row.status],
  ['kind', ({ row }) => row.kind],
  ['channel', ({ row }) => row.channel],
  ['campaign_id', ({ row }) => row.campaignId],
  ['owing', ({ row }) => (row.owesAnswer ? 't' : 'f')],
  ['trace', ({ row }) => row.trace],
]

/**
 * One row of the parameters is one conversation, so its number is the conversation's next. They are locked in the order
 * given: each is found by its key, which is the plan that the settings of this pool leave once PostgreSQL knows that there are
 * conversations. Before that, two processes might wait for each other; then one of them tries again.
 */
function statement({ owing, removed }: { owing: boolean; removed: boolean }): string {
  return `
with moved as (
  update conversations c
  set last_seq = c.last_seq + 1, ${activeNow},
    channel = coalesce(m.channel, c.channel), incoming_seq = c.last_seq + 1, ${opened}
  from unnest(${columns.map((_, n) => `$${n + 1}::text[]`).join(', ')})
    as m (${columns.map(([name]) => name).join(', ')})
  where c.account_id = m.account_id and c.contact_id = m.contact_id
    and (m.clears is null or c.clears = m.clears::integer)
  returning m.*, c.last_seq as seq, c.quiet_ms
), kept as (
  insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, campaign_id,
    message_sid, to_id)
  select account_id, id, contact_id, ${removed ? seqUnlessRemoved('m.account_id', 'm.message_sid') : 'seq'}, 'incoming', 'contact', kind, status, body, channel, campaign_id,
    message_sid, to_id
  from moved m
  returning id
)${
    owing
      ? `, owed as (
  insert into turns as w (account_id, contact_id, due_at, from_seq, last_seq, trace)
  select account_id, contact_id, now() + quiet_ms * interval '1 ms', seq, seq, trace
  from moved where owing = 't'
  ${joinTurn}
)`
      : ''
  }
select id from kept
`
}

export const statements = {
  'keep-known': statement({ owing: false, removed: false }),
  'keep-known-unless-removed': statement({ owing: false, removed: true }),
  'keep-known-owing': statement({ owing: true, removed: false }),
  'keep-known-owing-unless-removed': statement({ owing: true, removed: true }),
}
