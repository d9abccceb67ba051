import { sql } from 'kysely'
import { leaseSeconds } from '../../outbox/owe-events.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'

/** An answer owed, which this process alone may give until its lease runs out. */
export type Turn = {
  accountId: AccountId
  contactId: ContactId
  /** The first message that it answers, and the last one that was there when it was claimed. */
  fromSeq: bigint
  claimedSeq: bigint
  token: string
  /** How often it was begun, this time included. */
  attempts: number
  /** How often an answer was thrown away because the contact had gone on writing. */
  superseded: number
  /** It has waited for credits. */
  isParked: boolean
}

/** So often an answer is thrown away because the contact goes on writing; then it is given, and the rest is another turn. */
export const mostSuperseded = 2

/**
 * Holds on to leases. Tells of each that is still held whether the contact has written again meanwhile. It waits for
 * nobody: who holds one of many rows and waits for another may wait in a circle with those who take messages in. A row
 * that is held by another just now is held on to a second later; the lease is long enough.
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

/** Lets go of a turn, if it is still ours, to be claimed again so much later. What is new counts its attempts from the start. */
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
      // Of one that was parked, it is when it would have waited too long.
      dueAt: sql`greatest(case when parked_units is null then due_at end, now() + ${seconds} * interval '1 second')`,
    })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .where('leaseToken', '=', token)
    .execute()
}

/** Lets go of a turn until its account has so many units of credit, or until that has lasted for so long. */
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

/** The row of a turn that is still ours, held until the transaction ends. */
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

/** The turn is done. What came after it was claimed is a turn of its own. */
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

/** The first message that it would have answered; undefined when none was owed. */
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

/** Owes an answer to what the contact wrote after the last message that left. */
export async function oweOldAnswer(tx: Tx, { accountId, contactId }: Key): Promise<void> {
  await sql`
    insert into turns (account_id, contact_id, due_at, from_seq, last_seq)
    select account_id, contact_id, now(), min(seq), max(seq)
    from messages
    where account_id = ${accountId} and contact_id = ${contactId} and direction = 'incoming' and kind = 'text' and seq > (
      select coalesce(max(seq), 0) from messages
      where account_id = ${accountId} and contact_id = ${contactId} and direction = 'outgoing'
    )
    group by account_id, contact_id
  `.execute(tx)
}
