import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importKnowledge } from '../../../src/answers/knowledge/entries/import.ts'
import { listUnanswered } from '../../../src/answers/knowledge/unanswered/unanswered.ts'
import type { CampaignId } from '../../../src/platform/ids.ts'
import { defaultCampaign, untilAnswered, write } from '../../helpers/bots.ts'
import { startDelivering } from '../../helpers/deliveries.ts'
import { until } from '../../helpers/until.ts'

test('after an import the unanswered questions that it answers are deleted, and no others; how near those are is known', async () => {
  await using app = await startDelivering()
  const account = await app.makeAccount()
  const other = await app.makeAccount()
  const asked = ['Do you rent out furniture?', 'how tall is mount everest', 'hello, can I rent furniture from you?']
  for (const [n, text] of asked.entries()) {
    for (const shop of [account, other]) await write(shop, text, { fromId: `contact ${n}` })
  }
  await untilAnswered(app)
  const refOf = async ({ accountId }: typeof account) => ({
    accountId,
    campaignId: (await defaultCampaign(app, { accountId })) as CampaignId, // it begins with cmp_
  })
  const questions = async (shop: typeof account) =>
    (await listUnanswered(app.db, await refOf(shop)))
      .flatMap((group) => group.questions.map(({ question }) => question))
      .sort()
  assert.equal((await questions(account)).length, 3)
  const nearest = async () => (await listUnanswered(app.db, await refOf(account))).map((group) => group.nearest)
  assert.ok(
    (await nearest()).every((score) => score === null),
    'there was no entry',
  )

  await importKnowledge(app.db, await refOf(account), [
    { questions: ['Do you rent out furniture?', 'Can I rent furniture?'], answer: 'Yes, by the month.' },
  ])
  await until(async () => (await questions(account)).length < 3, 'the answered questions are still listed')
  assert.deepEqual(await questions(account), ['how tall is mount everest'])
  await until(async () => (await nearest())[0] !== null, 'how near it is now is not known')
  assert.ok(Number((await nearest())[0]) < 0.35)
  assert.equal((await questions(other)).length, 3)
  await until(async () => {
    const campaigns = await app.db.selectFrom('campaigns').select(['knowledgeVersion', 'unansweredVersion']).execute()
    return campaigns.every(({ knowledgeVersion, unansweredVersion }) => knowledgeVersion === unansweredVersion)
  }, 'the questions are retried again and again')
})
