import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importKnowledge } from '../../../../src/answers/knowledge/entries/import.ts'
import type { CampaignId } from '../../../../src/platform/ids.ts'
import { contactOf, defaultCampaign, makeTurnsDue, untilAnswered, untilEmbedded, write } from '../../../helpers/bots.ts'
import { startDelivering } from '../../../helpers/deliveries.ts'
import { startInbox, withOk } from '../../../helpers/inbox.ts'
import { startMeteredBot } from '../../../helpers/metered-bot.ts'
import { signIn } from '../../../helpers/sessions.ts'

test('an answer of the built-in engine names its entries with their scores and the thresholds', async () => {
  await using inbox = await startInbox(startDelivering())
  const { app, account, owner, pathOf } = inbox
  const campaignId = (await defaultCampaign(app, account)) as CampaignId
  const campaign = { accountId: account.accountId, campaignId }
  await importKnowledge(app.db, campaign, [
    { questions: ['When are you open?', 'What are your opening hours?'], answer: 'From nine to five.' },
    { questions: ['Do you ship abroad?'], answer: 'To all of Europe.' },
  ])
  await untilEmbedded(app)
  const asked = await write(account, 'When are you open?')
  await untilAnswered(app)
  const { messages } = await owner.ok('GET', `${await pathOf()}/messages`)
  const [, said] = messages
  assert.deepEqual([said.body, said.hasAnswer, messages[0].hasAnswer], ['From nine to five.', true, false])
  const why = await owner.ok('GET', `/api/messages/${said.id}/answer`)
  const { sources, durationMs, createdAt, campaign: shown, model, reason, ...rest } = why
  assert.deepEqual(rest, {
    outcome: 'answered',
    routing: 'default',
    engine: 'builtin',
    inputTokens: null,
    outputTokens: null,
    thresholds: { answer: 0.5, offer: 0.35, margin: 0.05 },
    credits: null,
  })
  assert.equal(shown.id, campaignId)
  assert.ok(shown.name.length > 0 && shown.version >= 1 && durationMs >= 0 && Date.parse(createdAt) > 0)
  assert.equal(sources[0].question, 'When are you open?')
  assert.ok(sources[0].score > 0.5)
  assert.deepEqual(await owner.ok('GET', `/api/messages/${asked}/answer`), why, 'the question leads to the same')
})

test('an answer of a model that was paid for says what it cost', async () => {
  await using world = await startMeteredBot({ creditsPerReply: 1.25 })
  const { app, db, model, account, sub, grant } = world
  await grant(10)
  const { userId } = await db
    .selectFrom('users')
    .select('id as userId')
    .where('accountId', '=', sub.accountId)
    .executeTakeFirstOrThrow()
  const owner = withOk(await signIn(app, { accountId: sub.accountId, userId }))
  await write(account, 'A question')
  await makeTurnsDue(db)
  ;(await model.next()).answer('An answer.')
  await untilAnswered(app)
  const { messages } = await owner.ok('GET', `/api/conversations/${await contactOf(app)}/messages`)
  const why = await owner.ok('GET', `/api/messages/${messages[1].id}/answer`)
  assert.deepEqual([why.credits, why.model, why.thresholds, why.sources], ['1.25', 'test', null, []])
})

test('a message that the bot has decided nothing about has no answer to explain', async () => {
  await using inbox = await startInbox()
  const { account, owner } = inbox
  for (const id of [await write(account, 'Hello'), `msg_${'0'.repeat(32)}`, 'nothing']) {
    const answer = await owner.call('GET', `/api/messages/${id}/answer`)
    assert.deepEqual([answer.status, answer.body.error.code], [404, 'NOT_FOUND'])
  }
})
