import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'

/** Credits that were spent, or given back, in units. `label`: of the message that was answered, where it is known. */
export type Spending = { n: string; atMs: number; units: string; label: string | null }

/** The next movements; they are numbered in the order of their commits. */
export async function readSpending(
  tx: Tx,
  accountId: AccountId,
  { afterN, limit }: { afterN: string; limit: number },
): Promise<Spending[]> {
  const { rows } = await sql<Spending>`
    select l.n, floor(extract(epoch from l.created_at) * 1000)::float8 as at_ms,
      case when l.payee_purse = 'usage' then l.amount when l.payer_purse = 'usage' then -l.amount else 0 end as units,
      case when m.id is not null then coalesce(m.channel, 'custom') end as label
    from ledger l
    left join ledger o on o.account_id = ${accountId} and o.id = coalesce(l.reverses, l.id)
    left join messages m on m.account_id = ${accountId} and m.contact_id = o.contact_id and m.seq = o.from_seq
    where l.account_id = ${accountId} and l.n > ${afterN}
    order by l.n limit ${limit}
  `.execute(tx)
  return rows
}

export async function moveLedgerN(tx: Tx, accountId: AccountId, n: string): Promise<void> {
  await sql`update report_accounts set ledger_n = ${n} where account_id = ${accountId}`.execute(tx)
}
