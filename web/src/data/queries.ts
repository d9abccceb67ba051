import type { AppRouteName } from '@patchbay/contract/app/routes.ts'
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError, callWithSignal, type PartsOf } from './api.ts'

type ReadRoute = Extract<AppRouteName, `GET ${string}`>

/**
 * Makes a query of what a route reads: `useQuery(read('GET /api/contacts', { query: { q } }))`. Its key begins with the
 * name of the route, so after a change `queryClient.invalidateQueries({ queryKey: ['GET /api/contacts'] })` fetches it
 * anew.
 */
export function read<Name extends ReadRoute>(name: Name, ...parts: PartsOf<Name>) {
  return queryOptions({
    queryKey: [name, ...parts] as const,
    queryFn: ({ signal }) => callWithSignal(name, signal, ...parts),
  })
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always', // a server on this machine answers while the browser is offline
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
    mutations: { networkMode: 'always' },
  },
})
