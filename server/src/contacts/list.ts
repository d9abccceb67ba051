import type { PartOf } from '@patchbay/contract/app/routes.ts'
import type { Db } from '../platform/database/db.ts'
import { type AccountId, isId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import {
  countContacts,
  hasList,
  type PageCursor,
  readContactPage,
  type ShownContact,
  type Which,
} from './shown-store.ts'

type Page = { contacts: ShownContact[]; next: string | null; total: number | null }

/** 10,000 means that many or more: see the contract. */
const mostCounted = 10_000

/** Of a search, so many are counted: it has to read all contacts up to there. */
const mostCountedFound = 1_000

/** A page of contacts, of the account or of one of its lists. */
export async function listContacts(
  db: Db,
  accountId: AccountId,
  query: PartOf<'GET /api/contacts', 'query'>,
): Promise<Page> {
  const { listId } = query
  if (listId !== undefined && !(isId('lst', listId) && (await hasList(db, accountId, listId)))) {
    throw new Refusal('LIST_NOT_FOUND', 'There is no such list.')
  }
  const limit = Number(query.limit ?? 50)
  const before = query.before === undefined ? undefined : readCursor(query.before, listId !== undefined)
  // PostgreSQL takes no NUL, and no stored text has one.
  const which = { listId, q: query.q?.replaceAll('\0', '').trim() || undefined }
  const found = await readContactPage(db, accountId, which, { before, limit: limit + 1 })
  const contacts = found.slice(0, limit)
  const hasMore = found.length > limit
  const total = before ? null : hasMore ? await countMore(db, accountId, which) : found.length
  const last = hasMore ? contacts.at(-1) : undefined
  return { contacts, next: last ? writeCursor({ contactId: last.id, addedMicros: last.addedMicros }) : null, total }
}

async function countMore(db: Db, accountId: AccountId, which: Which): Promise<number | null> {
  if (which.q === undefined) return countContacts(db, accountId, { ...which, most: mostCounted })
  const count = await countContacts(db, accountId, { ...which, most: mostCountedFound + 1 })
  return count > mostCountedFound ? null : count
}

/** The last contact of the page; in a list, with the time when it was added. */
function writeCursor({ contactId, addedMicros }: PageCursor): string {
  return addedMicros === null ? contactId : `${addedMicros}.${contactId}`
}

function readCursor(text: string, isOfList: boolean): PageCursor {
  const [addedMicros, contactId = ''] = isOfList ? text.split('.', 2) : [null, text]
  const isTime = addedMicros === null || /^\d{1,17}$/.test(addedMicros ?? '')
  if (isTime && isId('con', contactId)) return { contactId, addedMicros: addedMicros ?? null }
  throw new Refusal('INVALID_REQUEST', 'before must be the next of a page.')
}
