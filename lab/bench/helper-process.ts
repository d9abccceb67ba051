import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A process that carries out one order at a time, so that neither it nor whoever measures slows the other down. */
export type HelperProcess<Order> = {
  ask: (order: Order) => Promise<unknown>
  /** For an order that has no answer. */
  tell: (order: Order) => void
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts this file as a process. `name`: in an error that says that it failed. */
export function startHelper<Order extends string | object>(file: string, name: string): HelperProcess<Order> {
  const child = fork(file, { env: {} })
  const ended = once(child, 'exit')
  return {
    ask: async (order) => {
      const answered = once(child, 'message')
      child.send(order)
      const [answer] = await Promise.race([answered, ended.then(([code]) => [{ error: `it exited with ${code}` }])])
      const { outcome, error } = answer as { outcome?: unknown; error?: string } // it sends one of the two
      if (error !== undefined) throw new Error(`${name} failed: ${error}`)
      return outcome
    },
    tell: (order) => void (child.connected && child.send(order)),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Answers the orders of whoever started this process, which ends with them. Undefined: the order has no answer. */
export function serveOrders<Order>(carryOut: (order: Order) => Promise<unknown> | undefined): void {
  process.on('message', (order: Order) => {
    carryOut(order)?.then(
      (outcome) => process.send?.({ outcome }),
      (error) => process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit()) // the runner is gone, however it went
  process.on('SIGINT', () => {}) // Ctrl-C is the runner's to handle
}
