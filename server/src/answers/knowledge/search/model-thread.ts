import { Worker } from 'node:worker_threads'
import type { ModelManifest } from '@lat.md/embed'
import type { Log } from '../../../platform/log.ts'
import type { SharedWeights } from './minilm/shared-weights.ts'
import type { Job, ThreadData, ThreadMessage } from './thread-messages.ts'

/** The model is loaded when first needed. `failed`: the weights could not be loaded, and words are compared instead. */
export type ThreadState = 'not loaded' | 'loading' | 'ready' | 'failed'

export type ThreadOptions = {
  script: URL
  /** The compiled code of the model. */
  code: URL
  /** It runs one job after the other; loading the weights takes longest, and on a busy machine seconds. */
  mostSilentMs: number
  /** The niceness of the thread, on Linux: 10 lets everything else in the process go first, 0 does not. */
  niceness: number
}

type Setup = ThreadOptions & {
  model: ModelManifest
  weights: SharedWeights
  /** Whether the library embeds where the compiled code does not run. */
  withLibrary: boolean
  /** What it means when the thread fails, for the log. */
  failure: string
}

export type ModelThread = {
  state: () => ThreadState
  /** Whether it is loaded and runs our own code. */
  isFast: () => boolean
  /** The jobs that somebody waits for. */
  waiting: () => number
  /** Starts it, if it does not run, without a job. */
  start: () => void
  ask: <Value>(job: Job) => Promise<Value>
  close: () => Promise<void>
}

/**
 * A thread that runs jobs one after the other. It starts when first needed, is restarted after a crash or when it is silent for
 * too long with jobs pending, and keeps the process alive only while jobs are pending.
 */
export function openThread(log: Log, setup: Setup): ModelThread {
  const pending = openPending(setup.mostSilentMs, replace)
  let thread: Worker | undefined
  let [state, isFast]: [ThreadState, boolean] = ['not loaded', false]

  function start(): Worker {
    const started = startWorker(log, setup)
    started.on('message', receive)
    started.once('exit', () => {
      if (thread === started) reset('the thread of the built-in model ended')
    })
    thread = started
    state = 'loading'
    return started
  }

  function receive(message: ThreadMessage): void {
    if ('state' in message) {
      pending.watch()
      state = message.state
      isFast = message.state === 'ready' && message.slowBecause === undefined
      if (message.state === 'failed') log.warn({ reason: message.reason }, setup.failure)
      else if (message.slowBecause) log.warn({ reason: message.slowBecause }, slowness)
      return
    }
    const job = pending.take(message.id)
    if (pending.isEmpty()) thread?.unref()
    if ('error' in message) job?.reject(new Error(message.error))
    else job?.resolve(message.value)
  }

  function replace(): void {
    log.error('the thread of the built-in model does not answer; it is replaced')
    void reset('the built-in model gave no answer in time')?.terminate()
  }

  function reset(reason: string): Worker | undefined {
    const ending = thread
    thread = undefined
    ;[state, isFast] = ['not loaded', false]
    pending.failAll(reason)
    return ending
  }

  return {
    state: () => state,
    isFast: () => isFast,
    waiting: pending.urgent,
    start: () => void (thread ?? start()),
    ask: <Value>(job: Job) => {
      const to = thread ?? start()
      const { id, promise } = pending.add(job.kind !== 'embed' || job.isUrgent)
      to.ref()
      to.postMessage({ ...job, id })
      return promise as Promise<Value> // the caller names the type of its job's result
    },
    close: async () => void (await reset('the built-in model was closed')?.terminate()),
  }
}

/** It keeps the process alive only when it is told to. */
function startWorker(log: Log, { script, weights, model, code, withLibrary, niceness }: Setup): Worker {
  const place = weights.take()
  const workerData: ThreadData = { model, withLibrary, niceness, code: code.href, place }
  const started = new Worker(script, { workerData })
  started.once('error', (err) => log.error({ err }, 'the thread of the built-in model crashed'))
  started.once('exit', () => weights.giveBack(place))
  started.unref()
  return started
}

const slowness =
  'the built-in model runs in its library, which takes more than twice as long: its compiled code does not run here'

/** The pending jobs. While there are any, the thread must send a message at least every `mostSilentMs`. */
function openPending(mostSilentMs: number, whenSilent: () => void) {
  const pending = new Map<number, PromiseWithResolvers<unknown> & { isUrgent: boolean }>()
  let [lastId, urgent] = [0, 0]
  let silence: NodeJS.Timeout | undefined

  function watch(): void {
    clearTimeout(silence)
    if (pending.size > 0) silence = setTimeout(whenSilent, mostSilentMs).unref()
  }

  return {
    watch,
    isEmpty: () => pending.size === 0,
    urgent: () => urgent,
    add: (isUrgent: boolean) => {
      const job = { ...Promise.withResolvers<unknown>(), isUrgent }
      if (isUrgent) urgent += 1
      lastId += 1
      pending.set(lastId, job)
      if (pending.size === 1) watch()
      return { id: lastId, promise: job.promise }
    },
    take: (id: number) => {
      const job = pending.get(id)
      pending.delete(id)
      if (job?.isUrgent) urgent -= 1
      watch()
      return job
    },
    failAll: (reason: string) => {
      const left = [...pending.values()]
      pending.clear()
      urgent = 0
      watch()
      for (const { reject } of left) reject(new Error(reason))
    },
  }
}
