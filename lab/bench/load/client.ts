import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Order } from './process.ts'
import type { DeliveryLoad, DeliveryOutcome } from './run-delivery.ts'
import type { Load, Outcome } from './run-load.ts'
import type { Upload, UploadOutcome } from './upload.ts'

/** A process that makes load, so that making it does not slow down whoever measures it, nor the other way round. */
export type LoadClient = {
  /** Ends when its time is over, or when `until` settles. */
  load: (order: Load, until?: Promise<unknown>) => Promise<Outcome>
  upload: (order: Upload) => Promise<UploadOutcome>
  /** Begins to receive events, on so many ports. */
  listen: (addresses: number) => Promise<{ ports: number[] }>
  deliver: (order: DeliveryLoad) => Promise<DeliveryOutcome>
  [Symbol.asyncDispose]: () => Promise<void>
}

export function startLoadClient(): LoadClient {
  const child = fork(resolve(import.meta.dirname, 'process.ts'), { env: {} })
  const ended = once(child, 'exit')

  async function ask(order: Order): Promise<unknown> {
    const answered = once(child, 'message')
    child.send(order)
    const [answer] = await Promise.race([answered, ended.then(([code]) => [{ error: `it exited with ${code}` }])])
    const { outcome, error } = answer as { outcome?: unknown; error?: string } // load/process.ts sends one of the two
    if (error !== undefined) throw new Error(`the load generator failed: ${error}`)
    return outcome
  }

  return {
    load: async (load, until) => {
      const stop = () => child.connected && child.send('stop' satisfies Order)
      until?.then(stop, stop)
      return (await ask({ load })) as Outcome // load/process.ts answers each order with its own outcome
    },
    upload: async (upload) => (await ask({ upload })) as UploadOutcome,
    listen: async (listen) => (await ask({ listen })) as { ports: number[] },
    deliver: async (deliver) => (await ask({ deliver })) as DeliveryOutcome,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
