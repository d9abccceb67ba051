// Runs alone: takes long, it starts databases in every state

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { ensureCluster } from '../../../src/platform/embedded-postgres/cluster.ts'
import { embeddedPostgres } from '../../../src/platform/embedded-postgres/embedded-postgres.ts'
import { findProcesses } from '../../../src/platform/embedded-postgres/processes.ts'
import { runAs } from '../../../src/platform/embedded-postgres/run-as.ts'
import { lockPath } from '../../../src/platform/embedded-postgres/start.ts'
import { tryFileLock } from '../../../src/platform/file-lock.ts'
import { OperatorError } from '../../../src/platform/operator-error.ts'
import { runHere } from '../../helpers/commands.ts'
import { openClient } from '../../helpers/https-client.ts'
import { apiKey, makeDataFolder, runCli, serverEnvironment, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

test('stale lock files whose process id now belongs to another process of the same user do not prevent the start', async () => {
  await using folder = await makeDataFolder()
  const otherProcess = spawn('sleep', ['60'], { ...runAs(), stdio: 'ignore' })
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    await writeFile(join(folder.path, 'postgres', name), `${otherProcess.pid}\n/proc/self/cwd\n1\n5432\n.\n\n1 1\n`)
  }
  await using server = await startProcess({ DATA_DIR: folder.path })
  assert.equal(await server.get('/readyz'), 200)
  assert.equal(otherProcess.exitCode, null, 'the other process was not ended')
  otherProcess.kill('SIGKILL')
})

test('when the database does not start, server and doctor print its own error messages of this start', async () => {
  await using folder = await makeDataFolder()
  await (await startProcess({ DATA_DIR: folder.path }))[Symbol.asyncDispose]()
  const wal = join(folder.path, 'postgres/pg_wal')
  for (const name of await readdir(wal)) if (/^[0-9A-F]{24}$/.test(name)) await rm(join(wal, name))
  const { code, stderr } = await runCli({ DATA_DIR: folder.path }, 'start')
  assert.equal(code, 1)
  assert.match(stderr, /did not become ready; it said: .*could not locate a valid checkpoint record/)
  const doctor = await runHere({ DATA_DIR: folder.path }, 'doctor')
  assert.match(doctor.stdout, /it said: .*could not locate a valid checkpoint record/)
})

test('the folder lock is held until the last process of the database has ended, and no other database starts meanwhile', async () => {
  await using folder = await makeDataFolder()
  const home = join(folder.path, 'postgres')
  const running = embeddedPostgres(home)
  await running.ensureRunning()
  assert.equal(await tryFileLock(lockPath(home)), undefined)
  await running.stop('fast')

  const elsewhere = await tryFileLock(lockPath(home)) // as held by a container whose processes we cannot see
  assert.ok(elsewhere)
  const starting = running.ensureRunning()
  await sleep(1_000)
  assert.equal(findProcesses(home).postmaster, undefined)
  elsewhere[Symbol.dispose]()
  assert.deepEqual(await starting, { started: true })
  await running.stop('fast')
  running[Symbol.dispose]()
})

test('a start is waited for while PostgreSQL makes progress, which is told, and no longer', async () => {
  await using folder = await makeDataFolder()
  const home = join(folder.path, 'postgres')
  const told: string[] = []
  using running = embeddedPostgres(home, { patienceMs: 300, onWait: (reason) => told.push(reason) })
  const held = holdStart(home)
  const starting = running.ensureRunning()
  const postmaster = await held // it does not listen yet
  const log = join(folder.path, 'postgres-start.log')
  const writing = setInterval(() => appendFileSync(log, 'reading the disk\n'), 50)
  await until(() => told.length >= 6, 'nothing was told')
  assert.match(
    told.join('\n'),
    /it does not listen yet \(the last line of its log: reading the disk\), for \d+ s so far/,
  )
  clearInterval(writing)
  await assert.rejects(
    starting,
    (error) =>
      error instanceof OperatorError &&
      /did not become ready, and nothing more happens: it does not listen yet/.test(error.message),
  )

  process.kill(postmaster, 'SIGCONT')
  assert.deepEqual(await running.ensureRunning(), { started: false }, 'the one that was late')
  await running.stop('fast')
})

test('of servers that start at once in containers with one volume, exactly one runs, whatever files its predecessor left', async () => {
  await using folder = await makeDataFolder()
  const acknowledged: string[] = []
  for (let round = 0; round < 2; round += 1) {
    await using world = new AsyncDisposableStack()
    const contained = await Promise.all([0, 1].map(() => startContained(folder.path, world)))
    const ready = contained.filter(({ url }) => url !== undefined)
    assert.equal(ready.length, 1, contained.map(({ stderr }) => stderr()).join('\n'))
    for (const { url, stderr } of contained) {
      if (url === undefined) assert.match(stderr(), /^Another Patchbay server is running on /)
    }
    acknowledged.push(await makeContact(ready[0]?.url ?? ''))
    await world.disposeAsync() // kills all processes of the containers at once
    await until(async () => isFree(join(folder.path, 'postgres')), 'a process of it still runs')
    await writeFile(join(folder.path, 'postgres/.s.PGSQL.5432.lock'), '1\n/proc/self/cwd\n1\n5432\n.\n\n1 1\n')
  }
  await using server = await startProcess({ DATA_DIR: folder.path })
  for (const phone of acknowledged) assert.equal((await server.post('/contacts', { phone })).status, 200)
})

test('for a user without an entry in /etc/passwd, the error says what to do', async () => {
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

/** Stops the postmaster as soon as there is one, before it listens. */
async function holdStart(home: string): Promise<number> {
  for (;;) {
    const { postmaster } = findProcesses(home)
    if (postmaster !== undefined) {
      process.kill(postmaster, 'SIGSTOP')
      return postmaster
    }
    await setImmediate()
  }
}

const cli = resolve(import.meta.dirname, '../../../cli.ts')

type Contained = { url: string | undefined; stderr: () => string }

/**
 * A server that sees no process but its own, as in a container. Where the system does not allow a PID namespace, it is
 * an ordinary process.
 */
async function startContained(dataDir: string, world: AsyncDisposableStack): Promise<Contained> {
  const command = [...(await containing), process.execPath, cli, 'start', '--json']
  const child = spawn(command[0] ?? '', command.slice(1), { env: serverEnvironment({ DATA_DIR: dataDir }) })
  world.defer(() => killAll(child, dataDir))
  let [stdout, stderr, hasExited] = ['', '', false]
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  child.once('close', () => (hasExited = true)) // and all its output has arrived
  const hasStarted = () => /"url"(?:.|\n)*\}\s*$/.test(stdout)
  await until(() => hasStarted() || hasExited, 'it neither started nor refused')
  return { url: hasStarted() ? JSON.parse(stdout).url : undefined, stderr: () => stderr }
}

async function isFree(home: string): Promise<boolean> {
  using lock = await tryFileLock(lockPath(home))
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

/**
 * The server that was refused may have started the database, and stops it when it exits; then the other restarts it.
 */
async function makeContact(url: string): Promise<string> {
  const phone = `+1555${Math.floor(1_000_000 + Math.random() * 9_000_000)}`
  const client = openClient({})
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ phone }) }
  await until(async () => {
    const { status } = await client.send(`${url}/v1/contacts?apiKey=${apiKey}`, sent)
    return status === 201
  }, 'it did not serve')
  client.close()
  return phone
}
