import { sql } from 'kysely'
import { breaksAfter, type LeasedEvent } from '../../../../outbox/enqueue-events.ts'
import { makeWaitingDue } from '../../../../outbox/receiver-store.ts'
import type { Tx } from '../../../../platform/database/db.ts'
import { receiptWithin } from '../../../messages/status-store.ts'
import type { BegunPart } from './begin-store.ts'
import { failedWords } from './failure-store.ts'

type Ref = Pick<LeasedEvent, 'accountId' | 'id' | 'token'>
type PartRef = Ref & { n: number }

/** What the parts of a message are together. `failed`: the provider's words for one that a receipt says did not arrive. */
export type Whole = { isAll: boolean; failed: string | null; hasReceipts: boolean }

/**
 * The receiver has it. What receipts have said meanwhile of the same request stays: that it arrived, or that it failed. What they say of
 * one before it, which has failed or was in doubt, does not keep this one from being taken.
 */
export async function writeAccepted(tx: Tx, { accountId, id, n }: PartRef, providerId: string): Promise<Whole> {
  const hasFailed = sql`p.failed_at is not null and p.provider_id = ${providerId}`
  await sql`
    update delivery_parts p
    set accepted_at = case when ${hasFailed} then null else coalesce(p.accepted_at, now()) end,
      failed_at = case when ${hasFailed} then p.failed_at end, error_code = case when ${hasFailed} then p.error_code end,
      error_detail = case when ${hasFailed} then p.error_detail end,
      provider_id = ${providerId}, attempts = attempts + 1, doubt_since = null
    where account_id = ${accountId} and delivery_id = ${id} and n = ${n}
  `.execute(tx)
  return readWhole(tx, { accountId, id })
}

/** What receipts have said by now of a part whose answer says nothing good; undefined: nothing. */
export async function readReceipt(tx: Tx, { accountId, id, n }: PartRef): Promise<Whole | undefined> {
  const { numAffectedRows = 0n } = await sql`
    update delivery_parts set attempts = attempts + 1, doubt_since = null
    where account_id = ${accountId} and delivery_id = ${id} and n = ${n} and (accepted_at is not null or failed_at is not null)
  `.execute(tx)
  return numAffectedRows > 0n ? readWhole(tx, { accountId, id }) : undefined
}

export async function readWhole(tx: Tx, { accountId, id }: Pick<Ref, 'accountId' | 'id'>): Promise<Whole> {
  const { rows } = await sql<Whole>`
    select bool_and(o.accepted_at is not null) as is_all, bool_or(o.provider_says is not null) as has_receipts,
      (array_agg(${failedWords} order by o.n) filter (where o.failed_at is not null))[1] as failed
    from delivery_parts o where o.account_id = ${accountId} and o.delivery_id = ${id}
  `.execute(tx)
  return rows[0] ?? { isAll: false, failed: null, hasReceipts: false }
}

/** Of a message that was sent: what receipts have said of all its parts, and until when more is heard, if its kind tells. */
export async function writeAwaited(
  tx: Tx,
  { accountId, id }: Pick<Ref, 'accountId' | 'id'>,
  { tells }: { tells: boolean },
): Promise<void> {
  await sql`
    update deliveries d
    set attempts = greatest(d.attempts, 1), delivered_at = coalesce(d.delivered_at, w.delivered_at), read_at = coalesce(d.read_at, w.read_at),
      awaits_receipt_until = case when ${tells} and w.delivered_at is null then now() + interval '${sql.raw(receiptWithin)}' end
    from (
      select case when bool_and(o.delivered_at is not null) then max(o.delivered_at) end as delivered_at,
        case when bool_and(o.read_at is not null) then max(o.read_at) end as read_at
      from delivery_parts o where o.account_id = ${accountId} and o.delivery_id = ${id}
    ) as w
    where d.account_id = ${accountId} and d.id = ${id} and d.sent_at is not null
  `.execute(tx)
}

/** `counts`: it was an attempt. */
type NotSent = { counts: boolean; code?: string | null; detail?: string | null }

/**
 * It did not arrive this time, for certain. One that leaves for the first time is as if it had never begun; what was a resend was
 * none, and what was in doubt before still is.
 */
export async function writeNotSent(
  tx: Tx,
  { accountId, id }: Ref,
  { n, isResend, wasResent }: Pick<BegunPart, 'n' | 'isResend' | 'wasResent'>,
  { counts, code = null, detail = null }: NotSent,
): Promise<void> {
  await sql`
    update delivery_parts
    set begun_at = case when ${isResend} then begun_at end,
      doubt_since = case when ${isResend} then coalesce(doubt_since, begun_at) end,
      resent_at = case when ${wasResent} then resent_at end,
      attempts = attempts + ${counts ? 1 : 0}, waits = waits + ${counts ? 0 : 1}, error_code = ${code}, error_detail = ${detail}
    where account_id = ${accountId} and delivery_id = ${id} and n = ${n}
  `.execute(tx)
}

