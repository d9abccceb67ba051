import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { importKnowledge } from '../../../src/answers/knowledge/entries/import.ts'
import { embedMissing } from '../../../src/answers/knowledge/search/embed-missing.ts'
import { openEmbedder } from '../../../src/answers/knowledge/search/embedder.ts'
import { openRetrieval } from '../../../src/answers/knowledge/search/retrieval.ts'
import { startEmbedding } from '../../../src/answers/knowledge/stage.ts'
import { missingModel, openKnowledgeWorld, shopEntries, silentLog } from '../../helpers/knowledge.ts'

const embedder = openEmbedder(silentLog, undefined, { mostThreads: 1 }) // `threads.test.ts` has two
after(() => embedder.close())

const delivery = 'by when will I have what I ordered?'

test('the stage embeds saved entries, which are then found by their meaning', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign(shopEntries)
  const stage = startEmbedding({ db: world.db, embedder }, silentLog)
  while ((await world.db.selectFrom('entryTexts').select('n').where('model', 'is', null).execute()).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await stage.stop()

  const { entries, scoring } = await openRetrieval(world.db, embedder).rank(campaign, delivery, 'auto')

  assert.equal(scoring, 'minilm')
  assert.equal(entries[0]?.question, 'How long does delivery take?')
  const models = await world.db.selectFrom('entryTexts').select('model').distinct().execute()
  assert.deepEqual(models, [{ model: embedder.modelId }])
  assert.match(embedder.modelId, /^minilm-l6-v2@\d+\.\d+\.\d+$/)
})

test("a text with another model's vector is embedded again, and counts as not embedded until then", async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign(shopEntries)
  const count = await embedMissing(world.db, embedder)
  assert.equal(await embedMissing(world.db, embedder), 0)
  await world.db.updateTable('entryTexts').set({ model: 'older@1' }).where('n', '<', 2).execute()
  await importKnowledge(world.db, campaign, [{ questions: ['New?'], answer: 'New.' }])
  const retrieval = openRetrieval(world.db, embedder)

  assert.equal((await retrieval.rank(campaign, delivery, 'auto')).scoring, 'words')

  assert.equal(await embedMissing(world.db, embedder), 10 + 2)
  assert.ok(count > 10)
  assert.equal((await retrieval.rank(campaign, delivery, 'auto')).scoring, 'minilm')
})

test('an entry is found as soon as it is saved, and no longer once it is switched off', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign(shopEntries)
  await embedMissing(world.db, embedder)
  const { rank } = openRetrieval(world.db, embedder)
  const parking = { questions: ['Is there parking at the store?'], answer: 'Behind the house.' }
  assert.notEqual((await rank(campaign, 'parking at your store', 'auto')).entries[0]?.answer, parking.answer)

  await importKnowledge(world.db, campaign, [parking])
  const [found] = (await rank(campaign, 'parking at your store', 'auto')).entries
  assert.equal(found?.answer, parking.answer)
  assert.ok(found.score >= 0.5, `scored ${found.score} by its words`)

  await importKnowledge(world.db, campaign, [{ ...parking, isOn: false }])
  const { entries } = await rank(campaign, 'parking at your store', 'auto')
  assert.ok(entries.every(({ answer }) => answer !== parking.answer))
})

test('several that load the entries of one campaign at once do not disturb each other', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign(shopEntries)
  // As a worker and the app do it in one process, each with a retrieval of its own.
  const retrievals = Array.from({ length: 6 }, () => openRetrieval(world.db, embedder))
  const [first, ...others] = await Promise.all(
    retrievals.map(({ rank }) => rank(campaign, shopEntries[0]?.questions[0] ?? '', 'auto')),
  )
  assert.equal(new Set(first?.entries.map(({ entryId }) => entryId)).size, first?.entries.length)
  for (const other of others) assert.deepEqual(other, first)
})

test('a campaign finds only its own entries, and none of another account', async () => {
  await using world = await openKnowledgeWorld()
  const shop = await world.makeCampaign(shopEntries)
  const sibling = await world.makeCampaign([{ questions: ['Sibling?'], answer: 'Sibling.' }], shop.accountId)
  const rival = await world.makeCampaign([{ questions: ['How long does delivery take?'], answer: 'Rival.' }])
  await embedMissing(world.db, embedder)
  const { rank, find } = openRetrieval(world.db, embedder)

  const answers = async (campaign: typeof shop) =>
    (await rank(campaign, delivery, 'auto')).entries.map(({ answer }) => answer)
  assert.deepEqual(await answers(rival), ['Rival.'])
  assert.deepEqual(await answers(sibling), ['Sibling.'])
  assert.ok(!(await answers(shop)).includes('Rival.'))
  assert.deepEqual(await answers({ accountId: shop.accountId, campaignId: rival.campaignId }), [])

  const [theirs] = (await rank(rival, delivery, 'auto')).entries
  assert.ok(theirs)
  assert.deepEqual(await find(shop, [theirs.entryId]), [])
  assert.deepEqual(await find({ ...rival, accountId: shop.accountId }, [theirs.entryId]), [])
  assert.equal((await find(rival, [theirs.entryId]))[0]?.answer, 'Rival.')
})

