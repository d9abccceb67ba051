import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import type { Receipt } from '../../channels/kinds/kind.ts'
import type { ChannelRef } from '../../channels/store.ts'
import { receiptWithin } from '../../messages/status-store.ts'
import type { NamedPart, PartFacts } from './facts.ts'

/** A receipt names a part by our words for it, else by the provider's. */
type Named = Pick<Receipt, 'ours' | 'providerId'>

/**
 * Finds what these receipts are about, and until the transaction ends nobody else writes to it: messages before their parts and in the
 * order of their ids, as whoever settles one. What another channel or account has is not found.
 */
export async function lockNamed(
  tx: Tx,
  { accountId, id: channelId }: ChannelRef,
  receipts: readonly Named[],
): Promise<(NamedPart & { contactId: ContactId })[]> {
  const given = receipts.map(({ ours, providerId }, i) => ({ i, providerId, ...ours }))
  const { rows } = await sql<NamedPart & { contactId: ContactId }>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(given)}) as g (i integer, "providerId" text, "messageId" text, n integer)
    ), found as materialized (
      select g.i, p.delivery_id, p.n
      from given g join delivery_parts p on p.account_id = ${accountId} and p.delivery_id = g."messageId" and p.n = g.n
      where p.channel_id = ${channelId}
      union all
      select g.i, p.delivery_id, p.n
      from given g join delivery_parts p
        on p.account_id = ${accountId} and p.channel_id = ${channelId} and p.provider_id = g."providerId"
      where g."messageId" is null
    )
    select f.i, f.delivery_id, f.n, d.contact_id
    from found f join deliveries d on d.account_id = ${accountId} and d.id = f.delivery_id and d.receiver_id = ${channelId}
    order by d.id for update of d
  `.execute(tx)
  return rows
}

/** What has become of a part by receipts. */
export type ChangedPart = Pick<NamedPart, 'deliveryId' | 'n'> & {
  /** Nobody knew before that the provider has it. */
  isTakenNow: boolean
  hasFailedNow: boolean
  hasArrivedNow: boolean
}

/**
 * Writes down what is new of these parts, and returns those of which something is. Facts only move forward: what arrived never fails any
 * more. What failed is as if it had never left, so that a person may send it again; its provider's id stays, by which its late receipts
 * are known: of them only that it arrived still counts.
 */
export async function writeFacts(
  tx: Tx,
  { accountId }: ChannelRef,
  facts: readonly PartFacts[],
): Promise<ChangedPart[]> {
  const given = facts.map(({ failed, ...part }) => ({
    ...part,
    ...(failed && { failedAt: failed.at, code: failed.code, detail: failed.detail }),
  }))
  const { rows } = await sql<ChangedPart>`
    with known as materialized (
      select p.delivery_id, p.n, g."providerId", g."deliveredAt", g."readAt", g."failedAt", g.code, g.detail,
        g."deliveredAt" is not null and p.delivered_at is null as arrives,
        g."readAt" is not null and p.read_at is null as is_read,
        p.accepted_at is null and (g."deliveredAt" is not null or g."isTaken" and p.failed_at is null and ${isOfThisTime}) as takes,
        g."failedAt" is not null and p.delivered_at is null and p.failed_at is null and case
          when p.accepted_at is null then ${isOfThisTime}
          else coalesce(p.provider_id, g."providerId") = g."providerId"
        end as fails
      from json_to_recordset(${JSON.stringify(given)}) as g (
        "deliveryId" text, n integer, "providerId" text, "isTaken" boolean, "deliveredAt" float8, "readAt" float8, "failedAt" float8,
        code text, detail text
      ) join delivery_parts p on p.account_id = ${accountId} and p.delivery_id = g."deliveryId" and p.n = g.n
    )
    update delivery_parts p
    set accepted_at = case when k.fails then null when k.takes then now() else p.accepted_at end,
      provider_id = case when k.fails or k.takes then k."providerId" else coalesce(p.provider_id, k."providerId") end,
      delivered_at = coalesce(p.delivered_at, ${timeOf('deliveredAt')}),
      read_at = coalesce(p.read_at, ${timeOf('readAt')}),
      failed_at = case when k.fails then ${timeOf('failedAt')} when k.takes then null else p.failed_at end,
      begun_at = case when k.fails then null else p.begun_at end,
      doubt_since = case when k.fails or k.takes then null else p.doubt_since end,
      error_code = case when k.fails then k.code when k.takes then null else p.error_code end,
      error_detail = case when k.fails then k.detail when k.takes then null else p.error_detail end,
      provider_says = case when k.fails then 'failed' when k."readAt" is not null or p.read_at is not null then 'read'
        when k."deliveredAt" is not null or p.delivered_at is not null then 'delivered' else 'sent' end
    from known k
    where p.account_id = ${accountId} and p.delivery_id = k.delivery_id and p.n = k.n
      and (k.arrives or k.is_read or k.takes or k.fails)
    returning p.delivery_id, p.n, k.takes as is_taken_now, k.fails as has_failed_now, k.arrives as has_arrived_now
  `.execute(tx)
  return rows
}

/** It is about what leaves or has left last, and not what failed before that. */
const isOfThisTime = sql`p.provider_id is distinct from g."providerId"`

const timeOf = (at: 'deliveredAt' | 'readAt' | 'failedAt') => sql.raw(`to_timestamp(k."${at}" / 1000)`)

/** A message of which something has changed. `isTakenNow`: a part of it that nobody knew it of. `failed`: the words of its provider. */
export type ChangedMessage = { id: string; isTakenNow: boolean; failed: string | null }

/** What a message is after that: `leaves`: the rest of it; `isOver`: it is Sent, and was in doubt or Failed before. */
export type MessageAfter = { id: string; contactId: ContactId; leaves: boolean; isOver: boolean; wasGivenUp: boolean }

/**
 * What its parts make of a message: Sent when its provider has all of them, delivered or read when all are, Failed with one that failed.
 * One whose attempt is being made is settled by whoever makes it, who reads the same parts. `awaits_receipt_until` stays only where it was
 * over when the message failed: what was counted by then stays counted.
 */
export async function writeMessages(
  tx: Tx,
  { accountId }: ChannelRef,
  messages: readonly ChangedMessage[],
): Promise<MessageAfter[]> {
  const { rows } = await sql<MessageAfter>`
    with known as materialized (
      select g.id, g."isTakenNow", g.failed, w.*, d.sent_at, d.due_at is null and d.error_category is not null as was_given_up,
        coalesce(d.leased_until > now(), false) as is_leased, d.due_at is not null and d.doubt_since is not null as is_doubted
      from json_to_recordset(${JSON.stringify(messages)}) as g (id text, "isTakenNow" boolean, failed text)
      join deliveries d on d.account_id = ${accountId} and d.id = g.id
      cross join lateral (${wholeOf(accountId, 'g.id')}) as w
    ), judged as materialized (
      select *, not is_leased and failed is not null as fails, not is_leased and failed is null and is_taken and sent_at is null as is_over,
        not is_leased and failed is null and not is_taken and "isTakenNow" and is_doubted as leaves
      from known
    )
    update deliveries d
    set delivered_at = case when j.is_delivered then coalesce(d.delivered_at, j.last_delivered_at) else d.delivered_at end,
      read_at = case when j.is_read then coalesce(d.read_at, j.last_read_at) else d.read_at end,
      sent_at = case when j.fails then null when j.is_over then now() else d.sent_at end,
      due_at = case when j.fails or j.is_over then null when j.leaves then now() else d.due_at end,
      lease_token = case when ${isSettled} then null else d.lease_token end,
      leased_until = case when ${isSettled} then null else d.leased_until end,
      asked = case when j.fails or j.is_over then null else d.asked end,
      own_due_at = case when j.fails or j.is_over then null else d.own_due_at end,
      error_category = case when j.fails then 'not_delivered' when ${isSettled} then null else d.error_category end,
      error_http_status = case when ${isSettled} then null else d.error_http_status end,
      error_detail = case when j.fails then j.failed when ${isSettled} then null else d.error_detail end,
      doubt_since = case when ${isSettled} then null else d.doubt_since end,
      attempts = case when j.fails or j.is_over then greatest(d.attempts, 1) else d.attempts end,
      first_attempt_at = case when j.fails or j.is_over then coalesce(d.first_attempt_at, now()) else d.first_attempt_at end,
      last_attempt_at = case when j.fails or j.is_over then coalesce(d.last_attempt_at, now()) else d.last_attempt_at end,
      awaits_receipt_until = case when j.fails then case when d.awaits_receipt_until < now() then d.awaits_receipt_until end
        when j.is_delivered then null when j.is_over then now() + interval '${sql.raw(receiptWithin)}'
        else d.awaits_receipt_until end
    from judged j
    where d.account_id = ${accountId} and d.id = j.id
    returning d.id, d.contact_id, j.leaves, j.is_over, j.was_given_up
  `.execute(tx)
  return rows
}

const isSettled = sql`(j.fails or j.is_over or j.leaves)`

/** What the parts of a message say together. */
function wholeOf(accountId: AccountId, id: string) {
  return sql`
    select bool_and(o.accepted_at is not null) as is_taken, bool_and(o.delivered_at is not null) as is_delivered,
      bool_and(o.read_at is not null) as is_read, max(o.delivered_at) as last_delivered_at, max(o.read_at) as last_read_at
    from delivery_parts o where o.account_id = ${accountId} and o.delivery_id = ${sql.ref(id)}
  `
}

/** What was given up has arrived after all: results of broadcasts that say otherwise are looked at again. */
export async function markResults(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`update broadcast_marks set resent_at = clock_timestamp() where account_id = ${accountId}`.execute(tx)
}

/**
 * Counts receipts that say in a row that the sender may not send; any other end of a message begins anew. Returns how many there are.
 * `isEnded`: there was another one before them.
 */
export async function countNotRegistered(
  tx: Tx,
  { accountId, id }: ChannelRef,
  { count, isEnded }: { count: number; isEnded: boolean },
): Promise<number> {
  const { rows } = await sql<{ notRegistered: number }>`
    update channel_rates set not_registered = case when ${isEnded} then 0 else not_registered end + ${count}
    where account_id = ${accountId} and channel_id = ${id} and (${count} > 0 or not_registered > 0)
    returning not_registered
  `.execute(tx)
  return rows[0]?.notRegistered ?? 0
}
