import type { PartOf } from '@patchbay/contract/app/routes.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId, type ListId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { readPlace, writePlace } from '../../platform/sorted-place.ts'
import { findList } from './found-ids.ts'
import { findContacts, findMembers } from './search-store.ts'
import {
  countContacts,
  type Page,
  type PageCursor,
  readContactPage,
  readContacts,
  readPlacesByName,
  type ShownContact,
} from './shown-store.ts'

type ContactPage = { contacts: ShownContact[]; next: string | null; total: number | null }
type List = { listId: ListId; size: number }

/** 10,000 means that many or more: see the contract. */
const mostCounted = 10_000

/** Of a search, so many are counted: it has to read all contacts up to there. */
const mostCountedFound = 1_000

/** A page of contacts, of the account or of one of its lists. */
export async function listContacts(
  db: Db,
  accountId: AccountId,
  query: PartOf<'GET /api/contacts', 'query'>,
): Promise<ContactPage> {
  if (query.sort === 'name') return listByName(db, accountId, query)
  const list = query.listId === undefined ? undefined : await findList(db, accountId, query.listId)
  const limit = Number(query.limit ?? 50)
  const before = query.before === undefined ? undefined : readCursor(query.before, list !== undefined)
  // PostgreSQL takes no NUL, and no stored text has one.
  const q = query.q?.replaceAll('\0', '').trim() || undefined
  const ctx = { db, accountId, list }
  const { found, hasMore, total } = await (q === undefined
    ? pageOfAll(ctx, { before, limit })
    : pageOfFound(ctx, q, { before, limit }))
  const last = hasMore ? found.at(-1) : undefined
  const next = last ? writeCursor({ contactId: last.id, addedMicros: last.addedMicros }) : null
  return { contacts: found, next, total: before ? null : total }
}

/** Reads a page by an index, which is one of all contacts. */
async function listByName(
  db: Db,
  accountId: AccountId,
  { q, listId, before, limit: given }: PartOf<'GET /api/contacts', 'query'>,
): Promise<ContactPage> {
  if (q !== undefined || listId !== undefined) {
    throw new Refusal('INVALID_REQUEST', 'sort must be newest, or be left out, with q or listId.')
  }
  const limit = Number(given ?? 50)
  const after = before === undefined ? undefined : readPlace('con', before)
  const places = await readPlacesByName(db, accountId, { after, limit: limit + 1 })
  const page = places.slice(0, limit)
  const ids = page.map(({ id }) => id)
  const shown = new Map((await readContacts(db, accountId, undefined, ids)).map((contact) => [contact.id, contact]))
  const last = places.length > limit ? page.at(-1) : undefined
  const count = () => (last ? countContacts(db, accountId, undefined, mostCounted) : places.length)
  return {
    contacts: ids.flatMap((id) => shown.get(id) ?? []),
    next: last ? writePlace(last) : null,
    total: after ? null : await count(),
  }
}

type Ctx = { db: Db; accountId: AccountId; list: List | undefined }

async function pageOfAll({ db, accountId, list }: Ctx, { before, limit }: Page) {
  const rows = await readContactPage(db, accountId, list?.listId, { before, limit: limit + 1 })
  const hasMore = rows.length > limit
  const isCounted = hasMore && before === undefined
  const total = isCounted ? await countContacts(db, accountId, list?.listId, mostCounted) : rows.length
  return { found: rows.slice(0, limit), hasMore, total }
}

/** Those that are found are counted in the same pass, with the first page. */
async function pageOfFound({ db, accountId, list }: Ctx, q: string, { before, limit }: Page) {
  const page = { before, limit: before ? limit + 1 : mostCountedFound + 1 }
  const ids = await (list ? findMembers(db, accountId, { ...list, q }, page) : findContacts(db, accountId, q, page))
  const found = await readContacts(db, accountId, list?.listId, ids.slice(0, limit))
  return { found, hasMore: ids.length > limit, total: ids.length > mostCountedFound ? null : ids.length }
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
