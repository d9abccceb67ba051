import { setPriority } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { BoundedMap } from '../../../platform/collections.ts'
import type { StoredEntry } from '../entries/store.ts'
import { type CampaignIndex, indexOf, rankEntries } from './campaign-index.ts'
import { openModel, openOwn } from './open-model.ts'
import { readDictionary } from './spelling.ts'
import type { IndexPart, Job, RankRequest, ThreadData, ThreadMessage } from './thread-messages.ts'
import { unpackEntries } from './thread-messages.ts'

type PendingJob = Job & { id: number }

const mostCampaigns = 64
/** A vector and its text take about 2 kB, and the n-grams, once built, as much again. */
const mostTexts = 50_000
const mostVectors = 500
const mostLoading = 16

const port = parentPort
if (!port) throw new Error('this file runs as a thread')
const say = (message: ThreadMessage) => port.postMessage(message)

const { model: manifest, niceness, ...data } = workerData as ThreadData // as `embedder.ts` starts it
const model = await load()

// Receiving messages goes before answering. On Linux this is the priority of the thread, elsewhere of the process. Only once it
// is loaded: beside four busy programs that took 10 s with the low priority and takes 2 s without, and beside more of them longer
// than the time after which a silent thread is replaced, to begin again.
if (process.platform === 'linux') setPriority(niceness)

const indexes = new BoundedMap<string, { version: number; index: CampaignIndex }>(mostCampaigns)
/** Those that failed halfway are dropped at last. */
const parts = new BoundedMap<string, StoredEntry[]>(mostLoading)
/** A cache of the last questions: one that is repeated, or stored as unanswered, is embedded once. */
const vectors = new BoundedMap<string, Float32Array>(mostVectors)

const urgent: PendingJob[] = []
const background: PendingJob[] = []
let isRunning = false

port.on('message', (job: PendingJob) => {
  const queue = job.kind === 'embed' && !job.isUrgent ? background : urgent
  queue.push(job)
  if (!isRunning) void runQueued()
})

async function runQueued(): Promise<void> {
  isRunning = true
  for (let job = urgent.shift() ?? background.shift(); job; job = urgent.shift() ?? background.shift()) {
    try {
      say({ id: job.id, value: await run(job) })
    } catch (error) {
      say({ id: job.id, error: String(error) })
    }
    await setImmediate() // an urgent job may have arrived meanwhile
  }
  isRunning = false
}

async function run(job: Job): Promise<unknown> {
  switch (job.kind) {
    case 'embed':
      return job.isUrgent ? embedOnce(job.text) : embed(job.text)
    case 'rank':
      return rank(job.request)
    case 'keep':
      return keep(job.part, unpackEntries(job.packed, manifest.dimensions))
  }
}

async function load() {
  try {
    const own = { code: new URL(data.code), place: data.place }
    const { embed, slowBecause } = data.withLibrary ? await openModel(manifest, own) : openOwn(manifest, own)
    const dictionary = readDictionary(manifest.tokenizerPath)
    say({ state: 'ready', slowBecause })
    return { embed, dictionary }
  } catch (error) {
    say({ state: 'failed', reason: String(error) })
    return undefined
  }
}

async function embedOnce(text: string): Promise<Float32Array> {
  const vector = vectors.get(text) ?? (await embed(text))
  vectors.set(text, vector)
  return vector
}

async function embed(text: string): Promise<Float32Array> {
  if (!model) throw new Error('the weights of the built-in model could not be loaded')
  return model.embed(text.toWellFormed())
}

async function rank({ key, ...asked }: RankRequest): Promise<unknown> {
  const kept = indexes.get(key.campaign)
  if (kept?.version !== key.version) return undefined
  indexes.set(key.campaign, kept) // the least recently used is evicted first
  const dictionary = model?.dictionary ?? new Map<string, number>()
  return rankEntries(kept.index, { ...asked, embed: model && embedOnce, dictionary })
}

function keep({ key, load: id, isFirst, isLast }: Omit<IndexPart, 'entries'>, entries: StoredEntry[]): void {
  const gathered = isFirst ? [] : parts.get(id)
  if (!gathered) return // this thread began after the first part, and says so when it is asked
  gathered.push(...entries)
  parts.set(id, gathered)
  if (!isLast) return
  parts.delete(id)
  indexes.set(key.campaign, { version: key.version, index: indexOf(gathered) })
  for (const oldest of indexes.keys()) {
    const texts = indexes.values().reduce((sum, { index }) => sum + index.texts.length, 0)
    if (indexes.size === 1 || texts <= mostTexts) break
    indexes.delete(oldest)
  }
}
