import type { Found } from '@patchbay/contract/app/search.ts'

export type SaidMessage = NonNullable<Found['messages']>[number]

/** Messages that are shown: no more than the server finds at once. */
const mostShown = 20

/** Where to go on. Undefined: what was not searched yet is older than all that are shown. */
export function nextOf(pages: Found[]): string | undefined {
  const next = pages.at(-1)?.next ?? undefined
  const last = newestOf(pages)?.[mostShown - 1]
  return next !== undefined && last !== undefined && last.messageId > next ? undefined : next
}

/** The newest of all pages: their ids are in the order of time, and a later page may have newer ones. */
export function newestOf(pages: Found[]): SaidMessage[] | null {
  if (!pages[0]?.messages) return null
  const each = new Map(pages.flatMap(({ messages }) => messages ?? []).map((message) => [message.messageId, message]))
  return [...each.values()].sort((a, b) => (a.messageId < b.messageId ? 1 : -1)).slice(0, mostShown)
}
