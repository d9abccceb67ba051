import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import type { CampaignRef } from '../../../src/answers/knowledge/entries/store.ts'
import { type Embedder, openEmbedder } from '../../../src/answers/knowledge/search/embedder.ts'
import {
  listUnanswered,
  noteUnanswered,
  readUnanswered,
  vectorOfQuestion,
} from '../../../src/answers/knowledge/unanswered/unanswered.ts'
import { deleteAsker, readLatest } from '../../../src/answers/knowledge/unanswered/unanswered-store.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { missingModel, openKnowledgeWorld, silentLog } from '../../helpers/knowledge.ts'
import { removeOld } from '../../helpers/retention.ts'

const embedder = openEmbedder(silentLog)
after(() => embedder.close())

type Asking = { by?: ContactId; with?: Embedder | null }

async function note(
  db: Db,
  campaign: CampaignRef,
  question: string,
  { by = 'con_ana', with: asked = embedder }: Asking = {},
): Promise<void> {
  const vector = asked && (await vectorOfQuestion(asked, question))
  const unanswered = await readUnanswered(db, campaign, { asked: question, embed: async () => vector, nearest: null })
  if (unanswered) await db.transaction().execute((tx) => noteUnanswered(tx, { ...campaign, contactId: by }, unanswered))
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
    [4, ['Do you rent out furniture?', 'Can I rent furniture from you?']],
    [1, ['Is the shop wheelchair accessible?']],
  ])
})

test('a question keeps its case, and those that differ in case, signs or a letter are one; a number makes another', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  const asked = [
    '¿Dónde está mi pedido de IKEA?',
    'donde esta mi pedido de ikea',
    'DÓNDE ESTÁ, mi pedido de Ikea!!',
    'donde esta mi peddido de ikea',
    'Have you got the chair in size 38?',
    'Have you got the chair in size 39?',
  ]
  for (const question of asked) await note(world.db, campaign, question)
  const wordings = (await listUnanswered(world.db, campaign)).flatMap(({ questions }) => questions)
  assert.deepEqual(
    wordings.toSorted((a, b) => b.times - a.times || a.question.localeCompare(b.question)),
    [
      { question: asked[0], times: 4 },
      { question: asked[4], times: 1 },
      { question: asked[5], times: 1 },
    ],
  )
})

test('a group names who asked, the last one first, and how many did', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  const { accountId } = campaign
  const contacts = ['con_a', 'con_b', 'con_c', 'con_d'] as const
  for (const id of contacts) {
    const fields = { accountId, id, externalId: `from ${id}`, firstName: id === 'con_b' ? 'Ben' : null }
    await world.db.insertInto('contacts').values(fields).execute()
  }
  for (const by of [...contacts, 'con_b'] as const) await note(world.db, campaign, 'Do you rent bikes?', { by })
  const [group] = await listUnanswered(world.db, campaign)
  assert.deepEqual(
    [group?.times, group?.askedBy, group?.askers],
    [
      ...[5, 4],
      [
        { contactId: 'con_b', name: 'Ben', fromId: 'from con_b' },
        { contactId: 'con_d', name: null, fromId: 'from con_d' },
        { contactId: 'con_c', name: null, fromId: 'from con_c' },
      ],
    ],
  )
})

test('one question recorded many times at once is one row that counts all of them', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  await Promise.all(Array.from({ length: 8 }, () => note(world.db, campaign, 'Do you rent out furniture?')))
  assert.deepEqual(await groups(world.db, campaign), [[8, ['Do you rent out furniture?']]])
})

test('a wording that is stored is not embedded again, and keeps its vector', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  let embedded = 0
  const embed = async (text: string) => {
    embedded += 1
    return vectorOfQuestion(embedder, text)
  }
  for (const asked of ['Do you rent bikes?', 'do you rent BIKES', 'Where is your shop?']) {
    const unanswered = await readUnanswered(world.db, campaign, { asked, embed, nearest: null })
    assert.ok(unanswered)
    await world.db.transaction().execute((tx) => noteUnanswered(tx, { ...campaign, contactId: 'con_ana' }, unanswered))
  }
  assert.equal(embedded, 2)
  const stored = await readLatest(world.db, campaign, { model: embedder.modelId, limit: 10 })
  assert.equal(stored.length, 2, 'both have a vector')
})

