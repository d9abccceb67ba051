import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { makeDatabase, type TestDatabase, urlOf } from './databases.ts'
import { assertFlat } from './flat-refusals.ts'
import { startApp } from './harness.ts'
import { countTraces, incoming, incomingPath, outgoing, sendPath } from './message-requests.ts'

test('when the database falls silent on every open connection, who waits is told so, and all are served again within 30 s', async () => {
  await using world = new AsyncDisposableStack()
  const line = world.use(await layLine(world.use(await makeDatabase())))
  const app = world.use(await startApp({ RATE_LIMIT_PER_MINUTE: '0' }, line))
  const shop = await app.makeAccount()
  const warm = await Promise.all(
    Array.from({ length: 20 }, (_, n) => shop.post(incomingPath, incoming({ messageSid: `before ${n}` }))),
  )
  assert.deepEqual(new Set(warm.map(({ status }) => status)), new Set([200]))

  const silentAt = performance.now()
  line.fallSilent()
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

type Line = TestDatabase & { fallSilent: () => void }

/** A way to the database on which what is open can fall silent: nothing arrives any more, and nobody hangs up. */
async function layLine({ address }: TestDatabase): Promise<Line> {
  const url = new URL(urlOf(address).replace('postgres:///', 'postgres://localhost/'))
  const target = url.searchParams.get('host')
  const ends = new Set<Socket>()
  const line = createServer((near) => {
    const far = target === null ? connect(Number(url.port), url.hostname) : connect(`${target}/.s.PGSQL.5432`)
    near.pipe(far)
    far.pipe(near)
    for (const end of [near, far]) {
      ends.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        ends.delete(end)
        near.destroy()
        far.destroy()
      })
    }
  })
  await once(line.listen(0, '127.0.0.1'), 'listening')
  const { port } = line.address() as AddressInfo
  const user = url.searchParams.get('user') ?? url.username
  return {
    address: { connectionString: `postgres://${user}@127.0.0.1:${port}${url.pathname}` },
    fallSilent: () => {
      for (const end of ends) end.unpipe().pause()
    },
    [Symbol.asyncDispose]: async () => {
      for (const end of ends) end.destroy()
      await new Promise((resolve) => line.close(resolve))
    },
  }
}
