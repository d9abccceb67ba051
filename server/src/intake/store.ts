import { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import type { Tx } from '../platform/db.ts'
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
  // Named, so that it is planned once a connection: planning takes longer than keeping thirty messages.
  const { rows: kept } = await pool.query({ name: 'keep-messages', text: statement, values: [JSON.stringify(rows)] })
  return kept.map(({ id, is_new: isNew }) => (id === null ? undefined : { id, isNew }))
}

/** The same for one message inside a transaction. */
export async function keepMessage(tx: Tx, row: IncomingRow): Promise<Kept | undefined> {
  const { rows } = await tx.executeQuery<Kept | { id: null }>(CompiledQuery.raw(statement, [JSON.stringify([row])]))
  const [kept] = rows
  return kept?.id ? kept : undefined
}

/**
 * Tables are asked through `lateral … limit 1`, which can only be done row by row through an index: the plan is made
 * once, perhaps on empty tables, and must stay right with millions of rows.
 *
 * Everything looks at the data as they were when the statement began; what this statement writes is read from
 * `returning`. Rows are written in the order of account and sender, the same in every process, so that two statements
 * wait for each other in a line and not in a ring. Sequence numbers come from the conversation's row, whose lock also
 * makes two batches for one conversation follow each other; a copy that loses a race leaves a gap, which is allowed.
 */
const statement = `
with input as materialized (
  select given.*, given.ordinality as n
  from rows from (
    json_to_recordset($1) as (
      "accountId" text, "messageId" text, "contactId" text, "messageSid" text, "fromId" text, "toId" text, body text,
      status text, kind text, channel text, "campaignId" text, "firstName" text, "lastName" text, email text,
      "owesAnswer" boolean
    )
  ) with ordinality as given
), seen as materialized (
  select i.n, m.id from input i
  cross join lateral (
    select id from messages where account_id = i."accountId" and message_sid = i."messageSid" limit 1
  ) m
), fresh as materialized (
  select i.*, row_number() over (partition by "accountId", "fromId" order by n) as place
  from input i where n not in (select n from seen)
), senders as materialized (
  select "accountId", "fromId", count(*) as messages, min("contactId") as "contactId",
    (array_agg("firstName" order by n) filter (where "firstName" is not null))[1] as "firstName",
    (array_agg("lastName" order by n) filter (where "lastName" is not null))[1] as "lastName",
    (array_agg(email order by n) filter (where email is not null))[1] as email,
    (array_agg(channel order by n desc) filter (where channel is not null))[1] as channel
  from fresh group by "accountId", "fromId"
), known as materialized (
  select s.*, c.id,
    (c.first_name is null and s."firstName" is not null or c.last_name is null and s."lastName" is not null
      or c.email is null and s.email is not null) as fills_a_blank
  from senders s
  cross join lateral (
    select id, first_name, last_name, email from contacts
    where account_id = s."accountId" and external_id = s."fromId" limit 1
  ) c
), filled as (
  update contacts c
  set first_name = coalesce(c.first_name, k."firstName"), last_name = coalesce(c.last_name, k."lastName"),
    email = coalesce(c.email, k.email)
  from known k
  where k.fills_a_blank and c.account_id = k."accountId" and c.id = k.id
), met as (
  insert into contacts (account_id, id, external_id, first_name, last_name, email)
  select "accountId", "contactId", "fromId", "firstName", "lastName", email
  from senders s
  where not exists (select from known k where k."accountId" = s."accountId" and k."fromId" = s."fromId")
  order by "accountId", "fromId"
  on conflict (account_id, external_id) where external_id is not null do nothing
  returning account_id, id, external_id
), people as (
  select "accountId", "fromId", id, messages, channel from known
  union all
  select s."accountId", s."fromId", m.id, s.messages, s.channel
  from senders s join met m on m.account_id = s."accountId" and m.external_id = s."fromId"
), talks as (
  insert into conversations as c (account_id, contact_id, channel, last_seq)
  select "accountId", id, channel, messages from people
  order by "accountId", "fromId"
  on conflict (account_id, contact_id) do update
  set last_seq = c.last_seq + excluded.last_seq, channel = coalesce(excluded.channel, c.channel)
  returning account_id, contact_id, last_seq, quiet_ms
), kept as (
  insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, campaign_id,
    message_sid, to_id)
  select f."accountId", f."messageId", p.id, t.last_seq - p.messages + f.place, 'incoming', 'contact', f.kind,
    f.status, f.body, f.channel, f."campaignId", f."messageSid", f."toId"
  from fresh f
  join people p on p."accountId" = f."accountId" and p."fromId" = f."fromId"
  join talks t on t.account_id = p."accountId" and t.contact_id = p.id
  order by f."accountId", f."fromId", f.n
  on conflict (account_id, message_sid) where message_sid is not null do nothing
  returning account_id, id, contact_id, seq
), owed as (
  insert into turns as w (account_id, contact_id, due_at, from_seq, last_seq)
  select k.account_id, k.contact_id, now() + min(t.quiet_ms) * interval '1 ms', min(k.seq), max(k.seq)
  from kept k
  join fresh f on f."messageId" = k.id and f."owesAnswer"
  join talks t on t.account_id = k.account_id and t.contact_id = k.contact_id
  group by k.account_id, k.contact_id
  on conflict (account_id, contact_id) do update
  set last_seq = excluded.last_seq, due_at = least(w.first_at + interval '15 s', excluded.due_at)
)
select coalesce(s.id, k.id) as id, k.id is not null as is_new
from input i
left join seen s on s.n = i.n
left join kept k on k.id = i."messageId"
order by i.n
`
