import type { ReplyEvent } from '@patchbay/contract/api/messages.ts'
import { CompiledQuery, sql } from 'kysely'
import type { Pool } from 'pg'
import { enqueueEvents, type LeasedEvent } from '../../outbox/enqueue-events.ts'
import { customReceiver } from '../../outbox/receivers.ts'
import { contactColumns, findOrCreateContacts, gatherContacts } from '../../people/contacts/find-or-create.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { prepared } from '../../platform/database/prepared.ts'
import type { AccountId, BroadcastId, ContactId, MessageId, UserId } from '../../platform/ids.ts'
import { takeSequenceNumbers } from './sequence-store.ts'
import { nextAttempt, outgoingStatus } from './status-store.ts'

/** The text of a JSON object in SQL, with the bytes that `JSON.stringify` makes. The values are expressions of text. */
function jsonText(fields: Record<string, string>): string {
  const parts = Object.entries(fields).map(([name, value]) => `"${name}":' || to_json(${value}) || '`)
  return `'{${parts.join(',')}}'`
}

/**
 * The body, in SQL, of the event that carries an outgoing message, made of the row `fresh`. Every attempt sends these
 * bytes.
 */
export const replyEvent = jsonText({
  contactId: 'contact_id',
  messageId: 'id',
  userId: `
      (select u.id from users u where u.account_id = fresh.account_id and u.is_holder)
    `,
  body: 'body',
  toId: 'to_id',
  channel: 'channel',
} satisfies Record<keyof ReplyEvent, string>)

/** An outgoing message to store. Absent fields are undefined. */
export type OutgoingRow = {
  accountId: AccountId
  messageId: MessageId
  /** The id of its contact, if the contact is new. */
  contactId: ContactId
  /** The contact's id on the external platform. */
  fromId: string
  author: 'bot' | 'person' | 'api'
  userId: UserId | undefined
  body: string
  channel: string | undefined
  campaignId: string | undefined
  firstName: string | undefined
  lastName: string | undefined
  email: string | undefined
  /** The lease token for its delivery, if this process can deliver it at once. */
  token: string | undefined
  /** The `traceparent` of the request that it was sent by, or that it answers. */
  trace: string | undefined
  broadcastId: BroadcastId | undefined
}

/** `clears`: of the conversation, before the message; undefined where that is not known. */
export type KeptOutgoing = {
  messageId: MessageId
  contactId: ContactId
  leased: LeasedEvent | undefined
  clears?: number | undefined
}

/**
 * Stores any number of outgoing messages in one statement: contact, conversation, message and the event that delivers
 * it, all or nothing. Results in the order given. Undefined: another process is making the same contact at this moment;
 * call it again and the contact is there.
 */
export async function keepOutgoing(pool: Pool, rows: OutgoingRow[]): Promise<(KeptOutgoing | undefined)[]> {
  // A prepared statement, so that it is planned once per connection.
  const query = prepared(statements, 'keep-outgoing', parameters(rows))
  const leasedAt = performance.now()
  const { rows: found } = await pool.query<KeptRow>(query)
  return outcomes(rows, found, leasedAt)
}

/**
 * Which of these messages are stored already; results in the order given. Their leases are released, because the
 * response with their receivers was lost: the next claim of any process delivers them.
 */
export async function findOutgoing(pool: Pool, rows: OutgoingRow[]): Promise<(KeptOutgoing | undefined)[]> {
  const asked = rows.map(({ accountId, messageId, token }) => ({ accountId, messageId, token }))
  const query = prepared(statements, 'find-outgoing', [JSON.stringify(asked)])
  const { rows: found } = await pool.query<Pick<KeptOutgoing, 'messageId' | 'contactId'>>(query)
  const kept = new Map(found.map(({ messageId, contactId }) => [messageId, contactId]))
  return rows.map(({ messageId }) => {
    const contactId = kept.get(messageId)
    return contactId && { messageId, contactId, leased: undefined }
  })
}

const findingOutgoing = `
with asked as materialized (
  select * from json_to_recordset($1) as a ("accountId" text, "messageId" text, token uuid)
), released as (
  update deliveries d set lease_token = null, leased_until = null
  from asked a
  where d.account_id = a."accountId" and d.id = a."messageId" and d.lease_token = a.token
)
select m.id as "messageId", m.contact_id as "contactId"
from asked a join messages m on m.account_id = a."accountId" and m.id = a."messageId"
`

