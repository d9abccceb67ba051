import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GivenEntry, importKnowledge } from '../../../src/answers/knowledge/entries/import.ts'
import { readMissing } from '../../../src/answers/knowledge/entries/missing-store.ts'
import { readKnowledgeFile } from '../../../src/answers/knowledge/entries/read-knowledge-file.ts'
import type { CampaignRef } from '../../../src/answers/knowledge/entries/store.ts'
import { findChangedCampaign } from '../../../src/answers/knowledge/unanswered/retry-store.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import { newId } from '../../../src/platform/ids.ts'
import { openKnowledgeWorld } from '../../helpers/knowledge.ts'

const two: GivenEntry[] = [
  { questions: ['Where is my order?', 'Track my parcel'], answer: 'Follow the link.' },
  { questions: ['Are you open?'], answer: 'Yes.', handsOver: true, isOn: false },
]

/** The entries of a campaign, without generated values. */
async function readAll(db: Db, { accountId, campaignId }: CampaignRef) {
  const rows = await db
    .selectFrom('entries as e')
    .innerJoin('entryTexts as t', (join) =>
      join.onRef('t.entryId', '=', 'e.id').onRef('t.accountId', '=', 'e.accountId'),
    )
    .select(['e.id', 'e.isOn', 'e.handsOver', 't.n', 't.text'])
    .where('e.accountId', '=', accountId)
    .where('e.campaignId', '=', campaignId)
    .orderBy('e.id')
    .orderBy('t.n')
    .execute()
  return rows
}

const refused = (says: RegExp) => ({ name: 'Refusal', code: 'INVALID_REQUEST', message: says })

test('imported entries are stored with their answer, questions and switches', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()

  assert.deepEqual(await importKnowledge(world.db, campaign, two), { added: 2, replaced: 0 })

  const rows = await readAll(world.db, campaign)
  const found = (isOn: boolean) =>
    rows.filter((row) => row.isOn === isOn).map(({ handsOver, n, text }) => [handsOver, n, text])
  assert.deepEqual(found(true), [
    [false, 0, 'Follow the link.'],
    [false, 1, 'Where is my order?'],
    [false, 2, 'Track my parcel'],
  ])
  assert.deepEqual(found(false), [
    [true, 0, 'Yes.'],
    [true, 1, 'Are you open?'],
  ])
})

test('importing the same file again changes nothing, and a changed entry replaces the old one', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign(two)
  const before = await readAll(world.db, campaign)

  assert.deepEqual(await importKnowledge(world.db, campaign, two), { added: 0, replaced: 2 })
  assert.deepEqual(await readAll(world.db, campaign), before)

  const changed = [{ questions: ['  where IS my órder'], answer: 'Ask the carrier.' }]
  assert.deepEqual(await importKnowledge(world.db, campaign, changed), { added: 0, replaced: 1 })
  const after = await readAll(world.db, campaign)
  const old = before.find(({ text }) => text === 'Where is my order?')
  assert.deepEqual(
    after.filter(({ id }) => id === old?.id).map(({ text }) => text),
    ['Ask the carrier.', '  where IS my órder'],
  )
  assert.equal(after.length, 4)
})

test('concurrent imports of one file create each entry once', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()

  await Promise.all(Array.from({ length: 8 }, () => importKnowledge(world.db, campaign, two)))

  assert.equal((await readAll(world.db, campaign)).length, 5)
})

test('an import with one wrong entry stores none, and names the entry and the field', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  const good = { questions: ['One?'], answer: 'Yes.' }
  const wrong: [GivenEntry[], RegExp][] = [
    [[], /at least one entry/],
    [[good, { questions: [], answer: 'x' }], /Entry 2: questions must have 1 to 20/],
    [[good, { questions: Array.from({ length: 21 }, (_, i) => `q${i}`), answer: 'x' }], /Entry 2: questions must/],
    [[good, { questions: ['q', ' \u200b'], answer: 'x' }], /Entry 2: question 2 must not be empty/],
    [[good, { questions: ['q'.repeat(513)], answer: 'x' }], /Entry 2: question 1 must have at most 512 characters/],
    [[good, { questions: ['q'], answer: '' }], /Entry 2: answer must not be empty/],
    [[good, { questions: ['q'], answer: 'a'.repeat(4_001) }], /Entry 2: answer must have at most 4000 characters/],
    [[good, { questions: ['q\0'], answer: 'a' }], /Entry 2: question 1 must be plain text/],
    [[good, { questions: ['q'], answer: '\ud800 a' }], /Entry 2: answer must be plain text/],
    [[good, { questions: ['  ONE'], answer: 'a' }], /Entry 2: question 1 is the same as that of entry 1/],
    [Array.from({ length: 5_001 }, (_, i) => ({ ...good, questions: [`q ${i}`] })), /at most 5000 entries/],
  ]
  for (const [entries, says] of wrong) {
    await assert.rejects(importKnowledge(world.db, campaign, entries), refused(says))
  }
  assert.deepEqual(await readAll(world.db, campaign), [])
})

