import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { ensureCluster } from '../../../src/platform/embedded-postgres/cluster.ts'
import { embeddedPostgres } from '../../../src/platform/embedded-postgres/embedded-postgres.ts'
import { tryFolderLock } from '../../../src/platform/embedded-postgres/folder-lock.ts'
import { findProcesses } from '../../../src/platform/embedded-postgres/processes.ts'
import { runAs } from '../../../src/platform/embedded-postgres/run-as.ts'
import { OperatorError } from '../../../src/platform/operator-error.ts'
import { apiKey, makeDataFolder, runCli, serverEnvironment, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

test('lock files of a killed database whose number a process of the same user has got do not stop the start', async () => {
  await using folder = await makeDataFolder()
  const stranger = spawn('sleep', ['60'], { ...runAs(), stdio: 'ignore' })
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    await writeFile(join(folder.path, 'postgres', name), `${stranger.pid}\n/proc/self/cwd\n1\n5432\n.\n\n1 1\n`)
  }
  await using server = await startProcess({ DATA_DIR: folder.path })
  assert.equal(await server.get('/readyz'), 200)
  assert.equal(stranger.exitCode, null, 'the stranger was left alone')
  stranger.kill('SIGKILL')
})

test('a database that does not start is told with its own words of this start, by the server and by doctor', async () => {
  await using folder = await makeDataFolder()
  await (await startProcess({ DATA_DIR: folder.path }))[Symbol.asyncDispose]()
  const wal = join(folder.path, 'postgres/pg_wal')
  for (const name of await readdir(wal)) if (/^[0-9A-F]{24}$/.test(name)) await rm(join(wal, name))
  const { code, stderr } = await runCli({ DATA_DIR: folder.path }, 'start')
  assert.equal(code, 1)
  assert.match(stderr, /did not become ready; it said: .*could not locate a valid checkpoint record/)
  const doctor = await runCli({ DATA_DIR: folder.path }, 'doctor')
  assert.match(doctor.stdout, /it said: .*could not locate a valid checkpoint record/)
})

test('the right to run a database in a folder lasts until its last process is gone, and nobody starts it meanwhile', async () => {
  await using folder = await makeDataFolder()
  const home = join(folder.path, 'postgres')
  const running = embeddedPostgres(home)
  await running.ensureRunning()
  assert.equal(await tryFolderLock(home), undefined)
  await running.stop('fast')

  const elsewhere = await tryFolderLock(home) // as a container has it whose processes we cannot see
  assert.ok(elsewhere)
  const starting = running.ensureRunning()
  await sleep(1_000)
  assert.equal(findProcesses(home).postmaster, undefined)
  elsewhere[Symbol.dispose]()
  assert.deepEqual(await starting, { started: true })
  await running.stop('fast')
  running[Symbol.dispose]()
})

test('of servers that start at once in containers with one volume, one runs, whatever the one before left behind', async () => {
  await using folder = await makeDataFolder()
  const acknowledged: string[] = []
  for (let round = 0; round < 2; round += 1) {
    await using world = new AsyncDisposableStack()
    const contained = await Promise.all([0, 1].map(() => startContained(folder.path, world)))
    const ready = contained.filter(({ url }) => url !== undefined)
    assert.equal(ready.length, 1, contained.map(({ words }) => words()).join('\n'))
    for (const { url, words } of contained) {
      if (url === undefined) assert.match(words(), /^Another Patchbay server is running on /)
    }
    acknowledged.push(await makeContact(ready[0]?.url ?? ''))
    await world.disposeAsync() // kills all that is in the containers at once
    await until(async () => isFree(join(folder.path, 'postgres')), 'something of it lives on')
    await writeFile(join(folder.path, 'postgres/.s.PGSQL.5432.lock'), '1\n/proc/self/cwd\n1\n5432\n.\n\n1 1\n')
  }
  await using server = await startProcess({ DATA_DIR: folder.path })
  for (const phone of acknowledged) assert.equal((await server.post('/contacts', { phone })).status, 200)
})

test('a user without a name is told what to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-nameless-'))
  const initdb = join(folder, 'initdb')
  await writeFile(
    initdb,
    '#!/bin/sh\necho "initdb: error: could not look up effective user ID 4711: user does not exist" >&2\nexit 1\n',
  )
  await chmod(initdb, 0o755)
  await chmod(folder, 0o755)
  await assert.rejects(
    ensureCluster({ initdb, postgres: 'none' }, join(folder, 'data/postgres')),
    (error) => error instanceof OperatorError && /no user 4711 here: add one to \/etc\/passwd, /.test(error.message),
  )
  await rm(folder, { recursive: true })
})

const cli = resolve(import.meta.dirname, '../../../cli.ts')

type Contained = { url: string | undefined; words: () => string }

/**
 * A server that sees no process but its own, as in a container. Where the system does not let us make such a place, they
 * are ordinary processes, which see each other.
 */
async function startContained(dataDir: string, world: AsyncDisposableStack): Promise<Contained> {
  const command = [...(await containing), process.execPath, cli, 'start', '--json']
  const child = spawn(command[0] ?? '', command.slice(1), { env: serverEnvironment({ DATA_DIR: dataDir }) })
  world.defer(() => killAll(child, dataDir))
  let [printed, said, isOver] = ['', '', false]
  child.stdout.on('data', (data) => (printed += data))
  child.stderr.on('data', (data) => (said += data))
  child.once('close', () => (isOver = true)) // all that it said has arrived
  const hasStarted = () => /"url"(?:.|\n)*\}\s*$/.test(printed)
  await until(() => hasStarted() || isOver, 'it neither started nor refused')
  return { url: hasStarted() ? JSON.parse(printed).url : undefined, words: () => said }
}

async function isFree(home: string): Promise<boolean> {
  using lock = await tryFolderLock(home)
  return lock !== undefined
}

async function killAll(child: ChildProcess, dataDir: string): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL') // ends the first process of the namespace, and with it all the others
  await exited
  if ((await containing).length > 0) return
  const { postmaster, backends } = findProcesses(join(dataDir, 'postgres'))
  for (const pid of [postmaster, ...backends]) if (pid) process.kill(pid, 'SIGKILL')
}

const containing = (async () => {
  for (const user of [[], ['--user', '--map-current-user']]) {
    const command = ['unshare', ...user, '--pid', '--fork', '--mount-proc', '--kill-child']
    const [code] = await once(spawn('unshare', [...command.slice(1), 'true']), 'exit').catch(() => [1])
    if (code === 0) return command
  }
  return []
})()

/** The database may have been started by one that gave way and took it along; then it is started again. */
async function makeContact(url: string): Promise<string> {
  const phone = `+1555${Math.floor(1_000_000 + Math.random() * 9_000_000)}`
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ phone }) }
  await until(async () => {
    const answer = await request(`${url}/v1/contacts?apiKey=${apiKey}`, { dispatcher, ...options })
    await answer.body.dump()
    return answer.statusCode === 201
  }, 'it did not serve')
  await dispatcher.destroy()
  return phone
}
