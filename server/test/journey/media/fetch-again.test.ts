import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  claimFetches,
  type Fetch,
  giveUpFetch,
  keepFetched,
  postponeFetch,
} from '../../../src/journey/media/fetch-store.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import { urlOf } from '../../helpers/databases.ts'
import { passTime } from '../../helpers/deliveries.ts'
import { sharedApp, startApp } from '../../helpers/harness.ts'
import { isDone, png, sendFile, startFetching, untilFiles } from '../../helpers/media-files.ts'
import { countTraces } from '../../helpers/message-requests.ts'
import { startReceiver, startTcp } from '../../helpers/receivers.ts'
import { makeDataFolder, startProcess } from '../../helpers/server-process.ts'

test('a file that cannot be fetched is tried four times, at growing intervals, and then no more', async () => {
  await using app = await startFetching(undefined, 1_500)
  await using elsewhere = await startReceiver()
  const failures = [0, 0]
  await using host = await startReceiver(({ path }, response) => {
    if (path === '/missing') return response.writeHead(404).end(png)
    if (path === '/part') return response.writeHead(206).end(png)
    if (path === '/moved') return response.writeHead(307, { location: elsewhere.url }).end()
    if (path === '/cut')
      return response.writeHead(200, { 'content-length': 1_000 }).write(png, () => response.destroy())
    return failures.pop() === undefined ? response.end(png) : response.writeHead(503).end()
  })
  await using silent = await startTcp((socket) => socket.resume())
  await using dripping = await startTcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 20)
    socket.resume().on('close', () => clearInterval(timer))
  })
  const dead = await startTcp(() => {})
  await dead[Symbol.asyncDispose]()
  const paths = ['missing', 'part', 'moved', 'cut'].map((path) => host.url + path)
  const bad = [...paths, silent.url, dripping.url, dead.url]
  const urls = [...bad, `${host.url}back-later`]
  // First, because it takes long: the first file is tried again after ten seconds.
  const shops = await Array.fromAsync(urls, async (url) => ({ shop: await app.makeAccount(), url }))
  let began = Date.now()
  for (const { shop, url } of shops) await sendFile(shop, url)

  for (const [n, seconds] of [10, 60, 600].entries()) {
    const files = await untilFiles(app, (all) =>
      all.every(({ attempts, dueAt }) => attempts === n + 1 || dueAt === null),
    )
    for (const { dueAt } of files.slice(0, bad.length)) {
      const attempted = (dueAt?.getTime() ?? 0) - seconds * 1_000
      assert.ok(attempted >= began && attempted <= Date.now() + 500, `attempt ${n + 1} is followed by another wait`)
    }
    began = Date.now()
    await passTime(app.db, `${seconds} s`)
  }
  const files = await untilFiles(app, isDone)
  assert.deepEqual(
    files.map(({ state, attempts }) => [state, attempts]),
    [...bad.map(() => ['unreachable', 4]), ['stored', 3]],
  )
  await Promise.all([silent.untilClosed(), dripping.untilClosed()])
  await passTime(app.db, '7 days')
  const { length } = host.requests
  await sendFile(await app.makeAccount(), `${host.url}another`)
  await untilFiles(app, isDone) // so it has claimed again
  assert.deepEqual([host.requests.length, elsewhere.connections()], [length + 1, 0])
  assert.deepEqual([silent.connections(), dripping.connections()], [4, 4])
})

test('a file host that hangs does not delay the files of another account', async () => {
  await using app = await startFetching(undefined, 45_000) // longer than the whole test takes
  await using silent = await startTcp((socket) => socket.resume())
  await using host = await startReceiver((_request, response) => response.end(png))
  const [stuck, shop] = [await app.makeAccount(), await app.makeAccount()]
  for (let n = 0; n < 8; n += 1) await sendFile(stuck, `${silent.url}${n}`)
  while (silent.connections() === 0) await sleep(15)
  for (let n = 0; n < 3; n += 1) await sendFile(shop, `${host.url}${n}`)
  const files = await untilFiles(app, (all) => isDone(all.filter(({ accountId }) => accountId === shop.accountId)))
  const held = files.filter(({ accountId }) => accountId === stuck.accountId)
  assert.deepEqual(
    new Set(held.map(({ attempts }) => attempts)),
    new Set([0]),
    'all of it happened while the host hung',
  )
  assert.ok(silent.connections() <= 2, `one account has ${silent.connections()} at once`)
})

