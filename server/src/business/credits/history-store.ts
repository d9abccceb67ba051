import { sql } from 'kysely'
import { acrossAccounts, type Db } from '../../platform/database/db.ts'
import type { AccountId, ContactId, LedgerId } from '../../platform/ids.ts'

export type Balance = {
  balance: bigint
  held: bigint
  recharge: { threshold: bigint; amount: bigint; isArmed: boolean } | undefined
}

const none: Balance = { balance: 0n, held: 0n, recharge: undefined }

/** An account without a row in `balances` has 0. */
export async function findBalances(db: Db, accountIds: AccountId[]): Promise<(accountId: AccountId) => Balance> {
  // Across accounts: an agency's list of its sub-accounts, whose ids the caller has found by the agency.
  const rows = await acrossAccounts(db)
    .selectFrom('balances')
    .select(['accountId', 'balance', 'held', 'rechargeThreshold', 'rechargeAmount', 'rechargeAskedVersion'])
    .where('accountId', '=', sql<AccountId>`any(${accountIds})`)
    .execute()
  const found = new Map(
    rows.map(({ accountId, balance, held, rechargeThreshold, rechargeAmount, rechargeAskedVersion }) => {
      const recharge =
        rechargeThreshold === null || rechargeAmount === null
          ? undefined
          : {
              threshold: BigInt(rechargeThreshold),
              amount: BigInt(rechargeAmount),
              isArmed: rechargeAskedVersion === null || BigInt(balance) >= BigInt(rechargeThreshold),
            }
      return [accountId, { balance: BigInt(balance), held: BigInt(held), recharge }]
    }),
  )
  return (accountId) => found.get(accountId) ?? none
}

export type EntryRow = {
  id: LedgerId
  n: string
  kind: 'grant' | 'usage' | 'reversal'
  /** The change in units, negative when it lowered the balance. */
  change: string
  balanceAfter: string
  description: string | null
  actor: string
  contactId: ContactId | null
  reverses: LedgerId | null
  createdAt: Date
}

/** A page of movements, newest first, with sequence numbers below `before`. */
export async function listEntries(
  db: Db,
  accountId: AccountId,
  { before, limit }: { before: bigint | undefined; limit: number },
): Promise<EntryRow[]> {
  let query = db
    .selectFrom('ledger')
    .select(['id', 'n', 'kind', 'balanceAfter', 'description', 'actor', 'contactId', 'reverses', 'createdAt'])
    .select(sql<string>`case when payer_purse = 'credits' then -amount else amount end`.as('change'))
    .where('accountId', '=', accountId)
    .orderBy('n', 'desc')
    .limit(limit)
  if (before !== undefined) query = query.where('n', '<', String(before))
  return query.execute()
}

/** All but the day in units. */
export type DayRow = Record<'day' | 'granted' | 'used' | 'reversed' | 'balance', string>

/**
 * The sums of each of the last days, in UTC, today included; every day has a row. Ids begin with their creation time,
 * so that earlier days need not be read; the margin of an hour covers clocks that differ.
 */
export async function sumDays(db: Db, accountId: AccountId, days: number): Promise<DayRow[]> {
  const { rows } = await sql<DayRow>`
    with first as materialized (
      select date_trunc('day', now() at time zone 'UTC') - ${days - 1} * interval '1 day' as day
    ), moved as materialized (
      select date_trunc('day', created_at at time zone 'UTC') as day, kind,
        case when payer_purse = 'credits' then -amount else amount end as change
      from ledger
      where account_id = ${accountId} and id >= (
        select 'led_' || lpad(to_hex((extract(epoch from day at time zone 'UTC') * 1000)::bigint - 3600000), 12, '0')
        from first
      ) and created_at >= (select day at time zone 'UTC' from first)
    ), before as materialized (
      select coalesce((select balance from balances where account_id = ${accountId}), 0)
        - coalesce((select sum(change) from moved), 0) as balance
    )
    select to_char(d.day, 'YYYY-MM-DD') as day,
      coalesce(sum(m.change) filter (where m.kind = 'grant'), 0) as granted,
      coalesce(-sum(m.change) filter (where m.kind = 'usage'), 0) as used,
      coalesce(sum(m.change) filter (where m.kind = 'reversal'), 0) as reversed,
      (select balance from before) + sum(coalesce(sum(m.change), 0)) over (order by d.day) as balance
    from first cross join generate_series(first.day, now() at time zone 'UTC', interval '1 day') as d (day)
    left join moved m on m.day = d.day
    group by d.day
    order by d.day
  `.execute(db)
  return rows
}
