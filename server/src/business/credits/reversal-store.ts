import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, LedgerId } from '../../platform/ids.ts'

export type ReversalRow = {
  accountId: AccountId
  /** What is reversed. */
  reverses: LedgerId
  entryId: LedgerId
  description: string | null
  actor: string
}

/** The original movement; and the balance after its reversal, null when it was not reversed. Both are in units. */
export type ReversalOutcome = {
  kind: 'grant' | 'usage' | 'reversal'
  amount: string
  wasReversed: boolean
  balanceAfter: string | null
}

/** Writes the movement in the opposite direction, if the balance covers it. Undefined: there is no such movement. */
export async function writeReversal(db: Db, reversal: ReversalRow): Promise<ReversalOutcome | undefined> {
  const { accountId, reverses, entryId, description, actor } = reversal
  const { rows } = await sql<ReversalOutcome>`
    with wrong as materialized (
      select w.*, case when w.payer_purse = 'credits' then w.amount else -w.amount end as change,
        exists (select from ledger r where r.account_id = w.account_id and r.reverses = w.id) as was_reversed
      from ledger w where w.account_id = ${accountId} and w.id = ${reverses}
    ), moved as (
      update balances b
      set balance = b.balance + w.change, version = b.version + 1,
        recharge_asked_version = case when greatest(b.balance, b.balance + w.change) < b.recharge_threshold
          then b.recharge_asked_version end
      from wrong w
      where b.account_id = w.account_id and w.kind <> 'reversal' and not w.was_reversed
        and b.balance - b.held + w.change >= 0
      returning b.account_id, b.balance, b.version
    ), written as (
      insert into ledger (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after,
        description, actor, reverses)
      select m.account_id, ${entryId}, m.version, 'reversal', w.payee_id, w.payee_purse, w.payer_id, w.payer_purse,
        w.amount, m.balance, ${description}, ${actor}, w.id
      from moved m cross join wrong w
      returning balance_after
    )
    select w.kind, w.amount, w.was_reversed, (select balance_after from written) as balance_after from wrong w
  `.execute(db)
  return rows[0]
}
