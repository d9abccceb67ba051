const slowMs = 200
const timesAsLong = 5
/** So that what others wait for is found within seconds, also after the machine was suspended. */
const longestMs = 10_000

/**
 * Says how many milliseconds to wait before the next look for work, after one that took so long. A look passes entries of an
 * index that are of no use any more and cannot be cleaned up while a long transaction may still see them, and so takes
 * longer with each of them. From the second slow look in a row on, the next one waits for five times as long, so that looks
 * take a sixth of a connection at most. A single slow one had to wait for a busy machine, or for a free connection.
 */
export function openPauseAfterSlow(): (tookMs: number) => number {
  let slowInRow = 0
  return (tookMs) => {
    slowInRow = tookMs > slowMs ? slowInRow + 1 : 0
    return slowInRow < 2 ? 0 : Math.min(timesAsLong * tookMs, longestMs)
  }
}
