import { sql } from 'kysely'
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
  /** When it arrived; null: it has not. */
  sentMs: number | null
  /** It has not arrived, and is not tried any more. */
  isFailed: boolean
}

export type DueThread = {
  contactId: ContactId
  /** The last message that was read, and whether there are more. */
  toSeq: string
  isCut: boolean
  messages: DueMessage[]
  /** After which messages somebody closed the conversation. */
  closedAfter: number[]
}

/** Milliseconds since 1970. */
const ms = (column: string) => sql`floor(extract(epoch from ${sql.ref(column)}) * 1000)::float8`

/**
 * Messages of these contacts that are not counted. One statement: the last number of a conversation and its messages were
 * committed together, those with smaller numbers before that, and so was whatever somebody did before a message.
 */
export async function readDueThreads(
  tx: Tx,
  accountId: AccountId,
  { contactIds, messagesOfEach }: { contactIds: ContactId[]; messagesOfEach: number },
): Promise<DueThread[]> {
  const { rows } = await sql<DueThread>`
    with due as materialized (
      select c.contact_id, c.last_seq, coalesce(k.seq, (
        select min(m.seq) - 1 from messages m where m.account_id = ${accountId} and m.contact_id = c.contact_id
      ), 0) as after_seq
      from conversations c
      left join report_marks k on k.account_id = ${accountId} and k.contact_id = c.contact_id
      where c.account_id = ${accountId} and c.contact_id = any (${contactIds}::text[]) and not c.is_simulated
        and c.last_seq > coalesce(k.seq, 0)
    )
    select d.contact_id, least(d.last_seq, d.after_seq + ${messagesOfEach}) as to_seq,
      d.last_seq > d.after_seq + ${messagesOfEach} as is_cut,
      coalesce((
        select json_agg(json_build_object(
          'id', m.id, 'seq', m.seq, 'atMs', ${ms('m.created_at')}, 'direction', m.direction, 'author', m.author,
          'kind', m.kind, 'isBroadcast', m.broadcast_id is not null, 'label', coalesce(m.channel, 'custom'), 'sentMs', ${ms('o.sent_at')},
          'isFailed', o.id is not null and o.sent_at is null and o.due_at is null and o.lease_token is null
        ) order by m.seq)
        from messages m left join deliveries o on o.account_id = ${accountId} and o.id = m.id
        where m.account_id = ${accountId} and m.contact_id = d.contact_id and m.seq > d.after_seq
          and m.seq <= d.after_seq + ${messagesOfEach} and m.seq <= d.last_seq
      ), '[]') as messages,
      coalesce((
        select json_agg(e.seq) from conversation_events e
        where e.account_id = ${accountId} and e.contact_id = d.contact_id and e.kind = 'closed' and e.seq >= d.after_seq
      ), '[]') as closed_after
    from due d order by d.contact_id
  `.execute(tx)
  return rows
}

export type Mark = { contactId: ContactId; seq: string; channels: number[] }

/** Says how far conversations are counted, and returns their keys. It fails (23503) when a contact was erased meanwhile. */
export async function moveMarks(tx: Tx, accountId: AccountId, marks: Mark[]): Promise<Map<ContactId, string>> {
  const { rows } = await sql<{ contactId: ContactId; key: string }>`
    insert into report_marks as k (account_id, contact_id, seq, channels)
    select ${accountId}, g."contactId", g.seq, g.channels
    from json_to_recordset(${JSON.stringify(marks)}) as g ("contactId" text, seq bigint, channels integer[])
    order by g."contactId"
    on conflict (account_id, contact_id) do update set seq = greatest(k.seq, excluded.seq),
      channels = case when excluded.channels <@ k.channels then k.channels else array(
        select unnest(k.channels) union select unnest(excluded.channels)
      ) end
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
  await sql`
    insert into report_waiting as w
      (account_id, contact_id, quarter, channel, messages, first_seq, first_at, last_seq)
    select ${accountId}, g."contactId", to_timestamp(g.quarter / 1000), g.channel, g.messages, g."firstSeq",
      to_timestamp(g."firstAtMs" / 1000), g."lastSeq"
    from json_to_recordset(${JSON.stringify(rows)}) as g (
      "contactId" text, quarter float8, channel integer, messages integer, "firstSeq" bigint, "firstAtMs" float8,
      "lastSeq" bigint
    )
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
