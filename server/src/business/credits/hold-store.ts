import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'

/** An answer owed, identified by its conversation and the first message that it answers. */
export type Turn = { accountId: AccountId; contactId: ContactId; fromSeq: string | bigint }

/** `free`: this account is not metered. `gone`: the answer is no longer owed; another process has settled it. */
export type HoldOutcome = 'held' | 'not enough' | 'free' | 'gone'

/** In units, all of it; `forMessage` is the part that is for the message with the answer. */
export type HeldUnits = { amount: bigint; forMessage: bigint }

/**
 * Holds credits for an answer, unless there is a hold for it already. The turn is read under a lock: a hold written
 * after the answer was settled would never be released. So is the existing hold, which may be released at this moment.
 */
export async function writeHold(
  db: Db,
  { accountId, contactId, fromSeq }: Turn,
  { amount, forMessage }: HeldUnits,
): Promise<HoldOutcome> {
  const { rows } = await sql<{ outcome: HoldOutcome }>`
    with payer as materialized (
      select id from accounts where id = ${accountId} and kind = 'subaccount'
    ), turn as materialized (
      select account_id from turns
      where account_id = ${accountId} and contact_id = ${contactId} and from_seq = ${fromSeq}
      for share
    ), standing as materialized (
      select amount from holds
      where account_id = ${accountId} and contact_id = ${contactId} and from_seq = ${fromSeq}
      for share
    ), taken as (
      update balances b set held = b.held + ${amount}
      from turn
      where b.account_id = turn.account_id and b.balance - b.held >= ${amount} and not exists (select from standing)
      returning b.account_id
    ), kept as (
      insert into holds (account_id, contact_id, from_seq, amount, for_message)
      select account_id, ${contactId}, ${fromSeq}, ${amount}, ${forMessage} from taken
      returning account_id
    )
    select case
      when not exists (select from payer) then 'free'
      when not exists (select from turn) then 'gone'
      when exists (select from standing) or exists (select from kept) then 'held'
      else 'not enough' end as outcome
  `.execute(db)
  return rows[0]?.outcome ?? 'gone'
}

/** Releases the hold for an answer; false when there was none. */
export async function removeHold(tx: Tx, { accountId, contactId, fromSeq }: Turn): Promise<boolean> {
  const { rows } = await sql`
    with released as (
      delete from holds
      where account_id = ${accountId} and contact_id = ${contactId} and from_seq = ${fromSeq}
      returning account_id, amount
    )
    update balances b set held = b.held - r.amount
    from released r
    where b.account_id = r.account_id
    returning b.account_id
  `.execute(tx)
  return rows.length > 0
}
