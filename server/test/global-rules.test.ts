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
  assert.deepEqual(await check({ isAnswered: true }), ['N1'], 'a turn is owed')
  assert.deepEqual(await check({ isDelivered: true }), ['N1'])
  assert.deepEqual(await check({ arrived: [event] }), ['D1'], 'it has never been tried')
  assert.deepEqual(await check({ arrived: [event], kills: 1 }), [])
  assert.deepEqual(await check({ arrived: [event, { ...event, body: '{ }' }], kills: 2 }), ['D1'])
  assert.deepEqual(await check({ arrived: [{ ...event, messageId: 'msg_1' }] }), ['N2'])
  assert.deepEqual(await check({ secrets: [shop.apiKey], logs: [`key ${shop.apiKey}`] }), ['X1'])
  assert.deepEqual(await check({ logs: ['Unhandled rejection'] }), ['P1'])
  await client.query('update deliveries set sent_at = now(), due_at = null')
  assert.deepEqual(await check({ arrived: [{ ...event, status: 500 }], kills: 1 }), ['S1'])
  await client.query('delete from turns')
  assert.deepEqual(await check({ isAnswered: true }), ['N1'], 'no answer covers it')
  assert.deepEqual(await check({ isAnswered: true, answeredSince: new Date(Date.now() + 60_000) }), [])
  await client.query('delete from deliveries')
  assert.deepEqual(await check({ arrived: [event] }), ['N2'])
  const settled = { attempts: 1, isSent: true, isSettled: true }
  assert.deepEqual(await check({ arrived: [event], removedDeliveries: new Map([[sent.messageId, settled]]) }), [])
  await client.query(`delete from messages where direction = 'incoming'`)
  assert.deepEqual(await check({ isRemoving: true }), ['N1'], 'it is not there, and its messageSid is not noted')
  const note = `insert into removed_sids (account_id, sid_hash, message_id) values ($1, substr(sha256('kept'), 1, 16), $2)`
  await client.query(note, [shop.accountId, kept.messageId])
  assert.deepEqual(await check({ isRemoving: true }), [])
  assert.deepEqual(await check({ isRemoving: true, asked: [{ ...told, messageId: 'msg_other' }] }), ['D1'])
  await client.end()
})