test("another account's campaign is as unknown as one that does not exist", async () => {
  await using world = await openKnowledgeWorld()
  const [own, foreign] = [await world.makeCampaign(), await world.makeCampaign(two)]
  for (const campaignId of [foreign.campaignId, newId('cmp')]) {
    const campaign = { accountId: own.accountId, campaignId }
    await assert.rejects(importKnowledge(world.db, campaign, two), refused(/no such campaign/))
  }
  assert.equal((await readAll(world.db, foreign)).length, 5)
})

test('5,000 entries are imported at once', async () => {
  await using world = await openKnowledgeWorld()
  const campaign = await world.makeCampaign()
  const many = Array.from({ length: 5_000 }, (_, i) => ({
    questions: [`Question ${i}?`, `Ask ${i}`],
    answer: `A ${i}`,
  }))
  assert.deepEqual(await importKnowledge(world.db, campaign, many), { added: 5_000, replaced: 0 })
  assert.deepEqual(await importKnowledge(world.db, campaign, many), { added: 0, replaced: 5_000 })
  await assert.rejects(importKnowledge(world.db, campaign, two), refused(/at most 5000 entries/))
})

test('a file is read as JSON', () => {
  assert.deepEqual(readKnowledgeFile(`\uFEFF ${JSON.stringify(two)}`), two)
})

test('a file is read as CSV, with quotes, empty cells, byte order mark and any line ends', () => {
  const csv = '\uFEFFAnswer,question,Question\r\n"Yes, ""we"" are","Are you\nopen?",\r\n\r\nNo.,A?,B?\r\n'
  assert.deepEqual(readKnowledgeFile(csv), [
    { answer: 'Yes, "we" are', questions: ['Are you\nopen?'] },
    { answer: 'No.', questions: ['A?', 'B?'] },
  ])
})

test('a file with semicolons or tabs between its cells is read, as spreadsheets write it', () => {
  const entries = [
    { answer: 'Ja, 1,50 €; immer', questions: ['Wie viel?', 'Was kostet es?'] },
    { answer: 'Nein', questions: ['Offen?'] },
  ]
  for (const separator of [';', '\t', ',']) {
    const rows = [
      ['answer', 'question', 'Question'],
      ['"Ja, 1,50 €; immer"', 'Wie viel?', '"Was kostet es?"'],
      ['Nein', 'Offen?', ''],
    ]
    const csv = rows.map((row) => row.join(separator)).join('\r\n')
    for (const text of [csv, `\uFEFF${csv}\r\n`, csv.replace('answer', '"answer"'), `sep=${separator}\r\n${csv}`]) {
      assert.deepEqual(readKnowledgeFile(text), entries, JSON.stringify(text))
    }
  }
  assert.throws(() => readKnowledgeFile('answer;question\nb;a\n;a'), refused(/^Line 3: the answer is empty/))
  assert.throws(() => readKnowledgeFile('sep=;\nanswer;question\nb;a\n;a'), refused(/^Line 4: the answer is empty/))
})

test('the refusal of a wrong file names the entry or the line', () => {
  const wrong: [string, RegExp][] = [
    ['[\n{"questions": ["a"],\n"answer": }]', /^Line 3 is not JSON/],
    ['{"questions": []}', /must hold a list/],
    ['[{"questions": ["a"], "answer": "b"}, {"questions": "a", "answer": "b"}]', /^Entry 2: questions must be array/],
    ['[{"questions": ["a"]}]', /^Entry 1: .*answer/],
    ['[{"questions": ["a"], "answer": "b", "extra": 1}]', /^Entry 1: /],
    ['', /header/],
    ['question,answer\na,b', /header: answer,question/],
    ['answer\nb', /header/],
    ['answer,question\nb,a\n,a', /^Line 3: the answer is empty/],
    ['answer,question\nb,a\nb,', /^Line 3: there is no question/],
    ['answer,question\nb,"a\nb', /^Line \d: this is not CSV/],
  ]
  for (const [text, says] of wrong) assert.throws(() => readKnowledgeFile(text), refused(says), text)
})

test('a large file of one account delays the vectors and the unanswered questions of another by one batch', async () => {
  await using world = await openKnowledgeWorld()
  const many = Array.from({ length: 200 }, (_, n) => ({ questions: [`Question ${n}?`], answer: `Answer ${n}.` }))
  const [large, small] = [await world.makeCampaign(many), await world.makeCampaign(two)]
  assert.notEqual(large.accountId, small.accountId)
  const next = async (servedLast?: string) => {
    const texts = await readMissing(world.db, 'm@1', { limit: 64, servedLast })
    return { accountIds: [...new Set(texts.map(({ accountId }) => accountId))], n: texts.length }
  }
  const first = await next()
  assert.equal(first.accountIds.length, 1)
  const second = await next(first.accountIds[0])
  assert.deepEqual([...first.accountIds, ...second.accountIds].sort(), [large.accountId, small.accountId].sort())
  assert.deepEqual(await next(second.accountIds[0]), first)
  await world.db
    .updateTable('entryTexts')
    .set({ model: 'm@1', vector: Buffer.alloc(4) })
    .where('accountId', '=', small.accountId)
    .execute()
  assert.equal((await findChangedCampaign(world.db, { model: 'm@1' }))?.campaignId, small.campaignId)
})
