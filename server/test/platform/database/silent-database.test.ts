import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDatabase } from '../../helpers/databases.ts'
import { assertFlat } from '../../helpers/flat-refusals.ts'
import { startApp } from '../../helpers/harness.ts'
import { countTraces, incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { openSlowProxy } from '../../helpers/slow-proxy.ts'

// F12
test('when the database falls silent on every open connection, waiting requests fail, and all are served again within 30 s', async () => {
  await using world = new AsyncDisposableStack()
  const proxy = world.use(await openSlowProxy(world.use(await makeDatabase())))
  const app = world.use(await startApp({ RATE_LIMIT_PER_MINUTE: '0' }, proxy))
  const shop = await app.makeAccount()
  const warm = await Promise.all(
    Array.from({ length: 20 }, (_, n) => shop.post(incomingPath, incoming({ messageSid: `before ${n}` }))),
  )
  assert.deepEqual(new Set(warm.map(({ status }) => status)), new Set([200]))

  const silentAt = performance.now()
  proxy.fallSilent()
  assertFlat(await shop.post(incomingPath, incoming({ messageSid: 'during' })), 500)
  const again = await Promise.all([
    shop.post(incomingPath, incoming({ messageSid: 'during' })),
    shop.post(sendPath, outgoing()),
    shop.post('/contacts', { phone: '+15551234567' }),
  ])
  assert.deepEqual(
    again.map(({ status }) => status),
    [200, 200, 201],
  )
  assert.ok(performance.now() - silentAt < 30_000)
  assert.equal((await countTraces(app)).messages, 22)
})
