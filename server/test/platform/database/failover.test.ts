import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { type Node, startReplicated } from '../../helpers/replica.ts'
import { makeDataFolder, type ServerProcess, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

const SECRET_KEY = 'the same on every machine'

test('of several hosts the one that accepts writes is used, and found again after a failover; while none does, the answer is 500 with Retry-After', async () => {
  await using world = new AsyncDisposableStack()
  const database = world.use(await startReplicated())
  const folder = world.use(await makeDataFolder({ cluster: false }))
  const server = world.use(await startProcess({ DATA_DIR: folder.path, DATABASE_URL: database.url, SECRET_KEY }))
  const acknowledged = new Set<string>()
  const ending = new AbortController()
  const load = Array.from({ length: 8 }, (_, n) => keepPosting(server, { n, acknowledged }, ending.signal))
  await untilMore(acknowledged, 50)

  await database.primary.kill()
  const waiting = server.post(incomingPath, incoming({ messageSid: 'during the failover', fromId: 'ana' }))
  await sleep(500)
  await database.standby.query('select pg_promote()')
  assert.equal((await waiting).status, 200)
  await untilMore(acknowledged, 50)
  ending.abort()
  await Promise.all(load)
  assert.deepEqual(await sidsIn(database.standby), [...acknowledged, 'during the failover'].sort())

  await database.standby.kill()
  const { status, headers, body } = await server.post(incomingPath, incoming())
  assert.deepEqual([status, headers['retry-after']], [500, '5'])
  assert.match(body.error ?? '', /database cannot be reached/)
})

async function keepPosting(
  server: ServerProcess,
  { n, acknowledged }: { n: number; acknowledged: Set<string> },
  ending: AbortSignal,
): Promise<void> {
  for (let sent = 0; !ending.aborted; sent += 1) {
    const messageSid = `${n} ${sent}`
    // A sender repeats what was not acknowledged.
    for (let status = 0; status !== 200; ) {
      status = (await server.post(incomingPath, incoming({ messageSid, fromId: `from ${n}` }))).status
      assert.ok(status === 200 || status === 500, `${status}`)
    }
    acknowledged.add(messageSid)
  }
}

async function untilMore(acknowledged: Set<string>, more: number): Promise<void> {
  const enough = acknowledged.size + more
  await until(() => acknowledged.size >= enough, 'messages are not acknowledged')
}

async function sidsIn(node: Node): Promise<unknown[]> {
  const rows = await node.query('select message_sid as sid from messages')
  return rows.map(({ sid }) => sid).sort()
}
