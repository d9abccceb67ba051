import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openEmbedder } from '../src/knowledge/embedder.ts'
import type { CampaignRef } from '../src/knowledge/retrieval.ts'
import { listUnanswered, noteUnanswered, vectorOfQuestion } from '../src/knowledge/unanswered.ts'
import type { Db } from '../src/platform/db.ts'
import { missingModel, openKnowledgeWorld, silentLog } from './knowledge.ts'

const embedder = openEmbedder(silentLog)
after(() => embedder.close())

async function note(db: Db, campaign: CampaignRef, question: string): Promise<void> {
  const vector = await vectorOfQuestion(embedder, question)
  await db.transaction().execute((tx) => noteUnanswered(tx, campaign, question, vector))
}

async function groups(db: Db, campaign: CampaignRef): Promise<[times: number, questions: string[]][]> {
  const listed = await listUnanswered(db, campaign)
  return listed.map(({ times, questions }) => [times, questions.map(({ question }) => question)])
}

test('the same wording is counted, and questions that mean the same are one group, most frequent first', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  const asked = [
    'Is the shop wheelchair accessible?',
    'Do you rent out furniture?',
    '  do you RENT out furniture ',
    'Do you rent furniture out?',
    'Can I rent furniture from you?',
  ]
  for (const question of asked) await note(world.db, campaign, question)

  assert.deepEqual(await groups(world.db, campaign), [
    [4, ['do you rent out furniture', 'can i rent furniture from you', 'do you rent furniture out']],
    [1, ['is the shop wheelchair accessible']],
  ])
})

test('one question noted from many sides at once is one row that counts all of them', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  await Promise.all(Array.from({ length: 8 }, () => note(world.db, campaign, 'Do you rent out furniture?')))
  assert.deepEqual(await groups(world.db, campaign), [[8, ['do you rent out furniture']]])
})

test('campaigns and accounts do not see what others were asked', async () => {
  await using world = await openKnowledgeWorld()
  const shop = await world.makeCampaign()
  const [sibling, rival] = [await world.makeCampaign([], shop.accountId), await world.makeCampaign()]
  for (const campaign of [shop, sibling, rival]) await note(world.db, campaign, 'Do you rent out furniture?')

  for (const campaign of [shop, sibling, rival]) {
    assert.deepEqual(await groups(world.db, campaign), [[1, ['do you rent out furniture']]])
  }
  assert.deepEqual(await groups(world.db, { ...rival, accountId: shop.accountId }), [])
  const ids = await world.db.selectFrom('unanswered').select('groupId').distinct().execute()
  assert.equal(ids.length, 3)
})

test('without weights every wording is a group of its own', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  const broken = openEmbedder(silentLog, missingModel)
  for (const question of ['Do you rent?', 'do you rent', 'Do you rent out?']) {
    const vector = await vectorOfQuestion(broken, question)
    assert.equal(vector, null)
    await world.db.transaction().execute((tx) => noteUnanswered(tx, campaign, question, vector))
  }
  assert.deepEqual(
    (await groups(world.db, campaign)).map(([times]) => times),
    [2, 1],
  )
  await broken.close()
})

test('a question is kept up to 512 characters, and one of nothing is not kept', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  const add = (question: string) => world.db.transaction().execute((tx) => noteUnanswered(tx, campaign, question, null))
  for (const question of ['', '  ', '🙂'.repeat(600), 'a\0b\ud800', '???']) await add(question)
  const rows = await world.db.selectFrom('unanswered').select('question').execute()
  assert.deepEqual(rows.map(({ question }) => question).sort(), ['???', 'ab\ufffd', '🙂'.repeat(512)])
})