async function leaseAll(db: Db): Promise<Fetch[]> {
  return claimFetches(db, { limit: 100, perAccount: 100, busy: [] })
}

test('a file that a process leased and never settled is fetched by another after the lease, and stored once', async () => {
  await using app = await sharedApp() // it receives messages, and fetches nothing
  await using host = await startReceiver((_request, response) => response.end(png))
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  await sendFile(shop, `${host.url}taken`)
  const [lost] = await leaseAll(app.db)
  assert.ok(lost)
  await using _worker = await startFetching(app)
  await sendFile(other, `${host.url}free`)
  await untilFiles(app, (files) => files.some(({ state }) => state === 'stored'))
  assert.deepEqual(
    host.requests.map(({ path }) => path),
    ['/free'],
  )
  await passTime(app.db, '61 s')
  await untilFiles(app, isDone)
  assert.deepEqual(host.requests.map(({ path }) => path).sort(), ['/free', '/taken'])

  for (const bytes of [png, randomBytes(100)])
    await assert.rejects(keepFetched(app.db, lost, bytes), /outlasted its lease/)
  await giveUpFetch(app.db, lost, 'unreachable')
  await postponeFetch(app.db, lost, 1)
  const files = await untilFiles(app, isDone)
  assert.deepEqual(
    files.map(({ state, attempts }) => [state, attempts]),
    [
      ['stored', 2],
      ['stored', 1],
    ],
  )
  const { media, mediaChunks } = await countTraces(app)
  assert.deepEqual({ media, mediaChunks }, { media: 2, mediaChunks: 2 }, 'one for each account')
})

test('a file whose fetch is interrupted by SIGKILL is fetched again and stored once', async () => {
  await using app = await startApp()
  await using folder = await makeDataFolder({ cluster: false })
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  let isHanging = true
  await using host = await startReceiver(({ path }, response) => {
    if (isHanging && path === '/slow')
      response.writeHead(200, { 'content-length': png.length }).write(png.subarray(0, 20))
    else response.end(png)
  })
  const environment = {
    DATA_DIR: folder.path,
    DATABASE_URL: urlOf(app.database.address),
    SECRET_KEY: 'only for this test',
  }
  await using server = await startProcess({ ...environment, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32' })
  await sendFile(shop, `${host.url}slow`)
  await sendFile(other, host.url)
  await untilFiles(app, (files) => host.requests.length === 2 && files.some(({ state }) => state === 'stored'))
  server.child.kill('SIGKILL')
  await server.exited
  isHanging = false
  await passTime(app.db, '61 s')
  await using _successor = await startFetching(app)
  const files = await untilFiles(app, isDone)
  assert.deepEqual(
    files.map(({ state, attempts }) => [state, attempts]),
    [
      ['stored', 2],
      ['stored', 1],
    ],
  )
  assert.deepEqual(host.requests.map(({ path }) => path).sort(), ['/', '/slow', '/slow'])
  assert.equal((await countTraces(app)).media, 2)
})

test('two workers fetch each file once', async () => {
  await using app = await sharedApp()
  await using host = await startReceiver((_request, response) => response.end(png))
  const shops = await Promise.all(Array.from({ length: 12 }, () => app.makeAccount()))
  const sendAll = (name: string) =>
    Promise.all(shops.flatMap((shop, n) => ['a', 'b'].map((file) => sendFile(shop, `${host.url}${name}/${n}${file}`))))
  await sendAll('claimed')
  const claims = await Promise.all(Array.from({ length: 4 }, () => leaseAll(app.db)))
  const claimed = claims.flat().map(({ messageId }) => messageId)
  assert.deepEqual([claimed.length, new Set(claimed).size], [24, 24])

  await sendAll('fetched')
  await using _one = await startFetching(app)
  await using _other = await startFetching(app)
  await untilFiles(app, (files) => files.filter(({ state }) => state === 'stored').length === 24)
  const paths = host.requests.map(({ path }) => path)
  assert.deepEqual([paths.length, new Set(paths).size], [24, 24])
})
