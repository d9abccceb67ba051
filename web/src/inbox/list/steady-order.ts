/**
 * The order in which rows are shown. While `isHeld`, because the pointer is over the list, nothing moves under it: known
 * rows keep their places, rows that left stay, and new ones appear only below all known ones. `keep` stays in any case:
 * the open conversation does not vanish from "Unread" by being read.
 */
export function steadyOrder(
  shown: readonly string[],
  latest: readonly string[],
  { isHeld, keep }: { isHeld: boolean; keep: string | undefined },
): readonly string[] {
  const wanted = isHeld ? holdPlaces(shown, latest) : keepOne(shown, latest, keep)
  return isSame(wanted, shown) ? shown : wanted
}

function holdPlaces(shown: readonly string[], latest: readonly string[]): string[] {
  const known = new Set(shown)
  const lastKnown = latest.findLastIndex((id) => known.has(id))
  return [...shown, ...latest.slice(lastKnown + 1).filter((id) => !known.has(id))]
}

function keepOne(shown: readonly string[], latest: readonly string[], keep: string | undefined): readonly string[] {
  if (keep === undefined || latest.includes(keep) || !shown.includes(keep)) return latest
  const at = Math.min(shown.indexOf(keep), latest.length)
  return [...latest.slice(0, at), keep, ...latest.slice(at)]
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index])
}
