import { limits } from '@patchbay/contract/limits.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ListId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { insertList } from './store.ts'

/** Creates a list. Two may have the same name: callers use the id. */
export async function createList(db: Db, accountId: AccountId, name: string): Promise<ListId> {
  return insertList(db, accountId, readListName(name))
}

export function readListName(name: string): string {
  const trimmed = name.trim()
  if (trimmed !== '' && [...trimmed].length <= limits.nameCharacters) return trimmed
  throw new Refusal('INVALID_REQUEST', `A list's name must have 1 to ${limits.nameCharacters} characters.`)
}