test('a campaign in another language is scored by character n-grams, on the same scale', async () => {
  await using world = await openKnowledgeWorld()
  const spanish = [
    { questions: ['¿Cuánto tarda el envío?', '¿Cuándo llega mi pedido?'], answer: 'Llega en 2 a 4 días.' },
    { questions: ['¿Puedo devolver un producto?', '¿Cómo hago una devolución?'], answer: 'Sí, en 30 días.' },
    { questions: ['¿Cuál es el horario de la tienda?', '¿Abren los domingos?'], answer: 'De lunes a sábado.' },
  ]
  const campaign = await world.makeCampaign(spanish)
  await embedMissing(world.db, embedder)
  const { rank } = openRetrieval(world.db, embedder)
  for (const language of ['auto', 'es']) {
    const { entries, scoring } = await rank(campaign, 'cuando llega lo que pedi, mi pedido?', language)
    assert.equal(scoring, 'ngrams')
    assert.equal(entries[0]?.answer, 'Llega en 2 a 4 días.')
    assert.ok(entries[0].score >= 0.5)
    const unrelated = await rank(campaign, 'cuéntame un chiste', language)
    assert.ok((unrelated.entries[0]?.score ?? 0) < 0.35)
  }
})

test("without the model's weights questions are compared by words, which the ranking reports and the log once", async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign(shopEntries)
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const broken = openEmbedder(log, missingModel)
  const { rank } = openRetrieval(world.db, broken)

  const { entries, scoring } = await rank(campaign, 'when will my order arrive', 'auto')
  await rank(campaign, 'again', 'auto')

  assert.equal(scoring, 'words')
  assert.equal(entries[0]?.question, 'How long does delivery take?')
  assert.ok(entries[0].score >= 0.5)
  assert.equal(broken.state(), 'failed')
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /weights .* could not be loaded/)
  await assert.rejects(broken.embed(['x']), /could not be loaded/)
  await broken.close()
})

test('a question is embedded before queued texts', async () => {
  const finished: string[] = []
  const texts = Array.from({ length: 30 }, (_, i) => `A text that can wait, number ${i}`)
  const background = embedder.embed(texts).then(() => finished.push('texts'))
  await embedder.embed(['A question'], { isUrgent: true }).then(() => finished.push('question'))
  await background
  assert.deepEqual(finished, ['question', 'texts'])
})

test('the thread runs at a lower priority than the process, on Linux', {
  skip: process.platform !== 'linux',
}, async () => {
  await embedder.embed(['loads the model'])
  const priorities = readdirSync('/proc/self/task').map((task) => {
    const stat = readFileSync(`/proc/self/task/${task}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
  const main = readFileSync('/proc/self/stat', 'utf8')
  const own = Number(main.slice(main.lastIndexOf(')') + 2).split(' ')[16])
  assert.equal(priorities.filter((priority) => priority > own).length, own < 19 ? 1 : 0)
})

test('a closed model is loaded again by the next call, and pending calls fail', async () => {
  const once = openEmbedder(silentLog)
  const asked = once.embed(['never answered'])
  await Promise.all([assert.rejects(asked, /closed/), once.close()])
  assert.equal(once.state(), 'not loaded')
  assert.equal((await once.embed(['answered']))[0]?.length, 384)
  await once.close()
})

test('a thread that dies is replaced, its pending calls fail, and entries are loaded again', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign(shopEntries)
  const mortal = openEmbedder(silentLog)
  const { rank } = openRetrieval(world.db, mortal)
  const started = new Promise<Worker>((resolve) => process.once('worker', resolve))
  const before = await rank(campaign, delivery, 'es')

  const waiting = mortal.embed(['never answered'])
  await Promise.all([assert.rejects(waiting, /ended/), (await started).terminate()])

  assert.deepEqual(await rank(campaign, delivery, 'es'), before)
  await mortal.close()
})

test('entries of many campaigns are ranked although the thread caches only some of them', async () => {
  await using world = await openKnowledgeWorld()
  const first = await world.makeCampaign([{ questions: ['Number 0?'], answer: '0' }])
  const campaigns = [first]
  for (let i = 1; i < 70; i++) {
    campaigns.push(await world.makeCampaign([{ questions: [`Number ${i}?`], answer: `${i}` }], first.accountId))
  }
  const { rank } = openRetrieval(world.db, embedder)
  for (const [i, campaign] of [...campaigns.entries(), ...campaigns.entries()]) {
    assert.equal((await rank(campaign, 'number', 'es')).entries[0]?.answer, `${i}`)
  }
})

test('a thread that gets stuck is replaced, and only its pending calls fail', async () => {
  const script = new URL('../../helpers/stuck-thread.ts', import.meta.url)
  const embedder = openEmbedder(silentLog, undefined, { script, mostSilentMs: 5_000 })
  const [stuck, behind] = await Promise.allSettled([embedder.embed(['stuck']), embedder.embed(['fine'])])
  for (const { status } of [stuck, behind]) assert.equal(status, 'rejected')
  assert.deepEqual(await embedder.embed(['fine', 'fine']), [Float32Array.of(1), Float32Array.of(1)])
  await embedder.close()
})
