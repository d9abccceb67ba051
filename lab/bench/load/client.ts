import { resolve } from 'node:path'
import { startHelper } from '../helper-process.ts'
import type { Order } from './process.ts'
import type { DeliveryLoad, DeliveryOutcome } from './run-delivery.ts'
import type { Load, Outcome } from './run-load.ts'
import type { Upload, UploadOutcome } from './upload.ts'

/** A process that makes load. */
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
  const helper = startHelper<Order>(resolve(import.meta.dirname, 'process.ts'), 'the load generator')
  const { ask, tell } = helper
  return {
    load: async (load, until) => {
      const stop = () => tell('stop')
      until?.then(stop, stop)
      return (await ask({ load })) as Outcome // load/process.ts answers each order with its own outcome
    },
    upload: async (upload) => (await ask({ upload })) as UploadOutcome,
    listen: async (listen) => (await ask({ listen })) as { ports: number[] },
    deliver: async (deliver) => (await ask({ deliver })) as DeliveryOutcome,
    [Symbol.asyncDispose]: helper[Symbol.asyncDispose],
  }
}
