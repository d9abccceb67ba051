import type { Conversation } from '@patchbay/contract/app/conversations.ts'
import { partsOf, type View } from '../filters.ts'

/** The rows of a list that are loaded, latest first. `next`: where the page after them begins; null when there is none. */
export type LoadedList = { rows: readonly Conversation[]; next: string | null }

/**
 * Puts the first page, fetched anew, over what was loaded. Rows that it should contain and does not no longer match the
 * filter; rows after it stay. If so much is new that the page does not reach down to the loaded rows, it replaces them.
 */
export function withFirstPage(loaded: LoadedList | undefined, page: LoadedList): LoadedList {
  const last = page.rows.at(-1)
  if (!loaded || !last || page.next === null) return page
  const inPage = new Set(page.rows.map(({ contactId }) => contactId))
  const older = loaded.rows.filter(({ contactId, lastAt }) => !inPage.has(contactId) && lastAt < last.lastAt)
  const reachesDown = loaded.rows.some(({ lastAt }) => lastAt >= last.lastAt)
  if (!reachesDown || older.length === 0) return page
  return { rows: [...page.rows, ...older], next: loaded.next }
}

/** Appends the page after the loaded rows. A conversation that moved up meanwhile is listed once, where it was. */
export function withNextPage(loaded: LoadedList, page: LoadedList): LoadedList {
  const known = new Set(loaded.rows.map(({ contactId }) => contactId))
  return { rows: [...loaded.rows, ...page.rows.filter(({ contactId }) => !known.has(contactId))], next: page.next }
}

/** Updates one row in its place, or moves it up if it is newer; takes it out if the filter no longer applies. */
export function withRow(loaded: LoadedList, row: Conversation, { view, userId }: ListQuery): LoadedList {
  const before = loaded.rows.find(({ contactId }) => contactId === row.contactId)
  if (!before) return loaded
  const others = loaded.rows.filter(({ contactId }) => contactId !== row.contactId)
  if (!isIn(view, row, userId)) return { ...loaded, rows: others }
  if (row.lastAt === before.lastAt) {
    return { ...loaded, rows: loaded.rows.map((each) => (each === before ? row : each)) }
  }
  const at = others.findIndex(({ lastAt }) => lastAt < row.lastAt)
  return { ...loaded, rows: at < 0 ? [...others, row] : [...others.slice(0, at), row, ...others.slice(at)] }
}

export function withoutRow(loaded: LoadedList, contactId: string): LoadedList {
  return { ...loaded, rows: loaded.rows.filter((row) => row.contactId !== contactId) }
}

/** Which list it is, and who looks at it. */
export type ListQuery = { view: View; userId: string | null }

function isIn(view: View, row: Conversation, userId: string | null): boolean {
  const isOpen = row.state === 'open'
  switch (view) {
    case 'all':
      return isOpen
    case 'mine':
      return isOpen && row.assignee?.id === userId
    case 'unread':
      return isOpen && row.unread > 0
    case 'waiting':
      return isOpen && row.waitingSince !== null
    case 'failed':
      return row.hasFailed
    case 'closed':
    case 'snoozed':
      return row.state === view
    default: {
      const [kind, name] = partsOf(view)
      return kind === 'tag' || (isOpen && row.channel.label === name) // a row does not say its tags
    }
  }
}
