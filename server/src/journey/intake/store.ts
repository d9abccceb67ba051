import { hash } from 'node:crypto'
import { CompiledQuery, sql } from 'kysely'
import type { Pool } from 'pg'
import { contactColumns, findOrCreateContacts, gatherContacts } from '../../people/contacts/find-or-create.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { prepared } from '../../platform/database/prepared.ts'
import type { AccountId, ContactId, MessageId } from '../../platform/ids.ts'
import { takeSequenceNumbers } from '../messages/sequence-store.ts'

/** An incoming message to store. Absent fields are undefined. */
export type IncomingRow = {
  accountId: AccountId
  messageId: MessageId
  /** The id of its contact, if the contact is new. */
  contactId: ContactId
  messageSid: string
  fromId: string
  toId: string
  body: string
  status: string
  kind: 'text' | 'reaction'
  channel: string | undefined
  campaignId: string | undefined
  firstName: string | undefined
  lastName: string | undefined
  email: string | undefined
  owesAnswer: boolean
  /** The `traceparent` of the request. */
  trace: string | undefined
}

/** The id of a message, and its contact if it was stored just now, with the `clears` of its conversation before. */
export type KeepResult = { id: MessageId; contactId: ContactId | undefined; clears?: number | undefined }

/**
 * Stores any number of messages in one statement: contact, conversation, message and the turn that owes its answer, all
 * or nothing. Returns the id of each, in the order given: its own, or that of the first message with its `messageSid`.
 * Undefined: another process is writing the same contact or message at this moment; call it again for the result.
 *
 * No two rows may have the same account and `messageSid`.
 */
export async function keepMessages(
  pool: Pool,
  rows: IncomingRow[],
  name: keyof typeof statements,
): Promise<(KeepResult | undefined)[]> {
  // A prepared statement, planned once per connection: planning takes longer than storing thirty messages.
  const { rows: found } = await pool.query<KeptRow>(prepared(statements, name, parameters(rows)))
  return outcomes(rows, found)
}

/** Stores one message inside a transaction, as `keepMessages` stores many. */
export async function keepMessage(tx: Tx, row: IncomingRow): Promise<KeepResult | undefined> {
  const { rows: found } = await tx.executeQuery<KeptRow>(
    CompiledQuery.raw(statements['keep-messages-or-copies'], parameters([row])),
  )
  return outcomes([row], found)[0]
}

/** People send a file and then explain it: its answer waits for that, even where other answers do not wait. */
export async function waitAfterFile(tx: Tx, { accountId, messageId }: IncomingRow): Promise<void> {
  await sql`
    update turns t
    set due_at = greatest(t.due_at, now() + interval '2 s')
    from messages m
    where m.account_id = ${accountId} and m.id = ${messageId}
      and t.account_id = m.account_id and t.contact_id = m.contact_id
  `.execute(tx)
}

/** The message that was stored before with this `messageSid`, also if it was removed since. */
export async function findKept(
  db: Db,
  { accountId, messageSid }: Pick<IncomingRow, 'accountId' | 'messageSid'>,
): Promise<KeepResult | undefined> {
  const { rows } = await sql<{ id: MessageId }>`
    select id from messages where account_id = ${accountId} and message_sid = ${messageSid}
    union all
    select message_id from removed_sids
    where account_id = ${accountId} and sid_hash = ${hash('sha256', messageSid, 'buffer').subarray(0, 16)}
    limit 1
  `.execute(db)
  return rows[0] && { id: rows[0].id, contactId: undefined }
}

/** `seenId`: the message that was stored before with the same `messageSid`. Null: it was stored just now. */
type KeptRow =
  | { id: MessageId; contactId: ContactId; clears: number | null; seenId: null }
  | { id: MessageId; seenId: MessageId }

function outcomes(rows: IncomingRow[], found: KeptRow[]): (KeepResult | undefined)[] {
  const byId = new Map(found.map((one) => [one.id, one]))
  return rows.map(({ messageId, contactId }) => {
    const one = byId.get(messageId)
    if (!one) return undefined
    if (one.seenId !== null) return { id: one.seenId, contactId: undefined }
    const isNew = one.contactId === contactId // its conversation is too, and nobody has cleared a field
    return { id: messageId, contactId: one.contactId, clears: one.clears ?? (isNew ? 0 : undefined) }
  })
}

