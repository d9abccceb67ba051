import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Heard, ListenOrder } from './listeners.ts'

/** A process that holds streams open, so that neither the load generator nor the server pays for the browsers. */
export type Listeners = {
  open: (order: Exclude<ListenOrder, 'close'>) => Promise<void>
  close: () => Promise<Heard>
  [Symbol.asyncDispose]: () => Promise<void>
}

export function startListeners(): Listeners {
  const child = fork(resolve(import.meta.dirname, 'listeners.ts'), { env: {} })
  const ended = once(child, 'exit')

  async function ask(order: ListenOrder): Promise<Heard> {
    const answered = once(child, 'message')
    child.send(order)
    const [answer] = await Promise.race([answered, ended.then(([code]) => [{ error: `it exited with ${code}` }])])
    const { outcome, error } = answer as { outcome?: Heard; error?: string } // listeners.ts sends one of the two
    if (outcome === undefined) throw new Error(`the process of the streams failed: ${error}`)
    return outcome
  }

  return {
    open: async (order) => void (await ask(order)),
    close: () => ask('close'),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
