import { CompiledQuery, sql } from 'kysely'
import type { AddressNames, ContactAddress, OnChannel } from '../../../people/contacts/addresses/address-store.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../../../platform/ids.ts'
import { takeSequenceNumbers } from '../../messages/sequence-store.ts'
import { joinTurn } from '../store.ts'

/** A message that came over a built-in channel, whichever kind it is. */
export type ChannelMessage = OnChannel & {
  /** Unique in the account: the channel's id, a colon, and the provider's id of the message. */
  messageSid: string
  addresses: ContactAddress[]
  names: AddressNames
  kind: 'text' | 'reaction'
  body: string
  /** By the provider's clock. */
  at: number
  /** False: kept and shown, never answered. */
  mayBeAnswered: boolean
  file: ChannelFile | null
  /** The `messageSid`, or the provider's id of one of ours, that it answers. */
  replyTo: string | null
  data: Record<string, unknown>
  /** It is one of the words with which somebody takes nothing more from the channel, or takes it again. */
  stop?: 'stop' | 'start' | 'start if stopped' | undefined
  /** True: no language model answers, because strangers have used it enough. */
  isFreeOnly?: boolean | undefined
  /** What is written together with it. Throws what refuses the message. */
  also?: AlsoWritten | undefined
}

type AlsoWritten = {
  /** Before a new contact is made. */
  whenNew: (tx: Tx) => Promise<void>
  whenKept: (tx: Tx, kept: { contactId: ContactId; messageId: MessageId }) => Promise<void>
}

/** How the kind finds a file, and what is known of it. */
export type ChannelFile = {
  reference: Record<string, unknown>
  contentType: string
  fileName: string | null
  sizeBytes: number | null
  isTooLarge: boolean
}

type Ref = { accountId: AccountId; contactId: ContactId }
type Stored = Ref & { messageId: MessageId }

/** The number of the message in its conversation, and how long an answer waits for more. */
type Kept = { seq: string; quietMs: number }

/** Stores a message with its number and makes a missing conversation. Undefined: a message with this `messageSid` is there. */
export async function insertMessage(
  tx: Tx,
  { accountId, contactId, messageId }: Stored,
  { channelId, kind, body, messageSid }: ChannelMessage,
): Promise<Kept | undefined> {
  const given = [accountId, contactId, channelId, messageId, kind, body, messageSid]
  const { rows } = await tx.executeQuery<Kept>(CompiledQuery.raw(inserting, given))
  return rows[0]
}

const inserting = `
with contact as materialized (
  select 0 as s, 1 as messages, $1::text as "accountId", $2::text as id, $3::text as channel, null::text as "campaignId"
), ${takeSequenceNumbers('incoming')}, kept as (
  insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, message_sid)
  select $1, $4, $2, seq_before[1] + 1, 'incoming', 'contact', $5, 'received', $6, $3, $7
  from conversation
  on conflict (account_id, message_sid) where message_sid is not null do nothing
  returning seq
)
select k.seq, t.quiet_ms[1] as "quietMs" from kept k cross join conversation t
`

/** Whom the bot answers by itself; nobody where it is off. */
export async function isBotActive(tx: Tx, accountId: AccountId): Promise<boolean> {
  const row = await tx.selectFrom('accounts').select('botActive').where('id', '=', accountId).executeTakeFirst()
  return row?.botActive === true
}

/** An answer is owed to the message. After a file people explain it: the answer waits for that, too. */
export async function oweAnswer(
  tx: Tx,
  { accountId, contactId }: Ref,
  { seq, quietMs, leastMs }: Kept & { leastMs: number },
): Promise<void> {
  await sql`
    insert into turns as w (account_id, contact_id, due_at, from_seq, last_seq)
    values (${accountId}, ${contactId}, now() + ${Math.max(quietMs, leastMs)}::integer * interval '1 ms', ${seq}, ${seq})
    ${sql.raw(joinTurn)}
  `.execute(tx)
}

