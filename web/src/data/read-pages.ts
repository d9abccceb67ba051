import type { AppRouteName, PartOf, ReplyOf } from '@patchbay/contract/app/routes.ts'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { callWithSignal, type PartsOf } from './api.ts'

type Page = { next: string | null }

/** Routes that answer page by page, from the newest on. */
type PagedRoute = {
  [Name in AppRouteName]: PartOf<Name, 'query'> extends { before?: string }
    ? ReplyOf<Name> extends Page
      ? Name
      : never
    : never
}[AppRouteName]

/**
 * Makes a query as `read` does, of a route that answers page by page:
 * `useInfiniteQuery(readPages('GET /api/audit', { query: { q } }))`.
 */
export function readPages<Name extends PagedRoute>(name: Name, ...parts: PartsOf<Name>) {
  const given = parts[0] as { query?: object } | undefined
  return infiniteQueryOptions({
    queryKey: [name, ...parts] as const,
    queryFn: async ({ pageParam, signal }): Promise<ReplyOf<Name> & Page> => {
      const query = { ...given?.query, ...(pageParam && { before: pageParam }) }
      const page = await callWithSignal(name, signal, ...([{ ...given, query }] as unknown as PartsOf<Name>))
      return page as ReplyOf<Name> & Page // it is one, as `PagedRoute` says
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
}
