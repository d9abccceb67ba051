import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId, LedgerId } from '../../platform/ids.ts'

/** An answer owed, identified by its conversation and the first message that it answers. */
export type Turn = { accountId: AccountId; contactId: ContactId; fromSeq: string | bigint }

/** `free`: this account is not metered. `gone`: the answer is no longer owed; another process has settled it. */
export type HoldOutcome = 'held' | 'not enough' | 'free' | 'gone'

/**
 * Holds credits for an answer, unless there is a hold for it already. The turn is read under a lock: a hold written
 * after the answer was settled would never be released. So is the existing hold, which may be released at this moment.
 */
export async function writeHold(db: Db, { accountId, contactId, fromSeq }: Turn, units: bigint): Promise<HoldOutcome> {
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
      update balances b set held = b.held + ${units}
      from turn
      where b.account_id = turn.account_id and b.balance - b.held >= ${units} and not exists (select from standing)
      returning b.account_id
    ), kept as (
      insert into holds (account_id, contact_id, from_seq, amount)
      select account_id, ${contactId}, ${fromSeq}, ${units} from taken
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

export type UsageRow = Turn & { entryId: LedgerId; description: string; actor: string }

/**
 * `requestsRecharge`: it left less than the threshold, and there was no request since the balance was last at the
 * threshold. `mayBeShort`: it left the threshold or more, which may still be less than the price of an answer. Both
 * amounts are in units.
 */
export type ChargeRow = { amount: string; balanceAfter: string; requestsRecharge: boolean; mayBeShort: boolean }

/** Charges the hold for an answer: lowers the balance and writes the movement. Undefined: there was no hold. */
export async function writeCharge(tx: Tx, usage: UsageRow): Promise<ChargeRow | undefined> {
  const { accountId, contactId, fromSeq, entryId, description, actor } = usage
  const { rows } = await sql<ChargeRow>`
    with settled as (
      delete from holds
      where account_id = ${accountId} and contact_id = ${contactId} and from_seq = ${fromSeq}
      returning account_id, contact_id, from_seq, amount
    ), spent as (
      update balances b
      set balance = b.balance - h.amount, held = b.held - h.amount, version = b.version + 1,
        recharge_asked_version = case when b.balance - h.amount < b.recharge_threshold then
          case when b.balance >= b.recharge_threshold then b.version + 1
            else coalesce(b.recharge_asked_version, b.version + 1) end end
      from settled h
      where b.account_id = h.account_id
      returning b.account_id, b.balance, b.version, b.recharge_asked_version, b.recharge_threshold, h.contact_id,
        h.from_seq, h.amount
    ), noted as (
      insert into ledger (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after,
        description, actor, contact_id, from_seq)
      select account_id, ${entryId}, version, 'usage', account_id, 'credits', account_id, 'usage', amount, balance,
        ${description}, ${actor}, contact_id, from_seq
      from spent
    )
    select amount, balance as balance_after, coalesce(recharge_asked_version = version, false) as requests_recharge,
      coalesce(balance >= recharge_threshold, false) as may_be_short
    from spent
  `.execute(tx)
  return rows[0]
}
