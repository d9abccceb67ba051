import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { embedMissing } from '../../../src/answers/knowledge/search/embed-missing.ts'
import { type Embedder, openEmbedder } from '../../../src/answers/knowledge/search/embedder.ts'
import { openRetrieval } from '../../../src/answers/knowledge/search/retrieval.ts'
import { openKnowledgeWorld, shopEntries, silentLog } from '../../helpers/knowledge.ts'

const started: Worker[] = []
const watch = (worker: Worker) => void started.push(worker)
process.on('worker', watch)
after(() => process.off('worker', watch))

const question = (i: number) => `When will order number ${i} arrive at my house?`
const urgent = { isUrgent: true }

/** Asks two questions at a time until the second thread has answered one. */
async function useBoth(embedder: Embedder): Promise<void> {
  await embedder.embed(['loads the model'])
  const count = started.length // the last of them is its first thread
  const second = () => started[count]
  for (let i = 0; i < 400 && !second(); i++) await embedder.embed([question(i), question(-i)], urgent)
  let hasAnswered = false
  second()?.on('message', (message: object) => {
    hasAnswered ||= 'id' in message
  })
  for (let i = 0; i < 400 && !hasAnswered; i++) await embedder.embed([`${i} a`, `${i} b`], urgent)
  assert.ok(hasAnswered, 'a second thread answers')
}

test('questions that come at once are answered by two threads, with the same vectors and at the same low priority', async () => {
  const [both, one] = [openEmbedder(silentLog, undefined, { mostThreads: 2 }), openEmbedder(silentLog)]
  await useBoth(both)
  const texts = Array.from({ length: 24 }, (_, i) => `${question(i)} ${'It is late. '.repeat(i)}`)
  const expected = await one.embed(texts) // texts that can wait have one thread
  assert.deepEqual(await both.embed(texts, urgent), expected)
  if (process.platform === 'linux') assert.ok(countOfLowPriority() >= 2)
  await Promise.all([both.close(), one.close()])
})

function countOfLowPriority(): number {
  const nicenessOf = (stat: string) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  const own = nicenessOf(readFileSync('/proc/self/stat', 'utf8'))
  if (own === 19) return Number.POSITIVE_INFINITY // there is none lower
  const tasks = readdirSync('/proc/self/task').map((task) => readFileSync(`/proc/self/task/${task}/stat`, 'utf8'))
  return tasks.filter((stat) => nicenessOf(stat) > own).length
}

test('a second thread that begins later is given the entries of a campaign when it is asked', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign(shopEntries)
  const embedder = openEmbedder(silentLog, undefined, { mostThreads: 2, niceness: 0 })
  await embedMissing(world.db, embedder)
  const { rank } = openRetrieval(world.db, embedder)
  const alone = await rank(campaign, question(1), 'auto')
  await useBoth(embedder)
  const rankings = await Promise.all(Array.from({ length: 8 }, () => rank(campaign, question(1), 'auto')))
  assert.deepEqual(rankings, Array(8).fill(alone))
  await embedder.close()
})

test('when one of two threads dies, only what it was asked fails, and it is started again', async () => {
  const embedder = openEmbedder(silentLog, undefined, { mostThreads: 2, niceness: 0 })
  await useBoth(embedder)
  const asked = Promise.allSettled([embedder.embed(['a first'], urgent), embedder.embed(['a second'], urgent)])
  await started.at(-1)?.terminate()
  const [first, second] = await asked
  assert.deepEqual([first?.status, second?.status], ['fulfilled', 'rejected'])
  const count = started.length
  for (let i = 0; i < 400 && started.length === count; i++) await embedder.embed([question(i), question(-i)], urgent)
  assert.equal(started.length, count + 1)
  await embedder.close()
})

test('one core has one thread, and so has the library, whose weights cannot be shared', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'patchbay-threads-'))
  const code = pathToFileURL(join(folder.path, 'empty.wasm'))
  writeFileSync(code, '')
  for (const options of [{ mostThreads: 1 }, { mostThreads: 2, code }]) {
    const before = started.length
    const embedder = openEmbedder(silentLog, undefined, { ...options, niceness: 0 })
    await embedder.embed(['loads the model'])
    for (let i = 0; i < 5; i++) await embedder.embed([question(i), question(-i), `${i}`], urgent)
    assert.equal(started.length - before, 1)
    await embedder.close()
  }
})
