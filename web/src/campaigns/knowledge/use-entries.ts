import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { readPages } from '../../data/read-pages.ts'

/** Pages of entries, the newest first; with `search`, those that have these words. */
export function useEntries(campaignId: string, search: string) {
  const words = useDeferredValue(search.trim())
  const query = words === '' ? {} : { words }
  return useInfiniteQuery({
    ...readPages('GET /api/campaigns/:campaignId/entries', { params: { campaignId }, query }),
    placeholderData: keepPreviousData,
  })
}
