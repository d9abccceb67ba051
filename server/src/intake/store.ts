import { CompiledQuery, sql } from 'kysely'
import type { Pool } from 'pg'
import { gatherPeople, meetPeople } from '../contacts/meet-people.ts'
import { takePlaces } from '../messages/place-store.ts'
import type { Db, Tx } from '../platform/db.ts'
import type { AccountId, ContactId, MessageId } from '../platform/ids.ts'
import { hasSqlState } from '../platform/sql-state.ts'

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
    if (hasSqlState(error, '23505')) return keep('keep-messages-beside-copies')
    throw error
  })
  return outcomes(rows, found)
}

/** The same for one message inside a transaction. */
export async function keepMessage(tx: Tx, row: IncomingRow): Promise<Kept | undefined> {
  const { rows: found } = await tx.executeQuery<Found>(
    CompiledQuery.raw(statements['keep-messages-beside-copies'], parameters([row])),
  )
  return outcomes([row], found)[0]
}

/** People send a file and then say what it is: its answer waits for that, also where other answers do not wait. */
export async function waitAfterFile(tx: Tx, { accountId, messageId }: IncomingRow): Promise<void> {
  await sql`
    update turns t
    set due_at = greatest(t.due_at, now() + interval '2 s')
    from messages m
    where m.account_id = ${accountId} and m.id = ${messageId}
      and t.account_id = m.account_id and t.contact_id = m.contact_id
  `.execute(tx)
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

function parameters(rows: IncomingRow[]): [messages: string, people: string] {
  const { messages, people } = gatherPeople(rows)
  const given = messages.map(({ row, n, s, place }) => {
    const { accountId, messageId, messageSid, toId, body, status, kind, channel, campaignId, owesAnswer } = row
    const own = { accountId, messageId, messageSid, toId, body, status, kind, channel, campaignId, owesAnswer }
    return { n, s, place, ...own }
  })
  return [JSON.stringify(given), JSON.stringify(people)]
}

/** A copy that comes together with fresh messages leaves a gap in the sequence numbers, which is allowed. */
const statement = (onCopy: string) => `
with message as materialized (
  select m.*,
    (select id from messages where account_id = m."accountId" and message_sid = m."messageSid") as seen_id
  from json_to_recordset($1) as m (
    n integer, s integer, place integer, "accountId" text, "messageId" text, "messageSid" text, "toId" text, body text,
    status text, kind text, channel text, "campaignId" text, "owesAnswer" boolean
  )
), ${meetPeople('$2', 's in (select s from message where seen_id is null)')}, ${takePlaces('incoming')},
fresh as not materialized (
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
  set last_seq = excluded.last_seq, attempts = 0, due_at = least(excluded.due_at, w.first_at + interval '1 ms' * (
    select max_wait_ms from conversations c where c.account_id = w.account_id and c.contact_id = w.contact_id
  ))
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
