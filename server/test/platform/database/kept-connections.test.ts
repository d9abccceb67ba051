import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../../src/platform/database/db.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { silentLog } from '../../helpers/knowledge.ts'
import { openSlowProxy } from '../../helpers/slow-proxy.ts'
import { until } from '../../helpers/until.ts'

const silentMs = 1_500

async function startWorld() {
  const started = new AsyncDisposableStack()
  const database = started.use(await makeDatabase())
  const proxy = started.use(await openSlowProxy(database))
  const pool = openPool(proxy.address, silentLog, { connections: 3, socketTimeoutMs: silentMs })
  started.defer(async () => {
    if (!pool.ending) await pool.end()
  })
  const readPids = async () => {
    const clients = await Promise.all([1, 2, 3].map(() => pool.connect()))
    const pids = await Promise.all(
      clients.map(async (client) => (await client.query('select pg_backend_pid()')).rows[0]),
    )
    for (const client of clients) client.release()
    return pids.map(({ pg_backend_pid }) => Number(pg_backend_pid)).sort()
  }
  return { proxy, pool, readPids, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

test('connections that nobody uses stay, however long they hear nothing', async () => {
  await using world = await startWorld()
  const before = await world.readPids()
  await sleep(3 * silentMs)
  assert.deepEqual(await world.readPids(), before)
})

test('a statement ends when the database has fallen silent, and the idle connections are not used any more', async () => {
  await using world = await startWorld()
  await world.readPids()
  world.proxy.fallSilent()
  await assert.rejects(world.pool.query('select'), /fallen silent/)
  await until(() => world.pool.totalCount === 0, 'connections to a silent database stay')
})

test('a pool ends, although the database is silent', async () => {
  await using world = await startWorld()
  await world.readPids()
  world.proxy.fallSilent()
  await world.pool.end()
  assert.equal(world.pool.totalCount, 0)
})