function parameters(rows: IncomingRow[]): [messages: string] {
  const given = gatherContacts(rows).map(({ row, contact }) => {
    const { messageId, messageSid, toId, body, status, kind, channel, campaignId, owesAnswer, trace } = row
    return { ...contact, messageId, messageSid, toId, body, status, kind, channel, campaignId, owesAnswer, trace }
  })
  return [JSON.stringify(given)]
}

/** What is stored of the `messageSid` of a message that was removed: no word of the external platform. */
export const sidHash = (sid: string) => `substr(sha256(convert_to(${sid}, 'UTF8')), 1, 16)`

const removedWith = (what: string, accountId: string, sid: string) => `(select ${what} from removed_sids r
    where r.account_id = ${accountId} and r.sid_hash = ${sidHash(sid)})`

/** The sequence number of `m`. The statement fails if its `messageSid` is that of a message that was removed. */
export const seqUnlessRemoved = (accountId: string, sid: string) =>
  `case when ${removedWith('true', accountId, sid)} then refuse_removed_copy() else m.seq end`

/** The end of an insert into `turns`, `w`: a conversation that owes an answer already owes one for this message too. */
export const joinTurn = `on conflict (account_id, contact_id) do update
  set last_seq = excluded.last_seq, attempts = 0, trace = coalesce(excluded.trace, w.trace), due_at = least(excluded.due_at, w.first_at + interval '1 ms' * (
    select max_wait_ms from conversations c where c.account_id = w.account_id and c.contact_id = w.contact_id
  ))`

/**
 * With `copies`, the statement checks which messages are stored already or were removed, and skips one that another process
 * is storing at this moment. A copy that comes together with new messages leaves a gap in the sequence numbers, which is
 * allowed. `clears` is read as it was when the statement began, like the fields of the contacts: what is cleared since changes
 * it. With `removed` it fails when one of them was removed: then nothing is stored, and that costs half of what it costs to
 * look for them first.
 */
function statement(check: 'nothing' | 'removed' | 'copies'): string {
  const ifCopies = (text: string) => (check === 'copies' ? text : '')
  const sid = ['m."accountId"', 'm."messageSid"'] as const
  const seq = check === 'removed' ? seqUnlessRemoved(...sid) : 'm.seq'
  return `
with message as materialized (
  select m.*${ifCopies(`,
    coalesce(
      (select id from messages where account_id = m."accountId" and message_sid = m."messageSid"), ${removedWith('r.message_id', ...sid)}
    ) as seen_id`)}
  from json_to_recordset($1) as m (
    ${contactColumns},
    "messageId" text, "messageSid" text, "toId" text, body text, status text, kind text, channel text,
    "campaignId" text, "owesAnswer" boolean, trace text
  )
), ${findOrCreateContacts(check === 'copies' ? 'm.s in (select s from message where seen_id is null)' : 'true')}, ${takeSequenceNumbers('incoming')},
fresh as not materialized (
  select m.*, t.contact_id[contact_index] as contact_id, t.seq_before[contact_index] + m.nth as seq,
    t.quiet_ms[contact_index] as quiet_ms
  from conversation t cross join message m cross join lateral array_position(t.s, m.s) as contact_index
  where contact_index is not null${ifCopies(' and m.seen_id is null')}
), kept as (
  insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, campaign_id,
    message_sid, to_id)
  select "accountId", "messageId", contact_id, ${seq}, 'incoming', 'contact', kind, status, body, channel, "campaignId",
    "messageSid", "toId"
  from fresh m
  ${ifCopies('on conflict (account_id, message_sid) where message_sid is not null do nothing')}
  returning account_id, id, contact_id
), owed as (
  insert into turns as w (account_id, contact_id, due_at, from_seq, last_seq, trace)
  select f."accountId", f.contact_id, now() + min(f.quiet_ms) * interval '1 ms', min(f.seq), max(f.seq), max(f.trace)
  from fresh f join kept on kept.id = f."messageId"
  where f."owesAnswer"
  group by f."accountId", f.contact_id, f.s
  order by f.s
  ${joinTurn}
)
select id, contact_id as "contactId", (
    select clears from conversations where account_id = k.account_id and contact_id = k.contact_id
  ) as clears, null as "seenId"
from kept k
${ifCopies('union all select "messageId", null, null, seen_id from message where seen_id is not null')}
`
}

export const statements = {
  'keep-messages': statement('nothing'),
  'keep-messages-unless-removed': statement('removed'),
  'keep-messages-or-copies': statement('copies'),
}
