import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import type { Pause } from '../../../platform/jobs/yield-to-requests.ts'
import type { NotedConversations } from '../../../platform/notify/noted-conversations.ts'
import { makeDays } from '../sums/make-days.ts'
import { type DeliveryCursor, fromTheFirst } from './delivery-store.ts'

/** Where the next round goes on, after which account and which deliveries, and what it finds waiting. */
export type Place = {
  account: string
  open: DeliveryCursor
  failed: DeliveryCursor
  /** Accounts that were noted lately, the last one at the end, and when, by the clock of this process. */
  noted: Map<AccountId, number>
  /**
   * Accounts whose conversations have changed since they were counted, each with these conversations; undefined: it has to be
   * looked for them.
   */
  changed: Map<AccountId, Set<ContactId> | undefined>
  /** Accounts with something that is not counted, and when that was found first, by the clock of this process. */
  waiting: Map<AccountId, number>
}

export function openPlace(): Place {
  return {
    account: '',
    open: fromTheFirst,
    failed: fromTheFirst,
    noted: new Map(),
    changed: new Map(),
    waiting: new Map(),
  }
}

/** Keeps the time of those that were found before. */
export function noteWaiting({ waiting }: Place, due: AccountId[]): void {
  const [now, isDue] = [performance.now(), new Set(due)]
  for (const accountId of waiting.keys()) if (!isDue.has(accountId)) waiting.delete(accountId)
  for (const accountId of due) waiting.getOrInsert(accountId, now)
}

/** For how long the account has been waiting that waits longest: a map keeps the order in which they were found. */
export function lateSeconds({ waiting }: Place): number {
  const [since] = waiting.values()
  return since === undefined ? 0 : (performance.now() - since) / 1_000
}

export type Round = {
  db: Db
  pause: Pause
  place: Place
  noted: NotedConversations | undefined
  now: string | undefined
  isStopping: () => boolean
  isOver: () => boolean
}

/** Does a piece of work, then lets others work. */
export async function taking<Result>({ pause }: Round, work: () => Promise<Result>): Promise<Result> {
  const began = performance.now()
  const result = await work()
  await pause(performance.now() - began)
  return result
}

/** Makes the days of an account anew that changed. `isCounted`: nothing of it is left to count. */
export async function makeAllDays(
  round: Round,
  accountId: AccountId,
  { isCounted }: { isCounted: boolean },
): Promise<void> {
  const { db, now, isStopping } = round
  for (let made = 'more'; made === 'more' && !isStopping(); ) {
    made = await taking(round, () => makeDays(db, accountId, { isCounted, now }))
  }
}
