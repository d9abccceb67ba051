import { sql } from 'kysely'
import type { Db } from '../platform/db.ts'
import type { AccountId } from '../platform/ids.ts'

/** Another threshold is watched anew; the same one stays as it is, so that saying it twice asks for nothing twice. */
export async function saveRecharge(
  db: Db,
  accountId: AccountId,
  recharge: { threshold: bigint; amount: bigint } | undefined,
): Promise<void> {
  const [threshold, amount] = [recharge?.threshold ?? null, recharge?.amount ?? null]
  await sql`
    insert into balances as b (account_id, recharge_threshold, recharge_amount)
    values (${accountId}, ${threshold}, ${amount})
    on conflict (account_id) do update
    set recharge_threshold = excluded.recharge_threshold, recharge_amount = excluded.recharge_amount,
      recharge_asked_version = case when b.recharge_threshold = excluded.recharge_threshold
        then b.recharge_asked_version end
  `.execute(db)
}
