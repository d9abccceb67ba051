// Runs alone: takes long, it kills servers and databases under load

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { findProcesses } from '../../../src/platform/embedded-postgres/processes.ts'
import { type DataFolder, makeDataFolder, type ServerProcess, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

/** `KILL_ROUNDS=10 npm test` for the long run. */
const rounds = Number(process.env.KILL_ROUNDS ?? 1)

test('SIGKILL of the server alone: the next start adopts the running database, and nothing acknowledged is lost', async () => {
  await using folder = await makeDataFolder()
  const acknowledged = new Set<string>()
  for (let round = 0; round < rounds; round += 1) {
    const server = await startProcess({ DATA_DIR: folder.path })
    const load = startLoad(server, acknowledged)
    await untilUnderway(acknowledged)
    server.child.kill('SIGKILL')
    await server.exited
    await load
    assert.ok(findProcesses(join(folder.path, 'postgres')).postmaster, 'the database keeps running')
  }
  await checkNothingLost(folder, acknowledged)
})

test('SIGKILL, SIGTERM, SIGINT and SIGQUIT of the database under load: the server starts it again by itself, and nothing acknowledged is lost; one that recovers is left to, however long it refuses connections', async () => {
  await using folder = await makeDataFolder()
  const acknowledged = new Set<string>()
  {
    await using server = await startProcess({ DATA_DIR: folder.path })
    for (const name of [...Array<'SIGKILL'>(rounds).fill('SIGKILL'), 'SIGTERM', 'SIGINT', 'SIGQUIT'] as const) {
      const ending = new AbortController()
      const load = startLoad(server, acknowledged, ending.signal)
      await untilUnderway(acknowledged)
      const before = folder.postmaster()
      process.kill(before, name)
      await until(() => isAnother(folder, before), `${name}: the database was not started again`)
      await until(async () => (await server.get('/readyz')) === 200, `${name}: it did not become ready again`)
      await untilUnderway(acknowledged)
      ending.abort()
      await load
    }
    await leavesRecovering(server, folder)
  }
  await checkNothingLost(folder, acknowledged)
})

async function leavesRecovering(server: ServerProcess, folder: DataFolder): Promise<void> {
  const recovering = await killAndHoldRecovery(folder)
  const refused = refusals(folder)
  await until(() => refusals(folder) > refused + 20, 'the server does not try to connect')
  assert.equal(folder.postmaster(), recovering.postmaster)
  assert.equal(isRunning(recovering.startup), true)
  process.kill(recovering.startup, 'SIGCONT')
  await until(async () => (await server.get('/readyz')) === 200, 'it did not recover')
  assert.equal(folder.postmaster(), recovering.postmaster, 'the one that recovered')
}

test('SIGKILL of server and database with busy backends: the next start ends what is left, and nothing acknowledged is lost', async () => {
  await using folder = await makeDataFolder()
  const acknowledged = new Set<string>()
  for (let round = 0; round < rounds; round += 1) {
    const server = await startProcess({ DATA_DIR: folder.path })
    const load = startLoad(server, acknowledged)
    const busy = await keepBackendBusy(folder)
    await untilUnderway(acknowledged)
    process.kill(folder.postmaster(), 'SIGKILL')
    server.child.kill('SIGKILL')
    await server.exited
    await load
    assert.equal(isRunning(busy), true, 'a busy backend outlives its postmaster')
  }
  await checkNothingLost(folder, acknowledged)
})

test('SIGTERM while the server is starting its database again ends both', async () => {
  await using folder = await makeDataFolder()
  for (const waitMs of [0, 60, 150, 400].slice(0, rounds * 2)) {
    const server = await startProcess({ DATA_DIR: folder.path })
    process.kill(folder.postmaster(), 'SIGKILL')
    await sleep(waitMs)
    server.child.kill('SIGTERM')
    assert.equal(await server.exited, 0)
    assert.deepEqual(findProcesses(join(folder.path, 'postgres')), { postmaster: undefined, backends: [] })
  }
})

/** Sixteen callers create contacts one after the other, until the server is gone or `ending` is aborted. */
async function startLoad(server: ServerProcess, acknowledged: Set<string>, ending?: AbortSignal): Promise<void> {
  async function call(): Promise<void> {
    while (!ending?.aborted) {
      const email = `${crypto.randomUUID()}@example.com`
      const answer = await server.post('/contacts', { email }).catch(() => undefined)
      if (!answer) return // the server was killed meanwhile: not acknowledged
      if (answer.status === 201 && answer.body.id) acknowledged.add(answer.body.id)
      else assert.match(`${answer.status}`, /^(500|429)$/) // those before it in the queue wait for the database
    }
  }
  await Promise.all(Array.from({ length: 16 }, call))
}

/** Returns at a random moment once a few more have been acknowledged. */
async function untilUnderway(acknowledged: Set<string>): Promise<void> {
  const enough = acknowledged.size + 20
  while (acknowledged.size < enough) await sleep(10)
  await sleep(Math.random() * 200)
}

function isAnother(folder: DataFolder, before: number): boolean {
  const { postmaster } = findProcesses(join(folder.path, 'postgres'))
  return postmaster !== undefined && postmaster !== before
}

/** Kills the database, and stops the process that recovers it as soon as it is there. */
async function killAndHoldRecovery(folder: DataFolder): Promise<{ postmaster: number; startup: number }> {
  const before = folder.postmaster()
  process.kill(before, 'SIGKILL')
  for (;;) {
    const { postmaster, backends } = findProcesses(join(folder.path, 'postgres'))
    const startup = backends.find((pid) => titleOf(pid).startsWith('postgres: startup'))
    if (startup !== undefined && postmaster !== undefined && postmaster !== before) {
      process.kill(startup, 'SIGSTOP')
      return { postmaster, startup }
    }
    await setImmediate()
  }
}

/** How often it has said that it is starting up or recovering. */
function refusals(folder: DataFolder): number {
  const logs = join(folder.path, 'postgres/log')
  const text = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))
  return text.join('').split(/the database system is (?:starting up|in recovery mode|not yet accepting)/).length - 1
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // it has ended
  }
}

/** Starts a statement that computes for minutes and never checks whether its postmaster is alive. */
async function keepBackendBusy(folder: DataFolder): Promise<number> {
  const client = new Client({ host: join(folder.path, 'postgres'), user: 'patchbay', database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  client.query('select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b').catch(() => {})
  return rows[0].pid
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function checkNothingLost(folder: DataFolder, acknowledged: Set<string>): Promise<void> {
  {
    await using server = await startProcess({ DATA_DIR: folder.path })
    assert.equal(await server.get('/readyz'), 200)
    const client = new Client({ host: join(folder.path, 'postgres'), user: 'patchbay', database: 'postgres' })
    await client.connect()
    const { rows } = await client.query('select id from contacts')
    await client.end()
    const stored = new Set(rows.map(({ id }) => id))
    assert.ok(acknowledged.size > 10 * rounds, `only ${acknowledged.size} were acknowledged`)
    assert.deepEqual(
      [...acknowledged].filter((id) => !stored.has(id)),
      [],
    )
  }
  const left = findProcesses(join(folder.path, 'postgres'))
  assert.deepEqual(left, { postmaster: undefined, backends: [] }, 'a stopped server leaves no process behind')
}
