import { createHash } from 'node:crypto'
import type { ShownEntry } from './entry-store.ts'

/** Names what an entry says: two people who read the same have the same version, and any change makes another one. */
export function versionOf({ questions, answer, handsOver, isOn }: Omit<ShownEntry, 'entryId'>): string {
  return createHash('sha256')
    .update(JSON.stringify([answer, handsOver, isOn, ...questions]))
    .digest('base64url')
    .slice(0, 22)
}
