import type { Found } from '@patchbay/contract/app/search.ts'
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { callWithSignal } from './api.ts'
import { newestOf, nextOf } from './found-pages.ts'

/** What the pages have together. */
export type FoundSoFar = Omit<Found, 'next'>

/**
 * What is found for `q`. The server searches some messages a request, the newest first; for as long as somebody looks at
 * it, this goes on by itself until the newest matches are found. What was found before stays while a new search is running.
 */
export function useSearch(q: string) {
  const query = useInfiniteQuery(pagesOf(q))
  const { data, hasNextPage, isFetching, isPlaceholderData, isError, fetchNextPage } = query
  const mayGoOn = hasNextPage && !isPlaceholderData && !isError
  useEffect(() => {
    if (mayGoOn && !isFetching) void fetchNextPage()
  }, [mayGoOn, isFetching, fetchNextPage])
  const pages = data?.pages ?? []
  const found: FoundSoFar | undefined = pages[0] && { ...pages[0], messages: newestOf(pages) }
  return {
    found,
    isPlaceholderData,
    isGoingOn: mayGoOn,
    error: query.error,
    retry: () => void (hasNextPage ? fetchNextPage() : query.refetch()),
  }
}

function pagesOf(q: string) {
  return infiniteQueryOptions({
    queryKey: ['GET /api/search', q] as const,
    queryFn: ({ pageParam: before, signal }) =>
      callWithSignal('GET /api/search', signal, { query: { q, ...(before && { before }) } }),
    initialPageParam: '',
    getNextPageParam: (_, pages) => nextOf(pages),
    placeholderData: keepPreviousData,
    enabled: q !== '',
  })
}
