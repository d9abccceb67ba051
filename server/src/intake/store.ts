import { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import type { Db, Tx } from '../platform/db.ts'
import type { AccountId, ContactId, MessageId } from '../platform/ids.ts'

/** A message on its way into the database. Absent fields are undefined. */
export type IncomingRow = {
  accountId: AccountId
  messageId: MessageId
  /** The id its contact gets if this is the first we hear of them. */
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
}

/** The id a message is known by, and whether it was kept just now. */
export type Kept = { id: MessageId; isNew: boolean }

/**
 * Keeps any number of messages in one statement: contact, conversation, message and the answer owed, all or nothing.
 * Returns the id each is known by, in the order given: its own, or that of the first message with its `messageSid`.
 * Undefined: another process is writing the same contact or message at this moment; ask again and it is settled.
 *
 * No two rows may have the same account and `messageSid`.
 */
export async function keepMessages(pool: Pool, rows: IncomingRow[]): Promise<(Kept | undefined)[]> {
  const values = parameters(rows)
  // Named, so that it is planned once a connection: planning takes longer than keeping thirty messages.
  const keep = (name: keyof typeof statements) => pool.query<Found>({ name, text: statements[name], values })
  const { rows: found } = await keep('keep-messages').catch((error) => {
    if (isUniqueViolation(error)) return keep('keep-messages-beside-copies')
    throw error
  })
  return outcomes(rows, found)
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

/** The same for one message inside a transaction. */
export async function keepMessage(tx: Tx, row: IncomingRow): Promise<Kept | undefined> {
  const { rows: found } = await tx.executeQuery<Found>(CompiledQuery.raw(statements['keep-messages-beside-copies'], parameters([row])))
  return outcomes([row], found)[0]
}

/** The message that was kept before with this `messageSid`. */
export async function findKept(db: Db, { accountId, messageSid }: IncomingRow): Promise<Kept | undefined> {
  const found = await db
    .selectFrom('messages')
    .select('id')
    .where('accountId', '=', accountId)
    .where('messageSid', '=', messageSid)
    .executeTakeFirst()
  return found && { id: found.id, isNew: false }
}

/** `n`: the place of a row that was seen before. Null: the row with this id was kept. */
type Found = { id: MessageId; n: number | null }

function outcomes(rows: IncomingRow[], found: Found[]): (Kept | undefined)[] {
  const seen = new Map(found.map(({ n, id }) => [n, id]))
  const kept = new Set(found.filter(({ n }) => n === null).map(({ id }) => id))
  return rows.map(({ messageId }, n) => {
    if (kept.has(messageId)) return { id: messageId, isNew: true }
    const id = seen.get(n)
    return id && { id, isNew: false }
  })
}

type Message = Omit<IncomingRow, 'contactId' | 'fromId' | 'firstName' | 'lastName' | 'email'> & {
  /** Which of the given rows it is, which of the senders sent it, and which of that sender's messages it is. */
  n: number
  s: number
  place: number
}

type Sender = Pick<
  IncomingRow,
  'accountId' | 'contactId' | 'fromId' | 'firstName' | 'lastName' | 'email' | 'channel'
> & {
  s: number
  messages: number
}

/**
 * The messages, and apart from them their senders: what several messages of one sender say about them is put together,
 * the first name given and the last label. Senders are in the order of account and id, in which every process locks
 * them.
 */
function parameters(rows: IncomingRow[]): [messages: string, senders: string] {
  const messages: Message[] = []
  const senders: Sender[] = []
  let sender: Sender | undefined
  for (const { row, n } of rows.map((row, n) => ({ row, n })).sort(bySender)) {
    const { accountId, contactId, fromId, firstName, lastName, email, channel } = row
    if (sender?.fromId !== fromId || sender.accountId !== accountId) {
      sender = { s: senders.length, messages: 0, accountId, contactId, fromId, firstName, lastName, email, channel }
      senders.push(sender)
    }
    sender.messages += 1
    sender.firstName ??= firstName
    sender.lastName ??= lastName
    sender.email ??= email
    sender.channel = channel ?? sender.channel
    const { messageId, messageSid, toId, body, status, kind, campaignId, owesAnswer } = row
    const own = { accountId, messageId, messageSid, toId, body, status, kind, channel, campaignId, owesAnswer }
    messages.push({ n, s: sender.s, place: sender.messages, ...own })
  }
  return [JSON.stringify(messages), JSON.stringify(senders)]
}

type Numbered = { row: IncomingRow; n: number }

function bySender({ row: one, n }: Numbered, { row: other, n: otherN }: Numbered): number {
  if (one.accountId !== other.accountId) return one.accountId < other.accountId ? -1 : 1
  if (one.fromId !== other.fromId) return one.fromId < other.fromId ? -1 : 1
  return n - otherN
}

/**
 * Everything looks at the data as they were when the statement began; what this statement writes is read from
 * `returning`. Tables are asked by a scalar subquery, which can only be answered row by row through an index: the plan
 * is made once, perhaps on empty tables, and must stay right with millions of rows. What was learned about the senders
 * is handed to their messages in arrays, because joining two results compares each row of one with each of the other.
 *
 * Contacts are locked before conversations, as everywhere, and both in the order of `s`. That is why people are counted
 * who had a blank filled, and sorted before their conversations are touched: either makes all of them be read first.
 *
 * Sequence numbers come from the conversation's row, whose lock also makes two batches for one conversation follow each
 * other; a copy that comes together with fresh messages leaves a gap, which is allowed.
 */
const statement = (onCopy: string) => `
with message as materialized (
  select m.*,
    (select id from messages where account_id = m."accountId" and message_sid = m."messageSid") as seen_id
  from json_to_recordset($1) as m (
    n integer, s integer, place integer, "accountId" text, "messageId" text, "messageSid" text, "toId" text, body text,
    status text, kind text, channel text, "campaignId" text, "owesAnswer" boolean
  )
), sender as materialized (
  select p.*, (select id from contacts where account_id = p."accountId" and external_id = p."fromId") as known_id
  from json_to_recordset($2) as p (
    s integer, messages integer, "accountId" text, "contactId" text, "fromId" text, "firstName" text, "lastName" text,
    email text, channel text
  )
  where s in (select s from message where seen_id is null)
), filled as (
  update contacts c
  set first_name = coalesce(c.first_name, p."firstName"), last_name = coalesce(c.last_name, p."lastName"),
    email = coalesce(c.email, p.email)
  from sender p
  where coalesce(p."firstName", p."lastName", p.email) is not null
    and c.account_id = p."accountId" and c.id = p.known_id
    and (c.first_name is null and p."firstName" is not null or c.last_name is null and p."lastName" is not null
      or c.email is null and p.email is not null)
  returning true
), met as (
  insert into contacts (account_id, id, external_id, first_name, last_name, email)
  select "accountId", "contactId", "fromId", "firstName", "lastName", email
  from sender where known_id is null
  order by s
  on conflict (account_id, external_id) where external_id is not null do nothing
  returning id
), person as materialized (
  select s, "accountId", known_id as id, channel, messages from sender
  where known_id is not null and (select count(*) from filled) >= 0
  union all
  select p.s, p."accountId", met.id, p.channel, p.messages from sender p join met on met.id = p."contactId"
), moved as (
  update conversations c
  set last_seq = c.last_seq + p.messages, channel = coalesce(p.channel, c.channel)
  from (select * from person order by s) as p
  where c.account_id = p."accountId" and c.contact_id = p.id
  returning p.s, c.contact_id, c.last_seq - p.messages as seq_before, c.quiet_ms
), begun as (
  insert into conversations as c (account_id, contact_id, channel, last_seq)
  select "accountId", id, channel, messages from person
  where (select count(*) from moved) < (select count(*) from person) and s not in (select s from moved)
  order by s
  on conflict (account_id, contact_id) do update
  set last_seq = c.last_seq + excluded.last_seq, channel = coalesce(excluded.channel, c.channel)
  returning contact_id, last_seq, quiet_ms
), talk as materialized (
  select array_agg(s) as s, array_agg(contact_id) as contact_id, array_agg(seq_before) as seq_before,
    array_agg(quiet_ms) as quiet_ms
  from (
    select s, contact_id, seq_before, quiet_ms from moved
    union all
    select p.s, b.contact_id, b.last_seq - p.messages, b.quiet_ms from begun b join person p on p.id = b.contact_id
  ) as each_one
), fresh as not materialized (
  select m.*, t.contact_id[place_of_s] as contact_id, t.seq_before[place_of_s] + m.place as seq,
    t.quiet_ms[place_of_s] as quiet_ms
  from talk t cross join message m cross join lateral array_position(t.s, m.s) as place_of_s
  where m.seen_id is null and place_of_s is not null
), kept as (
  insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, campaign_id,
    message_sid, to_id)
  select "accountId", "messageId", contact_id, seq, 'incoming', 'contact', kind, status, body, channel, "campaignId",
    "messageSid", "toId"
  from fresh
  ${onCopy}
  returning id
), owed as (
  insert into turns as w (account_id, contact_id, due_at, from_seq, last_seq)
  select f."accountId", f.contact_id, now() + min(f.quiet_ms) * interval '1 ms', min(f.seq), max(f.seq)
  from fresh f join kept on kept.id = f."messageId"
  where f."owesAnswer"
  group by f."accountId", f.contact_id, f.s
  order by f.s
  on conflict (account_id, contact_id) do update
  set last_seq = excluded.last_seq, due_at = least(w.first_at + interval '15 s', excluded.due_at)
)
select seen_id as id, n from message where seen_id is not null
union all
select id, null from kept
`

/**
 * Copies that were here before are found by looking. One that another process is keeping at this very moment is so rare
 * that watching out for it at every message would cost more than to begin again when it has happened.
 */
const statements = {
  'keep-messages': statement(''),
  'keep-messages-beside-copies': statement(
    'on conflict (account_id, message_sid) where message_sid is not null do nothing',
  ),
}
