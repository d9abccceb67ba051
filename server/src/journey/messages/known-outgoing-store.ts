import type { Pool } from 'pg'
import type { LeasedEvent } from '../../outbox/enqueue-events.ts'
import type { KnownRow } from '../../people/contacts/known-contacts.ts'
import { arrayLiteral } from '../../platform/database/array-literal.ts'
import { prepared } from '../../platform/database/prepared.ts'
import { activeNow } from './activity-store.ts'
import { shown } from './sequence-store.ts'
import { type KeptOutgoing, keepFresh, type OutgoingRow, untried } from './store.ts'

/**
 * Stores outgoing messages of known contacts in one statement, as `keep-outgoing` does, without looking for their contacts.
 * Undefined: it was not stored, because its contact has no conversation, as it was erased, or because a field was cleared that
 * the message may fill.
 *
 * The rows must be in the lock order of every process: by account, then by `fromId`.
 */
export async function keepKnownOutgoing(
  pool: Pool,
  rows: KnownRow<OutgoingRow>[],
): Promise<(KeptOutgoing | undefined)[]> {
  const values = columns.map(([, read]) => arrayLiteral(rows, read))
  const leasedAt = performance.now()
  const { rows: found } = await pool.query<KeptRow>(prepared(statements, 'keep-known-outgoing', values))
  const kept = new Map(found.map((one) => [one.id, one]))
  return rows.map(({ row, contactId }) => {
    const one = kept.get(row.messageId)
    return one && { messageId: row.messageId, contactId, leased: leasedEvent(row, contactId, one, leasedAt) }
  })
}

/** What is not known before: PostgreSQL, the driver and we each pay for a column. */
type KeptRow = Pick<
  LeasedEvent,
  'id' | 'receiverId' | 'outgoingSeq' | 'payload' | 'url' | 'secret' | 'oldSecret' | 'isPaused'
> & { isLeased: boolean }

function leasedEvent(
  { accountId, author, trace, token }: OutgoingRow,
  contactId: LeasedEvent['contactId'],
  { isLeased, ...event }: KeptRow,
  leasedAt: number,
): LeasedEvent | undefined {
  if (!isLeased || token === undefined) return undefined
  return { ...event, accountId, contactId, author, trace: trace ?? null, token, leasedAt, ...untried }
}

/** The columns of the parameters, and how each is read. */
const columns: [name: string, read: (one: KnownRow<OutgoingRow>) => string | undefined][] = [
  ['account_id', ({ row }) => row.accountId],
  ['contact_id', ({ contactId }) => contactId],
  ['clears', ({ clears }) => clears?.toString()],
  ['id', ({ row }) => row.messageId],
  ['to_id', ({ row }) => row.fromId],
  ['author', ({ row }) => row.author],
  ['user_id', ({ row }) => row.userId],
  ['body', ({ row }) => row.body],
  ['given_channel', ({ row }) => row.channel],
  ['given_campaign', ({ row }) => row.campaignId],
  ['given_token', ({ row }) => row.token],
  ['trace', ({ row }) => row.trace],
  ['broadcast_id', ({ row }) => row.broadcastId],
]

/**
 * One row of the parameters is one conversation, so its numbers are the conversation's next, and a lease is given only if the
 * statement's snapshot has the number before: as in `keep-outgoing`. About the order of locks see `keep-known`.
 */
const keepingKnownOutgoing = `
with moved as (
  update conversations c
  set last_seq = c.last_seq + 1, ${activeNow}, channel = coalesce(m.given_channel, c.channel),
    last_outgoing_seq = c.last_outgoing_seq + 1, campaign_id = coalesce(m.given_campaign, c.campaign_id), ${shown}
  from unnest(${columns.map((_, n) => `$${n + 1}::text[]`).join(', ')})
    as m (${columns.map(([name]) => name).join(', ')})
  where c.account_id = m.account_id and c.contact_id = m.contact_id
    and (m.clears is null or c.clears = m.clears::integer)
  returning m.*, c.last_seq as seq, c.last_outgoing_seq as outgoing_seq, c.channel, c.is_simulated
), fresh as materialized (
  select account_id, id, to_id, author, user_id, body, given_campaign as campaign_id, trace, broadcast_id, contact_id, seq,
    outgoing_seq, coalesce(channel, 'custom') as channel, is_simulated,
    case when given_token is not null and not is_simulated and outgoing_seq - 1 = (
      select c.last_outgoing_seq from conversations c where c.account_id = m.account_id and c.contact_id = m.contact_id
    ) then given_token::uuid end as token
  from moved m
), ${keepFresh}
select id, receiver_id as "receiverId", outgoing_seq as "outgoingSeq", token is not null as "isLeased", payload, url, secret,
  "oldSecret", "isPaused"
from enqueued
`

export const statements = { 'keep-known-outgoing': keepingKnownOutgoing }
