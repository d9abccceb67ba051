import type { Conversation } from '@patchbay/contract/app/conversations.ts'
import { queryOptions } from '@tanstack/react-query'
import { call, callWithSignal, signedInUser } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { searchOf, type View } from '../filters.ts'
import { type LoadedList, withFirstPage, withNextPage, withoutRow, withRow } from './list-cache.ts'
import {
  deletedNotes,
  type LoadedThread,
  unsettledBefore,
  withNewest,
  withOlder,
  withoutNotes,
} from './thread-cache.ts'

/** How many rows, or messages, a page has. */
export const pageSize = 50
const limit = String(pageSize)

export function listQuery(view: View) {
  const queryKey = ['GET /api/conversations', view] as const
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<LoadedList> => {
      const { conversations, next } = await callWithSignal('GET /api/conversations', signal, {
        query: { ...queryOf(view), limit },
      })
      return withFirstPage(queryClient.getQueryData<LoadedList>(queryKey), { rows: conversations, next })
    },
  })
}

function queryOf(view: View) {
  const { filter, channel, tag } = searchOf(view)
  return { ...(filter && { filter }), ...(channel !== undefined && { channel }), ...(tag !== undefined && { tag }) }
}

export function threadQuery(contactId: string) {
  const queryKey = ['GET /api/conversations/:contactId/messages', contactId] as const
  return queryOptions({
    queryKey,
    gcTime: 30 * 60_000, // a conversation that was open shows at once
    queryFn: async ({ signal }): Promise<LoadedThread> => {
      const known = queryClient.getQueryData<LoadedThread>(queryKey)
      const page = await readThread(contactId, undefined, signal)
      leaveOutNotes(contactId, deletedNotes(known, page))
      return await withDeliveriesBefore(page, contactId, queryClient.getQueryData<LoadedThread>(queryKey), signal)
    },
  })
}

export function leaveOutNotes(contactId: string, ids: readonly string[]): void {
  if (ids.length === 0) return
  queryClient.setQueryData(threadQuery(contactId).queryKey, (loaded) => loaded && withoutNotes(loaded, ids))
}

export function detailQuery(contactId: string) {
  return { ...read('GET /api/conversations/:contactId', { params: { contactId } }), gcTime: 30 * 60_000 }
}

/** Warms a conversation that is likely to be opened next. */
export function prefetchConversation(contactId: string): void {
  void queryClient.prefetchQuery(threadQuery(contactId))
  void queryClient.prefetchQuery(detailQuery(contactId))
}

export async function loadMoreRows(view: View): Promise<void> {
  const { queryKey } = listQuery(view)
  const before = queryClient.getQueryData<LoadedList>(queryKey)?.next
  if (!before) return
  const { conversations, next } = await call('GET /api/conversations', { query: { ...queryOf(view), limit, before } })
  queryClient.setQueryData<LoadedList>(queryKey, (loaded) =>
    loaded?.next === before ? withNextPage(loaded, { rows: conversations, next }) : loaded,
  )
}

export async function loadOlderMessages(contactId: string): Promise<void> {
  const { queryKey } = threadQuery(contactId)
  const older = queryClient.getQueryData<LoadedThread>(queryKey)?.older
  if (older === null || older === undefined) return
  const page = await readThread(contactId, older)
  queryClient.setQueryData<LoadedThread>(queryKey, (loaded) => loaded && withOlder(loaded, page))
}

/** Shows a row as it is now in every list that has it. */
export function patchRow(row: Conversation): void {
  const userId = signedInUser.get()
  changeLists((loaded, view) => withRow(loaded, row, { view, userId }))
}

export function removeRow(contactId: string): void {
  changeLists((loaded) => withoutRow(loaded, contactId))
}

const allLists = { queryKey: ['GET /api/conversations'] }

function changeLists(change: (loaded: LoadedList, view: View) => LoadedList): void {
  for (const [queryKey, loaded] of queryClient.getQueriesData<LoadedList>(allLists)) {
    if (loaded) queryClient.setQueryData<LoadedList>(queryKey, change(loaded, queryKey[1] as View)) // as listQuery makes it
  }
}

/** The row as some list has it. */
export function findRow(contactId: string): Conversation | undefined {
  for (const [, loaded] of queryClient.getQueriesData<LoadedList>(allLists)) {
    const row = loaded?.rows.find((each) => each.contactId === contactId)
    if (row) return row
  }
  return undefined
}

/**
 * So many older pages are read again at most: more than one reply fails in few conversations; what is further up is
 * read again when it is scrolled to.
 */
const mostPagesReadAgain = 3

/** The newest page does not say what became of failed replies before it that are loaded: their pages are read again. */
async function withDeliveriesBefore(
  page: LoadedThread,
  contactId: string,
  before: LoadedThread | undefined,
  signal: AbortSignal,
): Promise<LoadedThread> {
  let loaded = withNewest(before, page)
  let from = page.messages[0]?.seq
  for (let pages = 0; pages < mostPagesReadAgain && from !== undefined; pages += 1) {
    const end = unsettledBefore(loaded, from)
    if (end === undefined) break
    const older = await readThread(contactId, end, signal)
    loaded = withOlder(loaded, older)
    from = older.messages[0]?.seq
  }
  return withNewest(queryClient.getQueryData<LoadedThread>(threadQuery(contactId).queryKey), loaded)
}

function readThread(contactId: string, before?: number, signal?: AbortSignal): Promise<LoadedThread> {
  return callWithSignal('GET /api/conversations/:contactId/messages', signal, {
    params: { contactId },
    query: { limit, ...(before !== undefined && { before: String(before) }) },
  })
}
