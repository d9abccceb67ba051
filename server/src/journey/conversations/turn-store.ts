/**
 * Entry of the turns: a turn is one answer that is owed, a row with a lease. It is claimed in `claim-store.ts`, renewed
 * by `heartbeat.ts`, and postponed, parked or ended here.
 */

import { sql } from 'kysely'
import { leaseSeconds } from '../../outbox/enqueue-events.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'

/** An answer that is owed. Only the process that holds its lease may give it. */
export type Turn = {
  accountId: AccountId
  contactId: ContactId
  /** The first message that it answers, and the last one that was there when it was claimed. */
  fromSeq: bigint
  claimedSeq: bigint
  token: string
  /** How often it was claimed, this time included. */
  attempts: number
  /** How often an answer was discarded because the contact had written again. */
  superseded: number
  /** The `traceparent` of the request with the last message that had one. */
  trace: string | null
  /** It has waited for credits. */
  isParked: boolean
}

/** After so many discarded answers the next is given although the contact has written again; the rest is a new turn. */
export const mostSuperseded = 2

/**
 * Renews leases. Returns for each lease that is still held whether the contact has written again. It waits for no lock:
 * holding some rows while it waits for another could deadlock with intake. A row that is locked is skipped and renewed
 * a second later; the lease is long enough.
 */
export async function renewLeases(db: Db, turns: Turn[]): Promise<Map<string, { hasNewer: boolean }>> {
  const keys = turns.map(({ accountId, contactId, token }) => ({ accountId, contactId, token }))
  const { rows } = await sql<{ token: string; hasNewer: boolean }>`
    with held as materialized (
      select k."accountId" as account_id, k."contactId" as contact_id, k.token
      from json_to_recordset(${JSON.stringify(keys)}) as k ("accountId" text, "contactId" text, token uuid)
    ), free as (
      select t.account_id, t.contact_id
      from held h join turns t on t.account_id = h.account_id and t.contact_id = h.contact_id and t.lease_token = h.token
      order by t.account_id, t.contact_id
      for no key update of t skip locked
    ), renewed as (
      update turns t
      set leased_until = now() + ${leaseSeconds} * interval '1 second'
      from free f
      where t.account_id = f.account_id and t.contact_id = f.contact_id
    )
    select t.lease_token as token, t.last_seq > t.claimed_seq as has_newer
    from held h join turns t on t.account_id = h.account_id and t.contact_id = h.contact_id and t.lease_token = h.token
  `.execute(db)
  return new Map(rows.map(({ token, hasNewer }) => [token, { hasNewer }]))
}

/** Releases the lease, if it is still ours; the turn is due again in `seconds`. A new message resets its attempts. */
export async function postponeTurn(
  db: Db,
  { accountId, contactId, token }: Turn,
  { seconds, attempts, isSuperseded = false }: { seconds: number; attempts: number; isSuperseded?: boolean },
): Promise<void> {
  await db
    .updateTable('turns')
    .set({
      leaseToken: null,
      leasedUntil: null,
      attempts: sql`case when last_seq > claimed_seq then 0 else ${attempts}::integer end`,
      superseded: isSuperseded ? sql`superseded + 1` : sql`superseded`,
      parkedUnits: null,
      // The due_at of a parked turn is its deadline, not a time to wait for.
      dueAt: sql`greatest(case when parked_units is null then due_at end, now() + ${seconds} * interval '1 second')`,
    })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .where('leaseToken', '=', token)
    .execute()
}

/** Releases the lease until the account has `units` of credit, or until `seconds` have passed. */
export async function parkTurn(
  tx: Tx,
  { accountId, contactId, token, attempts }: Turn,
  { units, seconds }: { units: bigint; seconds: number },
): Promise<void> {
  await tx
    .updateTable('turns')
    .set({ leaseToken: null, leasedUntil: null, attempts: attempts - 1, parkedUnits: String(units) })
    .set({ dueAt: sql`now() + ${seconds} * interval '1 second'` })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .where('leaseToken', '=', token)
    .execute()
}

/** Locks the turn until the transaction ends; undefined when its lease is not ours any more. */
export async function lockTurn(tx: Tx, turn: Turn): Promise<{ lastSeq: bigint } | undefined> {
  const row = await tx
    .selectFrom('turns')
    .select('lastSeq')
    .where('accountId', '=', turn.accountId)
    .where('contactId', '=', turn.contactId)
    .where('leaseToken', '=', turn.token)
    .forUpdate()
    .executeTakeFirst()
  return row && { lastSeq: BigInt(row.lastSeq) }
}

/** Ends the turn. Messages that came after its claim become a new turn. */
export async function endTurn(tx: Tx, { accountId, contactId, claimedSeq }: Turn, lastSeq: bigint): Promise<void> {
  if (lastSeq <= claimedSeq) return void (await deleteTurn(tx, { accountId, contactId }))
  await tx
    .updateTable('turns')
    .set({ fromSeq: String(claimedSeq + 1n), firstAt: sql`now()`, leaseToken: null, leasedUntil: null })
    .set({ attempts: 0, superseded: 0, parkedUnits: null })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .execute()
}

/** Returns the first message it would have answered; undefined when no answer was owed. */
export async function deleteTurn(tx: Tx, { accountId, contactId }: Key): Promise<bigint | undefined> {
  const row = await tx
    .deleteFrom('turns')
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .returning('fromSeq')
    .executeTakeFirst()
  return row && BigInt(row.fromSeq)
}

type Key = Pick<Turn, 'accountId' | 'contactId'>

/** Creates a turn for what the contact wrote after the last outgoing message, and says where that begins. */
export async function oweOldAnswer(tx: Tx, { accountId, contactId }: Key): Promise<bigint | undefined> {
  const { rows } = await sql<{ fromSeq: string }>`
    insert into turns (account_id, contact_id, due_at, from_seq, last_seq)
    select account_id, contact_id, now(), min(seq), max(seq)
    from messages
    where account_id = ${accountId} and contact_id = ${contactId} and direction = 'incoming' and kind = 'text' and seq > (
      select coalesce(max(seq), 0) from messages
      where account_id = ${accountId} and contact_id = ${contactId} and direction = 'outgoing'
    )
    group by account_id, contact_id
    returning from_seq
  `.execute(tx)
  return rows[0] && BigInt(rows[0].fromSeq)
}