/** Stores one message inside a transaction, as `keepOutgoing` stores many. */
export async function keepOutgoingWithin(tx: Tx, row: OutgoingRow): Promise<KeptOutgoing | undefined> {
  return (await keepAllWithin(tx, [row]))[0]
}

export async function keepAllWithin(tx: Tx, rows: OutgoingRow[]): Promise<(KeptOutgoing | undefined)[]> {
  const leasedAt = performance.now()
  const { rows: found } = await tx.executeQuery<KeptRow>(CompiledQuery.raw(keepingOutgoing, parameters(rows)))
  return outcomes(rows, found, leasedAt)
}

/** The attempts of a new event. */
export const untried = { attempts: 0, askedAttempts: 0, asked: null, isProbe: false }

type KeptRow = Omit<LeasedEvent, 'id' | 'contactId' | 'token' | 'leasedAt' | keyof typeof untried> & {
  id: MessageId
  contactId: ContactId
  token: string | null
  clears: number | null
}

function outcomes(rows: OutgoingRow[], found: KeptRow[], leasedAt: number): (KeptOutgoing | undefined)[] {
  const kept = new Map(found.map((one) => [one.id, one]))
  return rows.map(({ messageId, contactId: newId }) => {
    const one = kept.get(messageId)
    if (!one) return undefined
    const { clears, ...event } = one
    const { contactId, token } = event
    const leased = token === null ? undefined : { ...event, token, leasedAt, ...untried }
    const isNew = contactId === newId // its conversation is too, and nobody has cleared a field
    return { messageId, contactId, leased, clears: clears ?? (isNew ? 0 : undefined) }
  })
}

function parameters(rows: OutgoingRow[]): [messages: string] {
  const given = gatherContacts(rows).map(({ row, contact }) => {
    const { messageId, author, userId, body, channel, campaignId, token, trace, broadcastId } = row
    return { ...contact, messageId, author, userId, body, channel, campaignId, token, trace, broadcastId }
  })
  return [JSON.stringify(given)]
}

/**
 * The part of a statement that stores outgoing messages and the events that deliver them. The payload is made here, once: every
 * attempt sends these bytes. The user in it is the account's holder, whoever wrote the message.
 *
 * Reads the CTE `fresh`. Gives `kept`, `event`, `enqueued` and `written`, of which the rest of the statement reads `enqueued`.
 */
export const keepFresh = `
kept as (
  insert into messages (account_id, id, contact_id, seq, outgoing_seq, direction, author, user_id, kind, body, channel,
    campaign_id, broadcast_id)
  select account_id, id, contact_id, seq, outgoing_seq, 'outgoing', author, user_id, 'text', body, channel, campaign_id,
    broadcast_id
  from fresh
), event as materialized (
  select account_id, id, ${customReceiver('is_simulated')} as receiver_id, contact_id, outgoing_seq, author, token, trace,
    ${replyEvent} as payload
  from fresh
), ${enqueueEvents}`

/**
 * A lease token is used only if the conversation's sequence number is still the one in the statement's snapshot. If
 * not, the statement has waited for another one, and cannot see the earlier deliveries which that one has queued.
 *
 * `clears` is read as it was when the statement began, like the fields of the contacts: what is cleared since changes it.
 */