test("campaigns and accounts do not see each other's questions", async () => {
  await using world = await openKnowledgeWorld()
  const shop = await world.makeCampaign()
  const [sibling, rival] = [await world.makeCampaign([], shop.accountId), await world.makeCampaign()]
  for (const campaign of [shop, sibling, rival]) await note(world.db, campaign, 'Do you rent out furniture?')

  for (const campaign of [shop, sibling, rival]) {
    assert.deepEqual(await groups(world.db, campaign), [[1, ['Do you rent out furniture?']]])
  }
  assert.deepEqual(await groups(world.db, { ...rival, accountId: shop.accountId }), [])
  const ids = await world.db.selectFrom('unanswered').select('groupId').distinct().execute()
  assert.equal(ids.length, 3)
})

test("without the model's weights every wording is a group of its own", async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  const broken = openEmbedder(silentLog, missingModel)
  for (const question of ['Do you rent?', 'do you rent', 'Do you rent out?']) {
    assert.equal(await vectorOfQuestion(broken, question), null)
    await note(world.db, campaign, question, { with: broken })
  }
  assert.deepEqual(
    (await groups(world.db, campaign)).map(([times]) => times),
    [2, 1],
  )
  await broken.close()
})

test('a question is stored up to 512 characters, and an empty one is not stored', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  for (const question of ['', '  ', '🙂'.repeat(600), 'a\0b\ud800', '???']) {
    await note(world.db, campaign, question, { with: null })
  }
  const rows = await world.db.selectFrom('unanswered').select('question').execute()
  assert.deepEqual(rows.map(({ question }) => question).sort(), ['???', 'ab', '🙂'.repeat(512)])
})

test('erasing an asker lowers the count of a wording, and erasing the last one deletes it', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  const ask = (question: string, by: ContactId) => note(world.db, campaign, question, { by, with: null })
  for (const by of ['con_ana', 'con_ana', 'con_ben'] as const) await ask('Do you rent?', by)
  await ask('Is Ana there?', 'con_ana')
  const erase = (contactId: ContactId) =>
    world.db.transaction().execute((tx) => deleteAsker(tx, { accountId: campaign.accountId, contactId }))
  await erase('con_ana')
  assert.deepEqual(await groups(world.db, campaign), [[1, ['Do you rent?']]])
  await Promise.all([erase('con_ben'), ask('Do you rent?', 'con_eva'), ask('Do you rent?', 'con_leo')])
  assert.deepEqual(await groups(world.db, campaign), [[2, ['Do you rent?']]])
  await Promise.all([erase('con_eva'), erase('con_leo')])
  assert.deepEqual(await world.db.selectFrom('unanswered').selectAll().execute(), [])
  assert.deepEqual(await world.db.selectFrom('unansweredAskers').selectAll().execute(), [])
})

test('the questions to compare are found by an index, and their number is bounded', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  await sql`
    insert into unanswered (account_id, campaign_id, question, group_id, model, vector, last_at)
    select ${campaign.accountId}, ${campaign.campaignId}, 'question ' || n, gen_random_uuid(), ${embedder.modelId}, 'vector12',
      now() - n * interval '1 minute'
    from generate_series(1, 20000) n
  `.execute(world.db)
  await sql`analyze unanswered`.execute(world.db)
  const read = await world.db.transaction().execute(async (tx) => {
    const latest = await readLatest(tx, campaign, { model: embedder.modelId, limit: 400 })
    assert.equal(latest.length, 400)
    const { rows } = await sql<{ whole: number; single: number }>`
      select seq_scan::integer as whole, idx_tup_fetch::integer as single
      from pg_stat_xact_user_tables where relname = 'unanswered'
    `.execute(tx)
    return rows[0]
  })
  assert.deepEqual(read, { whole: 0, single: 400 })

  const count = async () => (await world.db.selectFrom('unanswered').select('id').execute()).length
  for (let n = 0; (await count()) > 2_000 && n < 200; n += 1) await note(world.db, campaign, `New ${n}`, { with: null })
  assert.equal(await count(), 2_000)
  const oldest = await sql<{ minutes: number }>`
    select extract(epoch from now() - min(last_at))::integer / 60 as minutes from unanswered
  `.execute(world.db)
  assert.ok((oldest.rows[0]?.minutes ?? 0) < 2_001, 'those asked the longest ago were deleted')

  await world.db.updateTable('unanswered').set({ lastAt: sql`last_at - interval '91 days'` }).execute()
  await note(world.db, campaign, 'question 1', { with: null })
  await removeOld(world.db)
  assert.deepEqual(await groups(world.db, campaign), [[2, ['question 1']]])
})