/** Nobody knows whether it arrived. */
export async function writeDoubt(tx: Tx, { accountId, id, n }: PartRef, detail: string): Promise<void> {
  await sql`
    update delivery_parts set doubt_since = coalesce(doubt_since, now()), attempts = attempts + 1, error_detail = ${detail}
    where account_id = ${accountId} and delivery_id = ${id} and n = ${n}
  `.execute(tx)
}

/**
 * Lets go of the lease: the message is due after so many seconds, and none overtakes it, because this was no attempt of it. False:
 * the lease is another's, and nothing is written.
 */
export async function releaseFor(
  tx: Tx,
  { accountId, id, token }: Ref,
  { seconds, isInDoubt }: { seconds: number; isInDoubt: boolean | null },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update deliveries
    set lease_token = null, leased_until = null, due_at = now() + ${seconds} * interval '1 s', doubt_since = ${doubtAfter(isInDoubt)}
    where account_id = ${accountId} and id = ${id} and lease_token = ${token}
  `.execute(tx)
  return numAffectedRows > 0n
}

function doubtAfter(isInDoubt: boolean | null) {
  if (isInDoubt === null) return sql`doubt_since`
  return isInDoubt ? sql`coalesce(doubt_since, now())` : sql`null`
}

/** Whether the lease is still ours, until the transaction ends. */
export async function holdLease(tx: Tx, { accountId, id, token }: Ref): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries where account_id = ${accountId} and id = ${id} and lease_token = ${token} for update
  `.execute(tx)
  return rows.length > 0
}

/** What was called, which is no address: there is a secret in that. And whether it is in doubt; null: as it was. */
export async function writeCalled(
  tx: Tx,
  { accountId, id }: Ref,
  { called, isInDoubt }: { called: string | undefined; isInDoubt: boolean | null },
): Promise<void> {
  await sql`
    update deliveries
    set last_url = case when last_url is null then null else coalesce(${called ?? null}, last_url) end,
      doubt_since = ${doubtAfter(isInDoubt)}
    where account_id = ${accountId} and id = ${id}
  `.execute(tx)
}

/** The provider has asked that nothing is sent for so long. */
export async function pauseChannelFor(
  tx: Tx,
  { accountId, receiverId }: Pick<LeasedEvent, 'accountId' | 'receiverId'>,
  seconds: number,
): Promise<void> {
  await sql`
    update channel_rates set paused_until = greatest(paused_until, now() + ${seconds} * interval '1 s')
    where account_id = ${accountId} and channel_id = ${receiverId}
  `.execute(tx)
}

/**
 * They take nothing from this channel: its provider has answered that. Returns whether that is new. By whole seconds, as providers tell times: who writes in the same
 * second takes it again.
 */
export async function writeBlocked(
  tx: Tx,
  { accountId, contactId, receiverId }: Pick<LeasedEvent, 'accountId' | 'contactId' | 'receiverId'>,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update contact_channels set stopped_at = date_trunc('second', now()), stop_scope = 'all', stop_source = 'provider'
    where account_id = ${accountId} and contact_id = ${contactId} and channel_id = ${receiverId} and stopped_at is null
  `.execute(tx)
  return numAffectedRows > 0n
}

/**
 * The provider was silent once more: too many of these in a row open the circuit breaker, and nothing leaves but probes, each of
 * which comes later than the one before.
 */
export async function countSilence(
  tx: Tx,
  { accountId, receiverId, isProbe }: Pick<LeasedEvent, 'accountId' | 'receiverId' | 'isProbe'>,
): Promise<void> {
  await sql`
    update receivers
    set failures_in_row = failures_in_row + 1, failing_since = coalesce(failing_since, now()),
      probe_wait_seconds = case when ${isProbe} then least(2 * probe_wait_seconds, 60) else probe_wait_seconds end,
      probe_at = case when failures_in_row + 1 < ${breaksAfter} then null
        when ${isProbe} then now() + least(2 * probe_wait_seconds, 60) * interval '1 s'
        else greatest(probe_at, now() + interval '1 s') end
    where account_id = ${accountId} and id = ${receiverId}
  `.execute(tx)
}

/** A probe that was not made says nothing: the next one may be made at once. */
export async function giveBackProbe(
  tx: Tx,
  { accountId, receiverId }: Pick<LeasedEvent, 'accountId' | 'receiverId'>,
): Promise<void> {
  await sql`
    update receivers set probe_at = now() where account_id = ${accountId} and id = ${receiverId} and probe_at is not null
  `.execute(tx)
}

/** The provider answers again: the circuit breaker closes, and what waited is due. */
export async function endSilence(tx: Tx, receiver: Pick<LeasedEvent, 'accountId' | 'receiverId'>): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update receivers set failures_in_row = 0, failing_since = null, probe_at = null, probe_wait_seconds = 1
    where account_id = ${receiver.accountId} and id = ${receiver.receiverId} and failures_in_row >= ${breaksAfter}
  `.execute(tx)
  if (numAffectedRows > 0n) await makeWaitingDue(tx, receiver)
}
