import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { callWithSignal } from '../data/api.ts'
import { onHint } from '../data/live.ts'
import { queryClient } from '../data/queries.ts'

export type ContactFilter = { q?: string | undefined; listId?: string | undefined }

/** Which contacts are fetched, in which order. Only all of them can be sorted by name. */
type ContactQuery = ContactFilter & { sort?: 'name' | undefined }

function pagesOf({ q, listId, sort }: ContactQuery) {
  const given = { ...(q && { q }), ...(listId && { listId }), ...(sort && { sort }) }
  return infiniteQueryOptions({
    queryKey: ['GET /api/contacts', 'pages', given] as const,
    queryFn: ({ pageParam: before, signal }) =>
      callWithSignal('GET /api/contacts', signal, { query: { ...given, limit: '100', ...(before && { before }) } }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
}

/** Contacts page by page, as far as somebody has scrolled. What they had before stays while a new search is running. */
export function useContactPages(filter: ContactQuery) {
  const query = useInfiniteQuery(pagesOf(filter))
  useEffect(() => onHint(({ topic }) => (topic === 'contacts' || topic === 'everything') && void refreshContacts()), [])
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const fetchNextPageIfAny = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetchingNextPage])
  return {
    ...query,
    fetchNextPageIfAny,
    contacts: query.data?.pages.flatMap(({ contacts }) => contacts) ?? [],
    total: query.data?.pages[0]?.total ?? undefined,
  }
}

/** Fetches everything anew that shows contacts or counts them, after a change. */
export async function refreshContacts(): Promise<void> {
  const names = [
    'GET /api/contacts',
    'GET /api/contacts/:contactId',
    'GET /api/lists',
    'GET /api/lists/:listId/reach',
    'GET /api/conversations/:contactId',
  ]
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
}

/** A contact that a page has shown already, to be there at once. */
export function loadedContact(contactId: string): ShownContact | undefined {
  const pages = queryClient.getQueriesData<{ pages?: { contacts: ShownContact[] }[] }>({
    queryKey: ['GET /api/contacts', 'pages'],
  })
  for (const [, data] of pages) {
    const found = data?.pages?.flatMap(({ contacts }) => contacts).find(({ id }) => id === contactId)
    if (found) return found
  }
  return undefined
}