/** The turn that owes the answer is for an engine that costs nothing. */
export async function answerFree(tx: Tx, { accountId, contactId }: Ref): Promise<void> {
  await sql`
    update turns set is_free_only = true where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(tx)
}

/** What is known of the message besides its text, where there is anything. */
export async function insertDetails(
  tx: Tx,
  { accountId, messageId }: Stored,
  { at, replyTo, data }: Pick<ChannelMessage, 'at' | 'replyTo' | 'data'>,
): Promise<void> {
  const isLate = Math.abs(Date.now() - at) > shownFromMs
  if (!isLate && replyTo === null && Object.keys(data).length === 0) return
  const providerAt = isLate ? new Date(at) : null
  await tx
    .insertInto('messageDetails')
    .values({ accountId, messageId, providerAt, replyTo, data: JSON.stringify(data) })
    .execute()
}

/** A time of the provider that is as far from that of arrival is shown. */
const shownFromMs = 60_000

/** The file is fetched later, by its reference. */
export async function insertReference(
  tx: Tx,
  { accountId, messageId }: Stored,
  { reference, contentType, fileName, sizeBytes, isTooLarge }: ChannelFile,
): Promise<void> {
  await tx
    .insertInto('attachments')
    .values({
      ...{ accountId, messageId, contentType, fileName, reference: JSON.stringify(reference) },
      sizeBytes: sizeBytes === null ? null : String(sizeBytes),
      state: isTooLarge ? 'too large' : 'not fetched yet',
      dueAt: isTooLarge ? null : sql`now()`,
    })
    .execute()
}

/**
 * They have written: the address to write to, the name there, and they have not blocked us since. Returns whether they had. What the team
 * has closed the team opens. Who has stopped the messages to a telephone says by a word that they take them again, and by nothing else.
 */
export async function noteInbound(
  tx: Tx,
  { accountId, contactId }: Ref,
  { channelId, addresses, names, at }: Pick<ChannelMessage, 'channelId' | 'addresses' | 'names' | 'at'>,
): Promise<boolean> {
  const [first] = addresses
  if (!first) throw new Error('a message without an address')
  const { rows } = await sql<{ wasStopped: boolean }>`
    with before as (
      select stopped_at from contact_channels
      where account_id = ${accountId} and contact_id = ${contactId} and channel_id = ${channelId}
    ), written as (
    insert into contact_channels as c
      (account_id, contact_id, channel_id, address_kind, address, username, last_inbound_at)
    values (${accountId}, ${contactId}, ${channelId}, ${first.kind}, ${first.address}, ${names.username}, ${new Date(at)})
    on conflict (account_id, contact_id, channel_id) do update
    set address_kind = excluded.address_kind, address = excluded.address,
      username = coalesce(excluded.username, c.username),
      last_inbound_at = greatest(c.last_inbound_at, excluded.last_inbound_at),
      stopped_at = case when ${staysStopped} then c.stopped_at end,
      stop_scope = case when ${staysStopped} then c.stop_scope end,
      stop_source = case when ${staysStopped} then c.stop_source end
    returning stopped_at
    )
    select coalesce(b.stopped_at is not null and w.stopped_at is null, false) as was_stopped
    from written w left join before b on true
  `.execute(tx)
  return rows[0]?.wasStopped ?? false
}

const staysStopped = sql`(
  c.stop_scope = 'team' or excluded.address_kind = 'phone' or c.stopped_at > excluded.last_inbound_at
)`

/** Of reactions of this contact to this message, those before this one count no more, and nothing of them stays. */
export async function takeBackReactions(
  tx: Tx,
  { accountId, contactId }: Ref,
  { replyTo, except, at }: { replyTo: string; except: MessageId | null; at: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with taken as (
      update message_details d set removed_at = ${new Date(at)}
      where d.account_id = ${accountId} and d.reply_to = ${replyTo} and d.removed_at is null and d.message_id = any (array(
        select m.id from messages m
        where m.account_id = ${accountId} and m.contact_id = ${contactId} and m.kind = 'reaction'
          and m.id is distinct from ${except}
      ))
      returning d.message_id
    )
    update messages m set body = '' from taken t where m.account_id = ${accountId} and m.id = t.message_id
  `.execute(tx)
  return Number(numAffectedRows)
}

/** The message that was stored with this `messageSid`. */
export async function findBySid(
  db: Db,
  accountId: AccountId,
  messageSid: string,
): Promise<{ messageId: MessageId; contactId: ContactId } | undefined> {
  return db
    .selectFrom('messages')
    .select(['id as messageId', 'contactId'])
    .where('accountId', '=', accountId)
    .where('messageSid', '=', messageSid)
    .executeTakeFirst()
}

/** The new text of a message. An edit that comes late changes nothing of a later one. */
export async function writeEdit(
  tx: Tx,
  { accountId, messageId }: { accountId: AccountId; messageId: MessageId },
  { body, at }: { body: string; at: number },
): Promise<void> {
  await sql`
    insert into message_details as d (account_id, message_id, edited_body, edited_at)
    values (${accountId}, ${messageId}, ${body}, ${new Date(at)})
    on conflict (account_id, message_id) do update
    set edited_body = excluded.edited_body, edited_at = excluded.edited_at
    where d.edited_at is null or d.edited_at <= excluded.edited_at
  `.execute(tx)
}
