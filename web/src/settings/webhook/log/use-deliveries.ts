import type { DeliveryState, deliveryFilters } from '@patchbay/contract/app/webhook.ts'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { readPages } from '../../../data/read-pages.ts'

type Filter = (typeof deliveryFilters)[number]

const pageSize = '15'
/** A try that is due and of which nothing was heard is looked for this often. */
const overdueMs = 2_000

/** The log, page by page. */
export function useDeliveries(filter: Filter, q: string) {
  return useDeliveryPages(readPages('GET /api/deliveries', { query: deliveryQuery(filter, q) }))
}

export function deliveryQuery(filter: Filter, q: string) {
  return { filter, limit: pageSize, ...(q !== '' && { q }) }
}

type PagesOf<Name extends Parameters<typeof readPages>[0]> = ReturnType<typeof readPages<Name>>

/** Pages may be short although there is more; then the next one is fetched by itself. */
export function useDeliveryPages(
  pages: PagesOf<'GET /api/deliveries'> | PagesOf<'GET /api/channels/:channelId/deliveries'>,
) {
  const query = useInfiniteQuery({
    ...(pages as PagesOf<'GET /api/deliveries'>),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.deliveries.some(isOverdue)) ? overdueMs : false,
  })
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries) ?? []
  const isShort = query.hasNextPage && !query.isFetching && deliveries.length < Number(pageSize) / 2
  useEffect(() => {
    if (isShort) void query.fetchNextPage()
  }, [isShort, query.fetchNextPage])
  return {
    deliveries,
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
    isLoading: query.isLoading || (deliveries.length === 0 && query.hasNextPage),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
  }
}

/** Whether a reply is on its way, or its time has come a moment ago; after a while it is held back, and a hint will come. */
export function isOverdue({ status, nextAttemptAt, attempts, isSending }: DeliveryState): boolean {
  if (isSending) return true
  if (status === 'Waiting') return attempts === 0
  const late = nextAttemptAt === null ? -1 : Date.now() - Date.parse(nextAttemptAt)
  return late > 0 && late < 60_000
}
