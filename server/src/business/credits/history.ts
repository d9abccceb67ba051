import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { creditsOf } from './amount.ts'
import { type Balance, type EntryRow, findBalances, listEntries, sumDays } from './history-store.ts'

/** All amounts are in credits. */
export type ShownBalance = {
  balance: number
  /** What is reserved for answers in progress. */
  held: number
  recharge: { threshold: number; amount: number; isArmed: boolean } | null
}

/** An account without a row in `balances` has 0. */
export async function showBalance(db: Db, accountId: AccountId): Promise<ShownBalance> {
  return (await showBalances(db, [accountId]))(accountId)
}

export async function showBalances(db: Db, accountIds: AccountId[]): Promise<(accountId: AccountId) => ShownBalance> {
  const balanceOf = await findBalances(db, accountIds)
  return (accountId) => shown(balanceOf(accountId))
}

function shown({ balance, held, recharge }: Balance): ShownBalance {
  return {
    balance: creditsOf(balance),
    held: creditsOf(held),
    recharge: recharge
      ? { ...recharge, threshold: creditsOf(recharge.threshold), amount: creditsOf(recharge.amount) }
      : null,
  }
}

export type ShownEntry = Omit<EntryRow, 'n' | 'change' | 'balanceAfter'> & {
  n: number
  amount: number
  balanceAfter: number
}

/** A page of an account's history, newest first. `next` is the `before` of the following page; null at the end. */
export async function showHistory(
  db: Db,
  accountId: AccountId,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<{ entries: ShownEntry[]; next: number | null }> {
  const from = before === undefined ? undefined : BigInt(before)
  const rows = await listEntries(db, accountId, { before: from, limit: limit + 1 })
  const entries = rows.slice(0, limit).map(({ id, n, kind, change, balanceAfter, ...entry }) => ({
    id,
    n: Number(n),
    kind,
    amount: creditsOf(change),
    balanceAfter: creditsOf(balanceAfter),
    ...entry,
  }))
  return { entries, next: rows.length > limit ? (entries.at(-1)?.n ?? null) : null }
}

type ShownDay = { day: string; granted: number; used: number; reversed: number; balance: number }

/** The sums of each of the last days, in UTC, oldest first, with the balance at the end of the day. */
export async function showDays(db: Db, accountId: AccountId, days: number): Promise<ShownDay[]> {
  const rows = await sumDays(db, accountId, days)
  return rows.map(({ day, granted, used, reversed, balance }) => ({
    day,
    granted: creditsOf(granted),
    used: creditsOf(used),
    reversed: creditsOf(reversed),
    balance: creditsOf(balance),
  }))
}
