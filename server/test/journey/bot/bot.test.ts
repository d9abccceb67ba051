import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importKnowledge } from '../../../src/answers/knowledge/entries/import.ts'
import type { CampaignId } from '../../../src/platform/ids.ts'
import { conversation, defaultCampaign, outcomes, untilAnswered, untilEmbedded, write } from '../../helpers/bots.ts'
import { allSent, saveUrl, startDelivering, untilMessages } from '../../helpers/deliveries.ts'
import { startReceiver } from '../../helpers/receivers.ts'

const shop = [
  { questions: ['When are you open?', 'Opening hours'], answer: 'We are open from 9 to 6, Monday to Saturday.' },
  { questions: ['How can I return something?', 'Return policy'], answer: 'Send it back within 30 days.' },
  { questions: ['Do you ship abroad?', 'International delivery'], answer: 'We ship to all of Europe.' },
]

test('a rephrased question is answered from the knowledge of the campaign, and the answer arrives at the webhook', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  const campaignId = (await defaultCampaign(app, account)) as CampaignId
  await importKnowledge(app.db, { accountId: account.accountId, campaignId }, shop)
  await untilEmbedded(app)
  await write(account, 'at what time does your store open in the morning?')
  await untilAnswered(app)
  await untilMessages(app, account, (all) => allSent(all.filter(({ author }) => author === 'bot')))
  await write(account, 'what is the capital of Australia?', { fromId: 'ben' })
  await untilAnswered(app)
  await untilMessages(app, account, (all) => all.length === 4 && allSent(all.filter(({ author }) => author === 'bot')))
  const bodies = receiver.requests.map(({ body }) => JSON.parse(String(body)))
  assert.deepEqual(
    bodies.map(({ toId, body }) => [toId, body]),
    [
      ['ana', 'We are open from 9 to 6, Monday to Saturday.'],
      [
        'ben',
        'I do not have an answer to that yet. Could you put it another way? To talk to a person, write "person".',
      ],
    ],
  )
  assert.deepEqual(await outcomes(app), ['answered, near', 'fell back, nothing near'])
})

test('a greeting to a new account is answered', async () => {
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await write(account, 'Hello')
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), ['contact: Hello', 'bot: Hello! How can I help you?'])
})
