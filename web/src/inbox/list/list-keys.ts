import type { Conversation } from '@patchbay/contract/app/conversations.ts'
import type { View } from '../filters.ts'

/** Headings have a place in the list like rows; their keys cannot be ids of contacts. */
export const headings = { waiting: '# waiting', newest: '# newest' } as const

/**
 * The list from top to bottom, as ids of contacts and headings. "All" begins with those who wait for a person; they are
 * not listed a second time.
 */
export function listKeys(view: View, rows: readonly Conversation[], waiting: readonly Conversation[]): string[] {
  const ids = (each: readonly Conversation[]) => each.map(({ contactId }) => contactId)
  if (view === 'waiting') return rows.length > 0 ? [headings.waiting, ...ids(rows)] : []
  if (view !== 'all' || waiting.length === 0) return ids(rows)
  const onTop = new Set(ids(waiting))
  const others = ids(rows).filter((id) => !onTop.has(id))
  return [headings.waiting, ...onTop, ...(others.length > 0 ? [headings.newest, ...others] : [])]
}

export function isHeading(key: string): boolean {
  return key === headings.waiting || key === headings.newest
}
