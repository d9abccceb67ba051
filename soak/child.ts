import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

/** A process that does one thing: it prepares, goes on when told, and tells what came of it when told to stop. */
export type Child<Ready, Outcome> = {
  ready: Promise<Ready>
  go: (more?: unknown) => void
  stop: () => Promise<Outcome>
  [Symbol.asyncDispose]: () => Promise<void>
}

type FromChild = { ready?: unknown; outcome?: unknown; error?: string }
type ToChild = { prepare?: unknown; go?: unknown; stop?: true }

/** Client and attacker are processes of their own, so that neither is slowed down by the other. */
export function startChild<Ready, Outcome>(file: string, order: unknown): Child<Ready, Outcome> {
  const child = fork(resolve(import.meta.dirname, file), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ready = Promise.withResolvers<Ready>()
  const outcome = Promise.withResolvers<Outcome>()
  outcome.promise.catch(() => {}) // told to who stops it
  ready.promise.catch(() => {})
  const exited = once(child, 'exit')
  const fail = (reason: string) => {
    ready.reject(new Error(`${file}: ${reason}`))
    outcome.reject(new Error(`${file}: ${reason}`))
  }
  void exited.then(([code, signal]) => fail(`ended with ${signal ?? code}`))
  child.on('message', (message: FromChild) => {
    if (message.error !== undefined) fail(message.error)
    else if ('ready' in message) ready.resolve(message.ready as Ready)
    else outcome.resolve(message.outcome as Outcome)
  })
  const tell = (message: ToChild) => void (child.connected && child.send(message))
  tell({ prepare: order })
  return {
    ready: ready.promise,
    go: (more) => tell({ go: more ?? null }),
    stop: () => {
      tell({ stop: true })
      return outcome.promise
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exited
    },
  }
}

type Duty<Order, Ready, More, Outcome> = (
  order: Order,
) => Promise<{ ready: Ready; run: (more: More, ending: AbortSignal) => Promise<Outcome> }>

/** The other side: what the process does. It ends with its runner, however that ends. */
export function serve<Order, Ready, More, Outcome>(duty: Duty<Order, Ready, More, Outcome>): void {
  const ending = new AbortController()
  let prepared: Awaited<ReturnType<typeof duty>> | undefined
  const fail = (error: unknown) =>
    process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  process.on('disconnect', () => process.exit())
  process.on('SIGINT', () => {}) // Ctrl-C is the runner's to handle
  process.on('message', (message: ToChild) => {
    if (message.stop) return ending.abort()
    if ('prepare' in message) {
      duty(message.prepare as Order).then((made) => {
        prepared = made
        process.send?.({ ready: made.ready ?? null })
      }, fail)
    } else {
      prepared?.run(message.go as More, ending.signal).then((outcome) => process.send?.({ outcome }), fail)
    }
  })
}
