import assert from 'node:assert/strict'
import { test } from 'node:test'
import { version } from '../../../src/platform/version.ts'
import { makeDatabase, urlOf } from '../../helpers/databases.ts'
import { scrape } from '../../helpers/metrics.ts'
import { apiKey, makeDataFolder, runCli, type ServerProcess, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

const secret = { SECRET_KEY: 'a secret key for the tests' }

type Line = Record<string, unknown> & { msg: string }

function linesOf(server: ServerProcess): Line[] {
  const lines = server.output().split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line)) // the last one may be incomplete
}

async function untilLogged(server: ServerProcess, msg: string): Promise<Line> {
  await until(() => linesOf(server).some((line) => line.msg === msg), `"${msg}" is not logged`)
  return linesOf(server).find((line) => line.msg === msg) ?? { msg }
}

test('the log tells migration, readiness, each request with its account and client, and the stop; a worker serves metrics too', async () => {
  await using folder = await makeDataFolder({ cluster: false })
  await using database = await makeDatabase({ empty: true })
  const environment = { ...secret, DATA_DIR: folder.path, DATABASE_URL: urlOf(database.address) }
  const server = await startProcess({ ...environment, METRICS_PORT: '0' })
  await using worker = await startProcess({ ...environment, ROLE: 'worker', METRICS_PORT: '0' })

  const migrated = await untilLogged(server, 'the schema was migrated')
  assert.equal(migrated.from, 0)
  assert.ok(Number(migrated.to) >= 32 && typeof migrated.ms === 'number')
  const ready = await untilLogged(server, 'ready')
  assert.deepEqual([ready.role, ready.port, ready.version], ['all', Number(new URL(server.url).port), version])

  await server.post('/contacts', { phone: '+15551234567' })
  const request = await untilLogged(server, 'request')
  const { reqId, ms, level, time, ...fixed } = request
  assert.deepEqual(fixed, {
    method: 'POST',
    route: '/v1/contacts',
    status: 201,
    msg: 'request',
    accountId: server.facts.accountId,
    client: '127.0.0.1',
  })
  assert.ok(!server.output().includes(apiKey) && !server.output().includes('5551234567'))

  const [ofServer, ofWorker] = await Promise.all([server, worker].map((one) => untilLogged(one, 'metrics are served')))
  const [all, workers] = await Promise.all(
    [ofServer, ofWorker].map((line) => scrape(`http://${line?.host}:${line?.port}/metrics`)),
  )
  const runs = (role: string) =>
    new RegExp(`patchbay_build_info\\{version="${RegExp.escape(version)}".*role="${role}"\\} 1`)
  assert.match(all?.text ?? '', runs('all'))
  assert.match(workers?.text ?? '', runs('worker'))
  assert.equal(workers?.value('patchbay_up_database'), 1)
  assert.ok((workers?.value('patchbay_reports_late_seconds') ?? -1) >= 0)

  const taken = await runCli({ ...environment, METRICS_PORT: String(ofServer?.port) }, 'start')
  assert.deepEqual([taken.code, taken.stdout], [1, ''])
  assert.match(taken.stderr, /^Cannot listen on 127\.0\.0\.1 port \d+ for metrics \(something else listens there\)/)
  assert.equal(taken.stderr.split('\n').length, 2)

  server.child.kill('SIGTERM')
  assert.equal(await server.exited, 0)
  const [stopping, stopped] = linesOf(server).slice(-2)
  assert.deepEqual([stopping?.msg, stopping?.reason, stopped?.msg], ['stopping', 'SIGTERM', 'stopped'])
  assert.equal(typeof stopped?.ms, 'number')
  await server[Symbol.asyncDispose]()
})
