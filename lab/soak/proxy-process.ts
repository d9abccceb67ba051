import { once } from 'node:events'
import { openSlowProxy } from '../../server/test/helpers/slow-proxy.ts'
import { serve } from './child.ts'

export type ProxyOrder = { url: string; delayMs: number; resetShare: number; seed: number }

/** A proxy between the server and its database that adds latency and, while it runs, resets connections. */
serve<ProxyOrder, { url: string }, null, { resets: number }>(async ({ url, delayMs, resetShare, seed }) => {
  const proxy = await openSlowProxy({ address: { connectionString: url } }, { delayMs, seed })
  return {
    ready: { url: proxy.address.connectionString ?? '' },
    run: async (_more, stopping) => {
      proxy.setResetShare(resetShare)
      await once(stopping, 'abort')
      proxy.setResetShare(0)
      return { resets: proxy.resets() }
    },
  }
})
