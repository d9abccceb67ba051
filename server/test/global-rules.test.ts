import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { breachesOf, type Histories, type Query } from './helpers/global-rules.ts'
import { startApp } from './helpers/harness.ts'
import { incoming, incomingPath, outgoing, sendPath } from './helpers/message-requests.ts'

test('the check finds messages that are lost, not requested, misreported, unanswered or undelivered, and leaked secrets', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const { body: kept } = await shop.post(incomingPath, incoming({ messageSid: 'kept' }))
  const { body: sent } = await shop.post(sendPath, outgoing())
  const client = new Client(app.database.address)
  await client.connect()
  const query: Query = (text, values) => client.query(text, values)
  const told = { messageSid: 'kept', status: 200, messageId: kept.messageId }
  const event = { messageId: sent.messageId, webhookId: sent.messageId, body: '{}', status: 200 }
  const check = async (histories: Partial<Histories>) =>
    (await breachesOf(query, { accountId: shop.accountId, asked: [told], ...histories })).map((text) =>
      text.slice(0, 2),
    )

  assert.deepEqual(await check({}), [])
  assert.deepEqual(await check({ asked: [told, { messageSid: 'gone', status: 200, messageId: 'msg_1' }] }), ['N1'])
  assert.deepEqual(await check({ asked: [told, { messageSid: 'gone', status: 500 }] }), [])
  assert.deepEqual(await check({ asked: [] }), ['N2'])
  assert.deepEqual(await check({ asked: [{ ...told, messageId: 'msg_other' }] }), ['D1'])
  assert.deepEqual(await check({ isAnswered: true }), ['N1', 'N1'], 'a turn is owed, and no answer covers it')
  assert.deepEqual(await check({ isDelivered: true }), ['N1'])
  assert.deepEqual(await check({ arrived: [event] }), ['D1'], 'it has never been tried')
  assert.deepEqual(await check({ arrived: [event], kills: 1 }), [])
  assert.deepEqual(await check({ arrived: [event, { ...event, body: '{ }' }], kills: 2 }), ['D1'])
  assert.deepEqual(await check({ arrived: [{ ...event, messageId: 'msg_1' }] }), ['N2'])
  assert.deepEqual(await check({ secrets: [shop.apiKey], logs: [`key ${shop.apiKey}`] }), ['X1'])
  assert.deepEqual(await check({ logs: ['Unhandled rejection'] }), ['P1'])
  await client.query('update deliveries set sent_at = now(), due_at = null')
  assert.deepEqual(await check({ arrived: [{ ...event, status: 500 }], kills: 1 }), ['S1'])
  await client.end()
})
