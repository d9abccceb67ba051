import { headings } from './list-keys.ts'

/** Where "next" leads from a conversation that has just left those who wait: to who waited after it. */
export type LeftWaiting = { id: string; nextId: string } | undefined

/**
 * Returns where "next" leads, by the keys of "All" from before and now; `open` is the conversation that somebody works
 * on.
 */
export function leftWaiting(
  before: LeftWaiting,
  open: string | undefined,
  { was, is }: { was: readonly string[]; is: readonly string[] },
): LeftWaiting {
  const waited = waitingOf(was)
  const wait = waitingOf(is)
  if (open === undefined || wait.includes(open)) return undefined
  const isKept = !waited.includes(open)
  if (isKept && before?.id !== open) return undefined
  if (isKept && before && wait.includes(before.nextId)) return before
  const from = isKept && before ? before.nextId : open // who was next may have been answered meanwhile
  const later = waited.slice(waited.indexOf(from) + 1).find((id) => wait.includes(id))
  const nextId = later ?? wait[0]
  return nextId === undefined ? undefined : { id: open, nextId }
}

function waitingOf(keys: readonly string[]): readonly string[] {
  const from = keys.indexOf(headings.waiting)
  const to = keys.indexOf(headings.newest)
  return from < 0 ? [] : keys.slice(from + 1, to < 0 ? undefined : to)
}
