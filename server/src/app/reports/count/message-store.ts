import { sql } from 'kysely'
import { arrivedAt, isGivenUp } from '../../../journey/messages/status-store.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../../../platform/ids.ts'

/** A message of a conversation, with the number of its channel. */
export type CountedMessage = {
  seq: number
  atMs: number
  direction: 'incoming' | 'outgoing'
  author: 'contact' | 'bot' | 'person' | 'api'
  kind: 'text' | 'reaction'
  isBroadcast: boolean
  channel: number
}

/** Messages of the contact from one quarter and channel that nobody has answered yet. */
export type WaitingMessages = {
  quarter: number
  channel: number
  messages: number
  firstSeq: number
  firstAtMs: number
  lastSeq: number
}

export type DueMessage = Omit<CountedMessage, 'channel'> & {
  id: MessageId
  label: string
  /** When it arrived; null: it has not, or may still turn out not to have. */
  sentMs: number | null
  /** It has not arrived, and is not tried any more. */
  isFailed: boolean
}

export type DueThread = {
  contactId: ContactId
  /** The channels of its mark; undefined where nothing of it is counted yet. */
  channels: number[] | undefined
  /** The last message that was read, and whether there are more. */
  toSeq: number
  isCut: boolean
  messages: DueMessage[]
  /** After which messages somebody closed the conversation. */
  closedAfter: number[]
}

/** Milliseconds since 1970. */
const ms = (column: string) => sql`floor(extract(epoch from ${sql.ref(column)}) * 1000)::float8`

/** How much is read at most. */
type DueQuery = { contactIds: ContactId[]; messagesOfEach: number; messages: number }

type ThreadRow = {
  what: 'thread'
  contactId: ContactId
  toSeq: number
  isCut: boolean
  channels: number[] | null
}
type MessageRow = { what: 'message'; contactId: ContactId } & DueMessage
type CloseRow = { what: 'close'; contactId: ContactId; seq: number }
type DueRow = ThreadRow | MessageRow | CloseRow | { what: 'left'; contactId: ContactId }

/** Which conversations have messages that are not counted, and from where to where each is read. */
const dueOf = (accountId: AccountId, { contactIds, messagesOfEach, messages }: DueQuery) => sql`
  select *, sum(to_seq - after_seq) over (order by contact_id) - (to_seq - after_seq) < ${messages} as is_read
  from (
    select *, least(last_seq, after_seq + ${messagesOfEach}) as to_seq
    from (
      select c.contact_id, c.last_seq, k.channels, coalesce(k.seq, (
        select min(m.seq) - 1 from messages m where m.account_id = ${accountId} and m.contact_id = c.contact_id
      ), 0) as after_seq
      from unnest(${contactIds}::text[]) as g (contact_id) cross join lateral (
        select c.contact_id, c.last_seq from conversations c
        where c.account_id = ${accountId} and c.contact_id = g.contact_id and not c.is_simulated limit 1
      ) as c left join lateral (
        select k.seq, k.channels from report_marks k
        where k.account_id = ${accountId} and k.contact_id = g.contact_id limit 1
      ) as k on true
      where c.last_seq > coalesce(k.seq, 0)
      offset 0
    ) as c
  ) as c`

/**
 * Messages of these contacts that are not counted. One statement: the last number of a conversation and its messages were
 * committed together, those with smaller numbers before that, and so was whatever somebody did before a message. Those
 * for which there were too many messages are left out, and are in `left`. Rows of three kinds: as JSON for each conversation
 * they cost twice as much. From key to key, as the search reads them.
 */
export async function readDueThreads(
  tx: Tx,
  accountId: AccountId,
  query: DueQuery,
): Promise<{ threads: DueThread[]; left: ContactId[] }> {
  const { rows } = await sql<DueRow>`
    with due as materialized (
      ${dueOf(accountId, query)}
    )
    select case when is_read then 'thread' else 'left' end as what, contact_id, to_seq::float8 as to_seq,
      last_seq > to_seq as is_cut, to_json(channels) as channels, null as id, null as seq, null as at_ms,
      null as direction, null as author, null as kind, null as is_broadcast, null as label, null as sent_ms,
      null as is_failed
    from due
    union all
    select 'message', m.contact_id, null, null, null, m.id, m.seq::float8, ${ms('m.created_at')}, m.direction,
      m.author, m.kind, m.broadcast_id is not null, coalesce(m.channel, 'custom'), ${ms('o.sent_at')}, coalesce(o.is_failed, false)
    from due d cross join lateral (
      select * from messages m
      where m.account_id = ${accountId} and m.contact_id = d.contact_id and m.seq > d.after_seq and m.seq <= d.to_seq
      order by m.seq limit ${query.messagesOfEach}
    ) as m
    left join lateral (
      select ${sql.raw(arrivedAt('o'))} as sent_at, ${sql.raw(isGivenUp('o'))} as is_failed
      from deliveries o where m.direction = 'outgoing' and o.account_id = ${accountId} and o.id = m.id limit 1
    ) as o on true
    where d.is_read
    union all
    select 'close', d.contact_id, null, null, null, null, e.seq::float8, null, null, null, null, null, null, null, null
    from due d cross join lateral (
      select e.seq from conversation_events e
      where e.account_id = ${accountId} and e.contact_id = d.contact_id and e.kind = 'closed' and e.seq >= d.after_seq
      offset 0
    ) as e
    where d.is_read
  `.execute(tx)
  return threadsOf(rows)
}

