import type { Db } from '../../platform/database/db.ts'
import { type AccountId, type ContactId, isId, type ListId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findContacts, findMembers } from './search-store.ts'
import { findListShown, type PageCursor, readIdPage, readMemberCursor } from './shown-store.ts'

/** What is looked for: part of a name and so on, among all contacts or those of a list. */
export type ContactQuery = { q?: string | undefined; listId?: string | undefined }

const pageSize = 1_000

/**
 * The ids of all contacts that a search finds, page by page, each to be read within a share of the connections. One who
 * comes meanwhile may be missing; nobody is there twice.
 */
export async function* findIds(
  db: Db,
  accountId: AccountId,
  { q: given, listId }: ContactQuery,
): AsyncGenerator<ContactId[], void> {
  const q = given?.replaceAll('\0', '').trim() || undefined // PostgreSQL takes no NUL, and no stored text has one
  const list = listId === undefined ? undefined : await findList(db, accountId, listId)
  for (let before: PageCursor | undefined; ; ) {
    const page = { before, limit: pageSize }
    const ids = await (q === undefined
      ? readIdPage(db, accountId, list?.listId, page)
      : list
        ? findMembers(db, accountId, { ...list, q }, page)
        : findContacts(db, accountId, q, page))
    const last = ids.at(-1)
    if (last === undefined) return
    // Before anybody takes them off the list.
    before = list ? await readMemberCursor(db, { accountId, ...list }, last) : { contactId: last, addedMicros: null }
    yield ids
    if (ids.length < pageSize || before === undefined) return
  }
}

/** Another account's list gets the same answer as one that does not exist. */
export async function findList(
  db: Db,
  accountId: AccountId,
  listId: string,
): Promise<{ listId: ListId; name: string; size: number }> {
  const found = isId('lst', listId) ? await findListShown(db, accountId, listId) : undefined
  if (!isId('lst', listId) || !found) throw new Refusal('LIST_NOT_FOUND', 'There is no such list.')
  return { listId, ...found }
}
