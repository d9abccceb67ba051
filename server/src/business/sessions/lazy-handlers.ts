import type { AppRouteName } from '@patchbay/contract/app/routes.ts'
import { loadOnce } from '../../platform/load-once.ts'
import type { Handlers } from './handlers.ts'

type Call = (request: unknown) => Promise<unknown>

/** Handlers of which nothing is loaded before the first request to one of them. */
export function lazyHandlers<Name extends AppRouteName>(
  names: readonly Name[],
  load: () => Promise<Pick<Handlers, Name>>,
): Pick<Handlers, Name> {
  const loaded = loadOnce(load)
  const handlerOf =
    (name: Name): Call =>
    async (request) =>
      ((await loaded())[name] as Call)(request) // the request is of the route that it was registered for
  return Object.fromEntries(names.map((name) => [name, handlerOf(name)])) as Pick<Handlers, Name>
}
