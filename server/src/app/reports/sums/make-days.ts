import type { Db, Tx } from '../../../platform/database/db.ts'
import { withLockTimeout } from '../../../platform/database/lock-timeout.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { lockAccount, markCaughtUp } from './account-store.ts'
import { type DayRow, deleteOldDays, type QuarterRow, readQuarters, replaceDay, takeDirtyDays } from './day-store.ts'
import { writeHistogram } from './histogram.ts'
import { makeCounts, noChannel } from './quarter-store.ts'

/** The days of one transaction. */
const daysAtOnce = 4

/** `isCounted`: nothing of the account is left to count; `now`: see `presentOf`. */
type DayOptions = { isCounted: boolean; now: string | undefined }

/**
 * Makes the next days of an account anew from their quarters, unless it is still counted for the first time. `done`: there
 * are no more. `busy`: another process has the account.
 */
export async function makeDays(
  db: Db,
  accountId: AccountId,
  { isCounted, now }: DayOptions,
): Promise<'done' | 'more' | 'busy'> {
  return withLockTimeout(db, async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account) return 'busy'
    if (!isCounted && !account.isCaughtUp) return 'done'
    const { days, hasMore } = await takeDirtyDays(tx, accountId, { limit: daysAtOnce, now })
    for (const day of days) await makeDay(tx, accountId, day)
    if (hasMore) return 'more'
    if (!account.isCaughtUp) await markCaughtUp(tx, accountId)
    if (days.length > 0) await deleteOldDays(tx, accountId, now)
    return 'done'
  })
}

async function makeDay(tx: Tx, accountId: AccountId, day: string): Promise<void> {
  const quarters = await readQuarters(tx, accountId, day)
  const byChannel = Map.groupBy(quarters, ({ channel }) => channel)
  byChannel.delete(noChannel) // is in the sum of all channels only
  const rows = [...byChannel].map(([channel, ofOne]) => sumOf(channel, ofOne))
  await replaceDay(tx, accountId, day, [sumOf(noChannel, quarters), ...rows])
}

/**
 * A conversation with replies of the bot on this day was resolved by it, unless a person wrote in it or was wished for, or
 * its last answer was a fallback or an offer that nobody chose from: on the same channel, where a channel is asked for.
 */
function sumOf(channel: number, quarters: QuarterRow[]): DayRow {
  const sum = (of: (quarter: QuarterRow) => number) => quarters.reduce((all, quarter) => all + of(quarter), 0)
  const bot = new Set(quarters.flatMap(({ botKeys }) => botKeys))
  const others = new Set(quarters.flatMap(({ personKeys, wishKeys }) => [...personKeys, ...wishKeys]))
  return {
    channel,
    ...makeCounts((name) => sum((quarter) => quarter[name])),
    spent: sum(({ spent }) => Number(spent)),
    botConversations: bot.size,
    botResolved: bot.difference(others).difference(missedIn(quarters)).size,
    responses: writeHistogram(quarters.flatMap(({ responses }) => responses)),
    deliveries: writeHistogram(quarters.flatMap(({ deliveryMs }) => deliveryMs)),
  }
}

/** The conversations whose last answer left the question unanswered. */
function missedIn(quarters: QuarterRow[]): Set<string> {
  const last = new Map<string, number>()
  for (const { answerKeys, answerMarks } of quarters) {
    for (const [at, key] of answerKeys.entries()) last.set(key, Math.max(last.get(key) ?? 0, answerMarks[at] ?? 0))
  }
  return new Set([...last].flatMap(([key, mark]) => (mark % 2 === 1 ? [key] : [])))
}
