import type { Found } from '@patchbay/contract/app/search.ts'

export type MessageMatch = NonNullable<Found['messages']>[number]

/** Messages of one part: no more than the server finds at once. */
const mostShown = 20

/** Returns where to go on; undefined when what was not searched yet is older than all that are shown. */
export function nextOf(pages: Found[]): string | undefined {
  const next = pages.at(-1)?.next ?? undefined
  const last = newestOf(pages)?.[mostShown - 1]
  return next !== undefined && last !== undefined && last.messageId > next ? undefined : next
}

/** Where the pages of one search go on: by themselves until the newest are found, and then, when somebody wants more. */
export type PageParam = { older?: string; before?: string }

type SearchPages = { pages: Found[]; params: PageParam[] }

/** The pages that look for the same part of all messages. */
function parts({ pages, params }: SearchPages): Found[][] {
  const byPart = Map.groupBy(pages.keys(), (n) => params[n]?.older ?? '')
  return [...byPart.values()].map((numbers) => numbers.flatMap((n) => pages[n] ?? []))
}

/** Returns what to ask for next; undefined at the end. `isByItself`: the newest of the last part are not found yet. */
export function followingOf(search: SearchPages): { param: PageParam; isByItself: boolean } | undefined {
  const last = parts(search).at(-1) ?? []
  const older = search.params.at(-1)?.older
  const next = nextOf(last)
  if (next !== undefined) return { param: { ...(older !== undefined && { older }), before: next }, isByItself: true }
  const oldest = newestOf(last)?.[mostShown - 1]
  return oldest && { param: { older: oldest.messageId }, isByItself: false }
}

/** The messages of all parts, the newest first. */
export function messagesOf(search: SearchPages): MessageMatch[] | null {
  if (!search.pages[0]?.messages) return null
  return parts(search).flatMap((pages) => newestOf(pages) ?? [])
}

/** The newest of all pages: their ids are in the order of time, and a later page may have newer ones. */
export function newestOf(pages: Found[]): MessageMatch[] | null {
  if (!pages[0]?.messages) return null
  const each = new Map(pages.flatMap(({ messages }) => messages ?? []).map((message) => [message.messageId, message]))
  return [...each.values()].sort((a, b) => (a.messageId < b.messageId ? 1 : -1)).slice(0, mostShown)
}
