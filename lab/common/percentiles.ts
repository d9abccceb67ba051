/** Sorts a copy of these times; `at(0.99)` is then the one that 99 % of them do not exceed, and `at(1)` the longest. */
export function percentilesOf(times: ArrayLike<number>): (share: number) => number {
  const sorted = new Float64Array(times).sort()
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
