import type { FoundCount as Count, Found } from '@patchbay/contract/app/search.ts'
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { callWithSignal } from './api.ts'
import { followingOf, messagesOf, type PageParam } from './search-pages.ts'

/** What the pages have together. */
export type SearchResult = Omit<Found, 'next'>

/**
 * What is found for `q`. The server searches some messages a request, the newest first; for as long as somebody looks at
 * it, this goes on by itself until the newest matches are found, and further when somebody wants more. What was found before
 * stays while a new search is running.
 */
export function useSearch(q: string) {
  const query = useInfiniteQuery(pagesOf(q))
  const { data, hasNextPage, isFetching, isPlaceholderData, isError, fetchNextPage } = query
  const pages = data?.pages ?? []
  const search = { pages, params: (data?.pageParams ?? []) as PageParam[] } // as `pagesOf` gives them
  const following = hasNextPage && !isPlaceholderData ? followingOf(search) : undefined
  const mayGoOn = following?.isByItself === true && !isError
  useEffect(() => {
    if (mayGoOn && !isFetching) void fetchNextPage()
  }, [mayGoOn, isFetching, fetchNextPage])
  const found: SearchResult | undefined = pages[0] && { ...pages[0], messages: messagesOf(search) }
  return {
    found,
    isPlaceholderData,
    isGoingOn: mayGoOn,
    hasFollowing: following !== undefined,
    loadMore: () => void fetchNextPage(),
    isLoadingMore: query.isFetchingNextPage,
    error: query.error,
    retry: () => void (hasNextPage ? fetchNextPage() : query.refetch()),
  }
}

function pagesOf(q: string) {
  return infiniteQueryOptions({
    queryKey: ['GET /api/search', q] as const,
    queryFn: ({ pageParam, signal }) => callWithSignal('GET /api/search', signal, { query: { q, ...pageParam } }),
    initialPageParam: {} as PageParam,
    getNextPageParam: (_, pages, __, params) => followingOf({ pages, params })?.param,
    placeholderData: keepPreviousData,
    enabled: q !== '',
  })
}

const mostCounted = 1_000

/** How many messages have the words of `q`; undefined until all are counted, or a thousand. */
export function useFoundCount(q: string, isWanted: boolean): { count: number; isMore: boolean } | undefined {
  const { data } = useQuery({
    queryKey: ['GET /api/search/count', q] as const,
    queryFn: async ({ signal }) => {
      let counted = 0
      for (let before: string | null | undefined; before !== null && counted < mostCounted; ) {
        const query = { q, ...(before !== undefined && { before }) }
        const page: Count = await callWithSignal('GET /api/search/count', signal, { query })
        counted += page.count
        before = page.next
      }
      return { count: Math.min(counted, mostCounted), isMore: counted >= mostCounted }
    },
    enabled: isWanted,
  })
  return data
}
