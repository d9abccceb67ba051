import type { AccountId } from '../../../platform/ids.ts'
import type { CommitMeter } from '../../../platform/metrics/instruments.ts'
import type { Claimed, ClaimLimits } from './claim-store.ts'

type Claim = (limits: ClaimLimits) => Promise<Claimed>

/** While it holds back: so many turns in progress at most, and claims so far apart. */
const mostInProgress = 2
const claimsApartMs = 200

/** How often it looks whether it must still hold back. Longer than the moment it looks at, so that each look sees a new one. */
const lookAgainMs = 110

/**
 * The claim, held back while this process takes in messages as fast as it can: an answer takes as much of the processor as
 * twenty messages, and can wait, as whoever sends a message cannot. It never stops, and what it lets through goes round the
 * accounts: of few turns, those of the accounts with the oldest ones would be all.
 */
export function holdBack(
  claim: Claim,
  { meter, slots, now = () => performance.now() }: { meter: CommitMeter; slots: number; now?: () => number },
): Claim {
  const isSaturated = openSaturation(meter, now)
  /** Those that had a turn, until all that owe one have. */
  const had = new Set<AccountId>()
  let claimedAt = Number.NEGATIVE_INFINITY

  async function claimInTurn(limits: ClaimLimits): Promise<Claimed> {
    let claimed = await claim({ ...limits, without: [...limits.without, ...had] })
    if (claimed.turns.length === 0 && had.size > 0) {
      had.clear()
      claimed = await claim(limits)
    }
    const accounts = new Set(claimed.turns.map(({ accountId }) => accountId))
    if (accounts.size < limits.mostAtOnce) had.clear()
    else for (const account of accounts) had.add(account)
    return claimed
  }

  return async (limits) => {
    if (!isSaturated()) {
      had.clear()
      return claim(limits)
    }
    const mostAtOnce = mostInProgress - (slots - limits.mostAtOnce)
    const isTooSoon = now() < claimedAt + claimsApartMs
    if (!isTooSoon) claimedAt = now()
    const turns = isTooSoon || mostAtOnce <= 0 ? [] : (await claimInTurn({ ...limits, mostAtOnce })).turns
    // No hint may come any more when the messages stop: it looks again by itself.
    return { turns, nextInMs: lookAgainMs, isMoreDue: false, mayFindMore: false }
  }
}

/** A verdict holds for so long; it is about the time since the one before. */
const momentMs = 100
/**
 * At 64 connections that are never idle, batches have some 32 rows and follow one another; at 1,000 messages a second 2 to 4.
 * How busy the event loop is would not tell messages from answers.
 */
const saturatedRows = 16
const leastBatches = 3
const leastBusy = 0.5

/** Says whether incoming messages have lately been written in large batches, one after the other. Reads what is counted anyway. */
function openSaturation(meter: CommitMeter, now: () => number): () => boolean {
  let before = { ...readMeter(meter), at: now() }
  let isSaturated = false
  return () => {
    const ms = now() - before.at
    if (ms < momentMs) return isSaturated
    const current = { ...readMeter(meter), at: now() }
    const batches = current.batches - before.batches
    const isBusy = (current.seconds - before.seconds) * 1_000 >= leastBusy * ms
    isSaturated = isBusy && batches >= leastBatches && current.rows - before.rows >= saturatedRows * batches
    before = current
    return isSaturated
  }
}

function readMeter({ rows, seconds }: CommitMeter): { batches: number; rows: number; seconds: number } {
  return { batches: rows.counts.reduce((sum, count) => sum + count, 0), rows: rows.sum, seconds: seconds.sum }
}