const keepingOutgoing = `
with message as materialized (
  select m.*
  from json_to_recordset($1) as m (
    ${contactColumns},
    "messageId" text, author text, "userId" text, body text, channel text, "campaignId" text, token uuid, trace text,
    "broadcastId" text
  )
), ${findOrCreateContacts()}, ${takeSequenceNumbers('outgoing')},
fresh as materialized (
  select m."accountId" as account_id, m."messageId" as id, m."fromId" as to_id, m.author, m."userId" as user_id, m.body,
    m."campaignId" as campaign_id, m.trace, m."broadcastId" as broadcast_id,
    t.contact_id[contact_index] as contact_id, t.seq_before[contact_index] + m.nth as seq,
    t.outgoing_before[contact_index] + m.nth as outgoing_seq,
    coalesce(m.channel, t.channel[contact_index], 'custom') as channel, t.is_simulated[contact_index] as is_simulated,
    case when m.nth = 1 and m.token is not null and not t.is_simulated[contact_index] and t.outgoing_before[contact_index] = coalesce((
      select c.last_outgoing_seq from conversations c
      where c.account_id = m."accountId" and c.contact_id = t.contact_id[contact_index]
    ), 0) then m.token end as token
  from conversation t cross join message m cross join lateral array_position(t.s, m.s) as contact_index
  where contact_index is not null
), ${keepFresh}
select account_id as "accountId", id, receiver_id as "receiverId", contact_id as "contactId", outgoing_seq as "outgoingSeq", author, token, trace, payload,
  url, secret, "oldSecret", "isPaused", (
    select clears from conversations where account_id = e.account_id and contact_id = e.contact_id
  ) as clears
from enqueued e
`

export const statements = { 'keep-outgoing': keepingOutgoing, 'find-outgoing': findingOutgoing }

export type DeliveryError = { category: string; httpStatus: number | null; detail: string | null }

export type ListedMessage = {
  id: MessageId
  contactId: ContactId
  direction: 'incoming' | 'outgoing'
  author: 'contact' | 'bot' | 'person' | 'api'
  kind: 'text' | 'reaction'
  body: string
  status: string
  attempts: number
  /** How many of them a person has asked for; these are not among those that come by themselves. */
  askedAttempts: number
  error: DeliveryError | null
  nextAttemptAt: Date | null
  channel: string
  /** The file attached to it. */
  media: { contentType: string; state: string } | null
  createdAt: Date
  sentAt: Date | null
}

type MessageQuery = { contactId: ContactId | undefined; messageId?: MessageId | undefined; limit: number }

/** Messages, the newest first: of one conversation by its sequence, of the whole account by id, which sorts by time. */
export async function listMessages(
  db: Db,
  accountId: AccountId,
  { contactId, messageId, limit }: MessageQuery,
): Promise<ListedMessage[]> {
  const base = db
    .selectFrom('messages as m')
    .leftJoin('deliveries as d', (join) => join.onRef('d.accountId', '=', 'm.accountId').onRef('d.id', '=', 'm.id'))
    .leftJoin('attachments as a', (join) =>
      join.onRef('a.accountId', '=', 'm.accountId').onRef('a.messageId', '=', 'm.id'),
    )
    .select(['m.id', 'm.contactId', 'm.direction', 'm.author', 'm.kind', 'm.body', 'm.createdAt', 'd.sentAt'])
    .select([
      sql<string>`coalesce(m.status, ${sql.raw(outgoingStatus('d'))})`.as('status'),
      sql<string>`coalesce(m.channel, 'custom')`.as('channel'),
      sql<number>`coalesce(d.attempts, 0)`.as('attempts'),
      sql<number>`coalesce(d.asked_attempts, 0)`.as('askedAttempts'),
      sql<Date | null>`${sql.raw(nextAttempt('d'))}`.as('dueAt'),
      sql<ListedMessage['media']>`case when a.state is not null
        then json_build_object('contentType', a.content_type, 'state', a.state) end`.as('media'),
    ])
    .select(['d.errorCategory', 'd.errorHttpStatus', 'd.errorDetail'])
    .where('m.accountId', '=', accountId)
    .limit(limit)
  const asked = messageId === undefined ? base : base.where('m.id', '=', messageId)
  const rows = await (contactId === undefined
    ? asked.orderBy('m.id', 'desc')
    : asked.where('m.contactId', '=', contactId).orderBy('m.seq', 'desc')
  ).execute()
  return rows.map(({ errorCategory, errorHttpStatus, errorDetail, dueAt, createdAt, sentAt, channel, ...message }) => ({
    ...message,
    error:
      errorCategory === null || message.status !== 'Failed'
        ? null
        : { category: errorCategory, httpStatus: errorHttpStatus, detail: errorDetail },
    nextAttemptAt: message.status === 'Sent' ? null : dueAt,
    channel,
    createdAt,
    sentAt,
  }))
}
