// Runs alone: takes long, it waits for socket timeouts

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { makeDatabase, type TestDatabase } from '../../helpers/databases.ts'
import { saveUrl, startDelivering } from '../../helpers/deliveries.ts'
import { type Asked, breachesOf } from '../../helpers/global-rules.ts'
import { startApp, type TestAccount } from '../../helpers/harness.ts'
import { incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { makeDataFolder, startProcess } from '../../helpers/server-process.ts'
import { openSlowProxy } from '../../helpers/slow-proxy.ts'
import { until } from '../../helpers/until.ts'

/** `KILL_ROUNDS=10 npm test` for the long run. */
const rounds = 3 * Number(process.env.KILL_ROUNDS ?? 1)

// F10
test('when all database connections are ended repeatedly, only requests in flight on them fail, and no connection leaks', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  await using admin = await connectTo(app.database)
  const callers = 16
  const asked: Asked[] = []
  const ending = new AbortController()
  const load = Array.from({ length: callers }, (_, n) => keepPosting(shop, { n, asked }, ending.signal))
  for (let round = 0; round < rounds; round += 1) {
    await untilServed(asked, 100)
    await admin.query(`select pg_terminate_backend(pid) ${others}`)
  }
  await untilServed(asked, 100)
  ending.abort()
  await Promise.all(load)
  const failed = asked.filter(({ status }) => status !== 200)
  for (const { status } of failed) assert.equal(status, 500)
  assert.ok(failed.length <= rounds * callers, `${failed.length} failed in ${rounds} rounds of ${callers}`)
  const { rows } = await admin.query(`select count(*)::int as open ${others}`)
  assert.ok(rows[0].open <= mostConnections, `${rows[0].open} connections are open`)
  const histories = { accountId: shop.accountId, asked, logs: app.log }
  assert.deepEqual(await breachesOf((text, values) => admin.query(text, values), histories), [])
})

/** All pools of one process together, and its single connections for locks and for LISTEN. */
const mostConnections = 40
const others = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

async function connectTo({ address }: TestDatabase): Promise<Client & AsyncDisposable> {
  const client = new Client(address)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

async function keepPosting(
  shop: TestAccount,
  { n, asked }: { n: number; asked: Asked[] },
  ending: AbortSignal,
): Promise<void> {
  for (let sent = 0; !ending.aborted; sent += 1) {
    const messageSid = `${n} ${sent}`
    const { status, body } = await shop.post(incomingPath, incoming({ messageSid, fromId: `from ${n}` }))
    asked.push({ messageSid, status, messageId: body.messageId })
  }
}

async function untilServed(asked: Asked[], more: number): Promise<void> {
  const enough = asked.filter(({ status }) => status === 200).length + more
  await until(() => asked.filter(({ status }) => status === 200).length >= enough, 'requests are not served')
}

// F12
test('a worker whose connections fall silent, also the one that listens, finds the work of others after the socket timeout', async () => {
  await using world = new AsyncDisposableStack()
  const database = world.use(await makeDatabase())
  const proxy = world.use(await openSlowProxy(database))
  const api = world.use(await startApp({ ROLE: 'api' }, database))
  world.use(await startDelivering({ ROLE: 'worker' }, { ...api, database: proxy }))
  const receiver = world.use(await startReceiver())
  const shop = await api.makeAccount()
  await saveUrl(api, shop, receiver.url)
  await shop.post(sendPath, outgoing({ body: 'before' }))
  await until(() => receiver.requests.length === 1, 'the worker does not deliver')

  proxy.fallSilent()
  await shop.post(sendPath, outgoing({ body: 'during' }))
  await until(() => receiver.requests.length === 2, 'the worker does not find the message')
  await shop.post(sendPath, outgoing({ body: 'after' }))
  await until(() => receiver.requests.length === 3, 'the worker does not find the message')
  await sleep(200)
  assert.deepEqual(
    receiver.requests.map(({ body }) => JSON.parse(String(body)).body),
    ['before', 'during', 'after'],
  )
})

// F12
test('a server whose database has fallen silent stops on SIGTERM', async () => {
  await using world = new AsyncDisposableStack()
  const proxy = world.use(await openSlowProxy(world.use(await makeDatabase())))
  const folder = world.use(await makeDataFolder({ cluster: false }))
  const DATABASE_URL = proxy.address.connectionString ?? ''
  const server = await startProcess({ DATA_DIR: folder.path, DATABASE_URL, SECRET_KEY: 'the same on every machine' })
  assert.equal((await server.post(incomingPath, incoming())).status, 200)
  proxy.fallSilent()
  server.child.kill('SIGTERM')
  const giveUp = setTimeout(() => server.child.kill('SIGKILL'), 90_000)
  assert.equal(await server.exited, 0, server.output())
  clearTimeout(giveUp)
})
