import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { serve } from './child.ts'
import { openRandom } from './random.ts'

export type ProxyOrder = { to: number; delayMs: number; resetShare: number; seed: number }

/** Stands between the server and its database: everything takes longer, and now and then a connection breaks. */
serve<ProxyOrder, { port: number }, null, { resets: number; connections: number }>(
  async ({ to, delayMs, resetShare, seed }) => {
    const random = openRandom(seed)
    const met = { resets: 0, connections: 0 }
    let isBreaking = false

    function pass(from: Socket, into: Socket): void {
      from.on('data', (data) => {
        if (isBreaking && random() < resetShare) {
          met.resets += 1
          from.resetAndDestroy()
          into.resetAndDestroy()
          return
        }
        setTimeout(() => into.writable && into.write(data), delayMs)
      })
      from.on('error', () => {})
      from.on('close', () => setTimeout(() => into.end(), delayMs))
    }

    const server = createServer((near) => {
      met.connections += 1
      const far = connect(to, '127.0.0.1')
      near.setNoDelay(true)
      far.setNoDelay(true)
      pass(near, far)
      pass(far, near)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return {
      ready: { port: (server.address() as AddressInfo).port },
      run: async (_more, ending) => {
        isBreaking = true
        await once(ending, 'abort')
        isBreaking = false
        return met
      },
    }
  },
)