function threadsOf(rows: DueRow[]): { threads: DueThread[]; left: ContactId[] } {
  const threads = new Map<ContactId, DueThread>()
  for (const row of rows) {
    if (row.what !== 'thread') continue
    const { contactId, toSeq, isCut, channels } = row
    threads.set(contactId, { contactId, channels: channels ?? undefined, toSeq, isCut, messages: [], closedAfter: [] })
  }
  for (const row of rows) {
    if (row.what === 'message') threads.get(row.contactId)?.messages.push(row)
    if (row.what === 'close') threads.get(row.contactId)?.closedAfter.push(row.seq)
  }
  for (const { messages } of threads.values()) messages.sort((one, other) => one.seq - other.seq)
  return {
    threads: [...threads.values()],
    left: rows.filter(({ what }) => what === 'left').map(({ contactId }) => contactId),
  }
}

/** `channels`: all that it has now; undefined: those that it had. */
export type Mark = { contactId: ContactId; seq: number; channels: number[] | undefined }

/** Says how far conversations are counted, and returns their keys. It fails (23503) when a contact was erased meanwhile. */
export async function moveMarks(tx: Tx, accountId: AccountId, marks: Mark[]): Promise<Map<ContactId, string>> {
  if (marks.length === 0) return new Map()
  const channels = marks.map((mark) => `{${mark.channels?.join(',') ?? ''}}`)
  const { rows } = await sql<{ contactId: ContactId; key: string }>`
    insert into report_marks as k (account_id, contact_id, seq, channels)
    select ${accountId}, contact_id, seq, channels::integer[]
    from unnest(
      ${marks.map(({ contactId }) => contactId)}::text[], ${marks.map(({ seq }) => seq)}::bigint[], ${channels}::text[]
    ) as g (contact_id, seq, channels)
    order by contact_id
    on conflict (account_id, contact_id) do update set seq = greatest(k.seq, excluded.seq),
      channels = case when excluded.channels = '{}' then k.channels else excluded.channels end
    returning k.contact_id, k.key
  `.execute(tx)
  return new Map(rows.map(({ contactId, key }) => [contactId, key]))
}

export type WaitingRow = WaitingMessages & { contactId: ContactId }

/** Removes and returns what waits in these conversations. */
export async function takeWaiting(tx: Tx, accountId: AccountId, contactIds: ContactId[]): Promise<WaitingRow[]> {
  if (contactIds.length === 0) return []
  const { rows } = await sql<WaitingRow>`
    delete from report_waiting where account_id = ${accountId} and contact_id = any (${contactIds}::text[])
    returning contact_id, ${ms('quarter')} as quarter, channel, messages, first_seq::float8 as first_seq,
      ${ms('first_at')} as first_at_ms, last_seq::float8 as last_seq
  `.execute(tx)
  return rows
}

/** Adds to what waits. Its messages are later than those that are there. */
export async function addWaiting(tx: Tx, accountId: AccountId, rows: WaitingRow[]): Promise<void> {
  if (rows.length === 0) return
  const column = <Name extends keyof WaitingRow>(name: Name) => rows.map((row) => row[name])
  await sql`
    insert into report_waiting as w
      (account_id, contact_id, quarter, channel, messages, first_seq, first_at, last_seq)
    select ${accountId}, contact_id, to_timestamp(quarter / 1000), channel, messages, first_seq,
      to_timestamp(first_ms / 1000), last_seq
    from unnest(
      ${column('contactId')}::text[], ${column('quarter')}::float8[], ${column('channel')}::integer[],
      ${column('messages')}::integer[], ${column('firstSeq')}::bigint[], ${column('firstAtMs')}::float8[],
      ${column('lastSeq')}::bigint[]
    ) as g (contact_id, quarter, channel, messages, first_seq, first_ms, last_seq)
    on conflict (account_id, contact_id, quarter, channel) do update
    set messages = w.messages + excluded.messages, last_seq = excluded.last_seq
  `.execute(tx)
}

/** The keys of these conversations; one that is not counted yet gets its mark before its first message. */
export async function readKeys(tx: Tx, accountId: AccountId, contactIds: ContactId[]): Promise<Map<ContactId, string>> {
  if (contactIds.length === 0) return new Map()
  await sql`
    insert into report_marks (account_id, contact_id, seq)
    select ${accountId}, g.contact_id, coalesce((
      select min(m.seq) - 1 from messages m where m.account_id = ${accountId} and m.contact_id = g.contact_id
    ), 0)
    from unnest(${[...new Set(contactIds)]}::text[]) as g (contact_id)
    order by 2
    on conflict (account_id, contact_id) do nothing
  `.execute(tx)
  const { rows } = await sql<{ contactId: ContactId; key: string }>`
    select contact_id, key from report_marks
    where account_id = ${accountId} and contact_id = any (${contactIds}::text[])
  `.execute(tx)
  return new Map(rows.map(({ contactId, key }) => [contactId, key]))
}
