import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Outcome, recordOutcome } from '../src/messages/record-outcome.ts'
import { listMessages } from '../src/messages/store.ts'
import { startApp } from './harness.ts'

const failed: Outcome = {
  status: 'Failed',
  error: { category: 'timeout', httpStatus: null, detail: 'no answer in 15 s' },
}
const refused: Outcome = { status: 'Failed', error: { category: 'http_error', httpStatus: 500, detail: 'oops' } }
const sent: Outcome = { status: 'Sent' }

test('an outgoing message waits, fails with details, may fail again, is sent, and stays sent', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const customData = { fromId: 'ana', customChannel: 'chat', body: 'Hello' }
  const { body } = await shop.post('/send_custom_channel_message', { customData })
  const message = { accountId: shop.accountId, messageId: body.messageId }
  const record = (outcome: Outcome) => app.db.transaction().execute((tx) => recordOutcome(tx, message, outcome))
  const shown = async () => {
    const [first] = await listMessages(app.db, shop.accountId, { contactId: undefined, limit: 1 })
    return [first?.status, first?.error?.category, first?.error?.httpStatus, first?.sentAt !== null]
  }
  assert.deepEqual(await shown(), ['Waiting', undefined, undefined, false])
  assert.equal(await record(failed), true)
  assert.deepEqual(await shown(), ['Failed', 'timeout', null, false])
  assert.equal(await record(refused), true)
  assert.deepEqual(await shown(), ['Failed', 'http_error', 500, false])
  assert.equal(await record(sent), true)
  assert.deepEqual(await shown(), ['Sent', undefined, undefined, true])
  for (const late of [failed, sent]) assert.equal(await record(late), false)
  assert.deepEqual(await shown(), ['Sent', undefined, undefined, true])
})

test('an incoming message keeps the status its sender gave it', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const customData = { messageSid: '1', fromId: 'ana', toId: 'shop', body: 'Hello', status: 'Waiting' }
  const { body } = await shop.post('/incoming_custom_channel_message', { customData })
  const message = { accountId: shop.accountId, messageId: body.messageId }
  assert.equal(await app.db.transaction().execute((tx) => recordOutcome(tx, message, sent)), false)
})
