import { loadOnce } from '../../platform/load-once.ts'
import type { FetchFileCtx, FetchOverChannel } from './fetch-from-provider.ts'

/** What it needs is loaded with the first file of a channel, so that an installation without channels pays nothing for it. */
export function openFetchOverChannel(ctx: FetchFileCtx): FetchOverChannel {
  const load = loadOnce(async () => (await import('./fetch-from-provider.ts')).openFetchFromProvider(ctx))
  return async (asked) => (await load())(asked)
}
