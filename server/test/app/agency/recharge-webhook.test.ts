import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAccount } from '../../../src/business/accounts/store.ts'
import { setRecharge } from '../../../src/business/credits/recharge.ts'
import { charge, startAgency } from '../../helpers/credits.ts'
import { startDelivering } from '../../helpers/deliveries.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

test('an agency saves, tests and pauses the receiver of its recharge requests, apart from that of its replies', async () => {
  await using receiver = await startReceiver()
  await using world = await startAgency(await sharedApp({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' }))
  const owner = await signIn(world.app, world.agency)
  const none = await owner.call('GET', '/api/agency/webhook')
  assert.deepEqual(none.body, { webhook: null, undelivered: 0 })
  assert.equal((await owner.call('POST', '/api/agency/webhook/test')).status, 404)
  const saved = await owner.call('PUT', '/api/agency/webhook', { url: `${receiver.url}/recharge` })
  assert.deepEqual([saved.status, saved.body.webhook.state], [200, 'working'])
  assert.equal((await owner.call('GET', '/api/webhook')).body.webhook, null)
  const tested = await owner.call('POST', '/api/agency/webhook/test')
  assert.deepEqual([tested.body.status, tested.body.checksSignature], ['Sent', false])
  assert.equal(JSON.parse(String(receiver.requests[0]?.body)).event, 'subaccount.auto_recharge')
  assert.equal((await owner.call('POST', '/api/agency/webhook/pause')).body.webhook.state, 'paused')
  assert.equal((await owner.call('POST', '/api/agency/webhook/resume')).body.webhook.state, 'working')
  const { body } = await owner.call('GET', '/api/audit?group=keys')
  const acts = body.events.map(({ act, details }: Record<string, { kind?: string }>) => [act, details?.kind])
  assert.deepEqual(acts.reverse(), [
    ['webhook changed', 'recharge'],
    ['webhook paused', 'recharge'],
    ['webhook resumed', 'recharge'],
  ])
})

test('a recharge request stands in the log with its attempts and can be sent again under the same id', async () => {
  let status = 503
  await using receiver = await startReceiver((_, response) => response.writeHead(status).end())
  const app = await startDelivering({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '0' })
  await using world = await startAgency(app)
  const { db, agency } = world
  const owner = await signIn(app, agency)
  await owner.call('PUT', '/api/agency/webhook', { url: `${receiver.url}/recharge` })
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 10 })
  await setRecharge(db, await findAccount(db, sub.accountId), { threshold: 10, amount: 50 })
  await charge(db, sub.accountId, 0.5)
  const log = (filter: string) => owner.call('GET', `/api/agency/deliveries?filter=${filter}`)
  await until(async () => (await log('failed')).body.deliveries.length === 1, 'it is in the log')
  const [failed] = (await log('all')).body.deliveries
  assert.deepEqual(
    [failed.accountId, failed.email, failed.balance, failed.amount, failed.fault.httpStatus],
    [sub.accountId, sub.email, 9.5, 50, 503],
  )
  const detail = await owner.call('GET', `/api/agency/deliveries/${failed.id}`)
  assert.deepEqual([detail.body.attempts[0].fault.httpStatus, JSON.parse(detail.body.payload).amount], [503, 50])
  assert.equal((await owner.call('GET', '/api/agency/webhook')).body.webhook.state, 'failing')
  status = 200
  assert.equal((await owner.call('POST', `/api/agency/deliveries/${failed.id}/resend`)).status, 200)
  await until(async () => (await log('sent')).body.deliveries.length === 1, 'it is in the log')
  const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
  assert.deepEqual(new Set(ids), new Set([failed.id]))
})
