import type { Claimed } from './claim-store.ts'

/** Says when the next claim is worth its cost. */
export type ClaimPace = {
  claimed: (last: Pick<Claimed, 'isMoreDue'>) => void
  /** A turn begins; what is returned must be called when it has ended. */
  begin: () => () => void
}

/**
 * Calls `wake` when `every` turns have ended since the last claim, or the last one has, if that claim left turns that were due:
 * an account had as many in progress as it may have. A claim for each turn that ends would cost more than its answer; to
 * wait for a hint, ten times a second, would leave the bot idle most of the time.
 */
export function openClaimPace(every: number, wake: () => void): ClaimPace {
  let isMoreDue = false
  let [running, ended] = [0, 0]

  function end(): void {
    running -= 1
    ended += 1
    if (isMoreDue && (ended >= every || running === 0)) wake()
  }

  return {
    claimed: (last) => {
      isMoreDue = last.isMoreDue
      ended = 0
    },
    begin: () => {
      running += 1
      return end
    },
  }
}
