import type { Conversation, ConversationFilter } from '@patchbay/contract/app/conversations.ts'
import { queryOptions } from '@tanstack/react-query'
import { call, callWithSignal } from '../../api.ts'
import { queryClient, read } from '../../queries.ts'
import { filters } from '../filters.ts'
import { type LoadedList, withFirstPage, withNextPage, withoutRow, withRow } from './list-cache.ts'
import { type LoadedThread, unsettledBefore, withNewest, withOlder } from './thread-cache.ts'

/** Rows and messages of one page. */
export const pageSize = 50
const limit = String(pageSize)

export function listQuery(filter: ConversationFilter) {
  const queryKey = ['GET /api/conversations', filter] as const
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<LoadedList> => {
      const { conversations, next } = await callWithSignal('GET /api/conversations', signal, {
        query: { filter, limit },
      })
      return withFirstPage(queryClient.getQueryData<LoadedList>(queryKey), { rows: conversations, next })
    },
  })
}

export function threadQuery(contactId: string) {
  const queryKey = ['GET /api/conversations/:contactId/messages', contactId] as const
  return queryOptions({
    queryKey,
    gcTime: 30 * 60_000, // a conversation that was open shows at once
    queryFn: async ({ signal }): Promise<LoadedThread> => {
      const page = await readThread(contactId, undefined, signal)
      return await withDeliveriesBefore(page, contactId, queryClient.getQueryData<LoadedThread>(queryKey), signal)
    },
  })
}

export function detailQuery(contactId: string) {
  return { ...read('GET /api/conversations/:contactId', { params: { contactId } }), gcTime: 30 * 60_000 }
}

/** Warms a conversation that is likely to be opened next. */
export function prefetchConversation(contactId: string): void {
  void queryClient.prefetchQuery(threadQuery(contactId))
  void queryClient.prefetchQuery(detailQuery(contactId))
}

export async function loadMoreRows(filter: ConversationFilter): Promise<void> {
  const { queryKey } = listQuery(filter)
  const before = queryClient.getQueryData<LoadedList>(queryKey)?.next
  if (!before) return
  const { conversations, next } = await call('GET /api/conversations', { query: { filter, limit, before } })
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
  for (const filter of filters) {
    queryClient.setQueryData<LoadedList>(listQuery(filter).queryKey, (loaded) => loaded && withRow(loaded, row, filter))
  }
}

export function removeRow(contactId: string): void {
  for (const filter of filters) {
    queryClient.setQueryData<LoadedList>(
      listQuery(filter).queryKey,
      (loaded) => loaded && withoutRow(loaded, contactId),
    )
  }
}

/** The row as some list has it. */
export function findRow(contactId: string): Conversation | undefined {
  for (const filter of filters) {
    const loaded = queryClient.getQueryData<LoadedList>(listQuery(filter).queryKey)
    const row = loaded?.rows.find((each) => each.contactId === contactId)
    if (row) return row
  }
  return undefined
}

/** Far more than one reply fails in few conversations; what is further up is read again when it is scrolled to. */
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
