import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { callWithSignal } from '../../api.ts'

/** Pages of entries, the newest first; with `search`, those that have these words. */
export function useEntries(campaignId: string, search: string) {
  const words = useDeferredValue(search.trim())
  return useInfiniteQuery({
    queryKey: ['GET /api/campaigns/:campaignId/entries', campaignId, words],
    queryFn: ({ pageParam, signal }) =>
      callWithSignal('GET /api/campaigns/:campaignId/entries', signal, {
        params: { campaignId },
        query: { ...(words !== '' && { words }), ...(pageParam && { before: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  })
}
