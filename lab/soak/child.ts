import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

/** A child process with one task: it prepares, starts on `go`, and returns its outcome on `stop`. */
export type Child<Ready, Outcome> = {
  ready: Promise<Ready>
  go: (more?: unknown) => void
  stop: () => Promise<Outcome>
  [Symbol.asyncDispose]: () => Promise<void>
}

type FromChild = { ready?: unknown; outcome?: unknown; error?: string }
type ToChild = { prepare?: unknown; go?: unknown; stop?: true }

/** Client and attacker are separate processes, so that neither slows the other down. */
export function startChild<Ready, Outcome>(file: string, order: unknown): Child<Ready, Outcome> {
  const child = fork(resolve(import.meta.dirname, file), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ready = Promise.withResolvers<Ready>()
  const outcome = Promise.withResolvers<Outcome>()
  outcome.promise.catch(() => {}) // rethrown by `stop`
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
  const send = (message: ToChild) => void (child.connected && child.send(message))
  send({ prepare: order })
  return {
    ready: ready.promise,
    go: (more) => send({ go: more ?? null }),
    stop: () => {
      send({ stop: true })
      return outcome.promise
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exited
    },
  }
}

type Task<Order, Ready, More, Outcome> = (
  order: Order,
) => Promise<{ ready: Ready; run: (more: More, stopping: AbortSignal) => Promise<Outcome> }>

/** The child's side: runs the task. The process exits when its parent does, however that ends. */
export function serve<Order, Ready, More, Outcome>(task: Task<Order, Ready, More, Outcome>): void {
  const stopping = new AbortController()
  let prepared: Awaited<ReturnType<typeof task>> | undefined
  const fail = (error: unknown) =>
    process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  process.on('disconnect', () => process.exit())
  process.on('SIGINT', () => {}) // the parent handles Ctrl-C
  process.on('message', (message: ToChild) => {
    if (message.stop) return stopping.abort()
    if ('prepare' in message) {
      task(message.prepare as Order).then((made) => {
        prepared = made
        process.send?.({ ready: made.ready ?? null })
      }, fail)
    } else {
      prepared?.run(message.go as More, stopping.signal).then((outcome) => process.send?.({ outcome }), fail)
    }
  })
}
