import { resolve } from 'node:path'
import { startHelper } from '../helper-process.ts'
import type { Heard, ListenOrder } from './listeners.ts'

/** A process that holds streams open, so that neither the load generator nor the server pays for the browsers. */
export type Listeners = {
  open: (order: Exclude<ListenOrder, 'close'>) => Promise<void>
  close: () => Promise<Heard>
  [Symbol.asyncDispose]: () => Promise<void>
}

export function startListeners(): Listeners {
  const helper = startHelper<ListenOrder>(resolve(import.meta.dirname, 'listeners.ts'), 'the process of the streams')
  return {
    open: async (order) => void (await helper.ask(order)),
    close: async () => (await helper.ask('close')) as Heard, // as listeners.ts answers
    [Symbol.asyncDispose]: helper[Symbol.asyncDispose],
  }
}
