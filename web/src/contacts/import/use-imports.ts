import type { ShownImport } from '@patchbay/contract/app/imports.ts'
import { useQuery } from '@tanstack/react-query'
import { queryClient, read } from '../../data/queries.ts'
import { useRefresh } from '../../data/use-refresh.ts'

/** Rows that are taken are on a list, which may be shown. */
const routes = ['GET /api/imports', 'GET /api/imports/:importId/errors', 'GET /api/lists/:listId/reach'] as const

/** The imports of the account, newest first; fetched anew when the server says so, and while one is at work. */
export function useImports() {
  useRefresh(['imports'], routes)
  return useQuery({
    ...read('GET /api/imports'),
    refetchInterval: ({ state }) => (state.data?.imports.some(isAtWork) ? 2_000 : false),
  })
}

function isAtWork({ state }: ShownImport): boolean {
  return state === 'reading' || state === 'checking' || state === 'running'
}

export function isOver({ state }: ShownImport): boolean {
  return state === 'finished' || state === 'stopped' || state === 'refused'
}

export const percentOf = ({ done, rows }: ShownImport) => (rows === 0 ? 0 : Math.floor((done / rows) * 100))

/** Shows an import at once as a call has returned it. */
export function keepImport(changed: ShownImport): void {
  queryClient.setQueryData<{ imports: ShownImport[] }>(['GET /api/imports'], (data) => {
    if (!data) return data
    const others = data.imports.filter(({ id }) => id !== changed.id)
    return { imports: [changed, ...others].sort((one, other) => (one.id < other.id ? 1 : -1)) }
  })
}

export async function refreshImports(): Promise<void> {
  await Promise.all(routes.map((route) => queryClient.invalidateQueries({ queryKey: [route] })))
}
