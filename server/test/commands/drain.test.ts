import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDatabase, urlOf } from '../helpers/databases.ts'
import { incoming, incomingPath } from '../helpers/message-requests.ts'
import { makeDataFolder, startProcess } from '../helpers/server-process.ts'
import { until } from '../helpers/until.ts'

test('a server that is told to stop first says that it is not ready, serves until proxies have noticed, and ends each connection with an answer', async () => {
  await using world = new AsyncDisposableStack()
  const database = world.use(await makeDatabase())
  const folder = world.use(await makeDataFolder({ cluster: false }))
  const shared = { DATABASE_URL: urlOf(database.address), SECRET_KEY: 'the same on every machine', DRAIN_SECONDS: '3' }
  const server = world.use(await startProcess({ DATA_DIR: folder.path, ...shared }))
  assert.equal(await server.get('/readyz'), 200)
  assert.equal((await server.post(incomingPath, incoming({ messageSid: 'before' }))).headers.connection, 'keep-alive')
  server.child.kill('SIGTERM')
  await until(async () => (await server.get('/readyz')) === 500, 'it still says that it is ready')
  assert.equal(await server.get('/healthz'), 200)
  for (let sent = 0; sent < 20; sent += 1) {
    const { status, headers } = await server.post(incomingPath, incoming({ messageSid: `sid ${sent}` }))
    assert.deepEqual([status, headers.connection], [200, 'close']) // no later request is sent on a connection that is about to end
  }
  assert.equal(await server.exited, 0)
  assert.match(server.output(), /"reason":"This server is stopping.","msg":"not ready"/)
  assert.doesNotMatch(server.output(), /unexpected error/)
})
