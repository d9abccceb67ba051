import { sql } from 'kysely'
import type { Db } from '../platform/db.ts'
import type { AccountId, LedgerId } from '../platform/ids.ts'

export type ReversalRow = {
  accountId: AccountId
  /** What is reversed. */
  reverses: LedgerId
  entryId: LedgerId
  description: string | null
  actor: string
}

/** The movement as it was, and the balance after it was taken back; undefined balance: that would take what is not there. */
export type Reversed = { kind: 'grant' | 'usage' | 'reversal'; amount: bigint; balanceAfter: bigint | undefined }

/** Writes the same movement the other way round. Undefined: there is no such movement. */
export async function writeReversal(db: Db, reversal: ReversalRow): Promise<Reversed | undefined> {
  const { accountId, reverses, entryId, description, actor } = reversal
  const { rows } = await sql<{ kind: Reversed['kind']; amount: string; balanceAfter: string | null }>`
    with wrong as materialized (
      select *, case when payer_purse = 'credits' then amount else -amount end as change
      from ledger where account_id = ${accountId} and id = ${reverses}
    ), moved as (
      update balances b
      set balance = b.balance + w.change, version = b.version + 1,
        recharge_asked_version = case when b.balance + w.change < b.recharge_threshold
          then b.recharge_asked_version end
      from wrong w
      where b.account_id = w.account_id and w.kind <> 'reversal' and b.balance - b.held + w.change >= 0
      returning b.account_id, b.balance, b.version
    ), written as (
      insert into ledger (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after,
        description, actor, reverses)
      select m.account_id, ${entryId}, m.version, 'reversal', w.payee_id, w.payee_purse, w.payer_id, w.payer_purse,
        w.amount, m.balance, ${description}, ${actor}, w.id
      from moved m cross join wrong w
      returning balance_after
    )
    select w.kind, w.amount, (select balance_after from written) as balance_after from wrong w
  `.execute(db)
  const [found] = rows
  if (!found) return undefined
  const balanceAfter = found.balanceAfter === null ? undefined : BigInt(found.balanceAfter)
  return { kind: found.kind, amount: BigInt(found.amount), balanceAfter }
}
