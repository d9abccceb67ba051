// Runs alone: holds a thousand sockets open

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { findProcesses } from '../../../src/platform/embedded-postgres/processes.ts'
import { runAs } from '../../../src/platform/embedded-postgres/run-as.ts'
import { type Asked, breachesOf } from '../../helpers/global-rules.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { type DataFolder, makeDataFolder, type ServerProcess, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

// F16
test('when the database accepts no more connections, requests fail instead of hanging, nothing is lost, and it is used again when it accepts them', async () => {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path })
  const asked: Asked[] = [await post(server, 'before')]
  const taken = await takeEveryConnection(folder)
  const during = await Promise.all(Array.from({ length: 20 }, (_, n) => post(server, `during ${n}`)))
  for (const { messageSid, status } of during) assert.equal(status, 500, messageSid)
  assert.equal(await server.get('/healthz'), 200)

  await Promise.all(taken.map((client) => client.end()))
  await untilServed(server, asked)
  for (const { messageSid } of during) asked.push(await post(server, messageSid))
  assert.ok(asked.slice(-during.length).every(({ status }) => status === 200))
  await assertRules(folder, server, [...asked, ...during])
})

// F17: to PostgreSQL a limit on the size of files looks like a full disk, and setting one needs no privilege.
test('with a full disk, messages that cannot be stored are refused, acknowledged ones are kept, and it goes on without a restart', {
  skip: process.platform === 'linux' ? false : 'prlimit is of Linux',
}, async () => {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path })
  const asked: Asked[] = [await post(server, 'before')]
  const postmaster = folder.postmaster()
  limitFiles(folder, `${2 * 1024 * 1024}:unlimited`)
  for (let n = 0; n < 200 && asked.filter(({ status }) => status === 500).length < 20; n += 1) {
    asked.push(await post(server, `large ${n}`, randomBytes(24_000).toString('hex')))
  }
  const refused = asked.filter(({ status }) => status !== 200)
  assert.ok(refused.length >= 20, `only ${refused.length} were refused`)
  for (const { messageSid, status } of refused) assert.equal(status, 500, messageSid)

  limitFiles(folder, 'unlimited:unlimited')
  for (const { messageSid } of refused) asked.push(await post(server, messageSid))
  assert.ok(
    asked.slice(-refused.length).every(({ status }) => status === 200),
    'the disk is free again',
  )
  assert.equal(folder.postmaster(), postmaster, 'PostgreSQL was not restarted')
  await assertRules(folder, server, asked)
})

// F26
test('a server that runs out of file descriptors keeps running, and serves again when they are free', {
  skip: process.platform === 'linux' ? false : 'prlimit is of Linux',
}, async () => {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path })
  const asked: Asked[] = [await post(server, 'before')]
  execFileSync('prlimit', [`--pid=${server.child.pid}`, '--nofile=256:256'])
  const sockets = await openSockets(Number(new URL(server.url).port), 1_000)
  // Each takes a descriptor for two seconds, until the first-byte timeout; new ones keep the server at the limit.
  for (let round = 0; round < 3; round += 1) {
    await sleep(500)
    sockets.push(...(await openSockets(Number(new URL(server.url).port), 200)))
  }
  assert.equal(server.child.exitCode, null, server.output())
  for (const socket of sockets) socket.destroy()
  await untilServed(server, asked)
  await assertRules(folder, server, asked)
})

async function post(server: ServerProcess, messageSid: string, body = 'Hello'): Promise<Asked> {
  const answer = await server.post(incomingPath, incoming({ messageSid, body })).catch(() => undefined)
  return { messageSid, status: answer?.status ?? 0, messageId: answer?.body.messageId }
}

async function untilServed(server: ServerProcess, asked: Asked[]): Promise<void> {
  await until(async () => {
    const again = await post(server, `again ${asked.length}`)
    asked.push(again)
    return again.status === 200
  }, 'requests are not served again')
}

const ownName = 'exhaustion test'

function openClient(folder: DataFolder): Client {
  const address = { host: join(folder.path, 'postgres'), user: 'patchbay', database: 'postgres' }
  const client = new Client({ ...address, application_name: ownName })
  client.on('error', () => {})
  return client
}

/**
 * Takes every connection of the database, also those of the server, which it terminates. One that is just being opened is in
 * no view yet, so what counts is that all that are allowed are known.
 */
async function takeEveryConnection(folder: DataFolder): Promise<Client[]> {
  const taken: Client[] = []
  const takeAll = async () => {
    for (;;) {
      const client = openClient(folder)
      try {
        await client.connect()
        taken.push(client)
      } catch {
        return
      }
    }
  }
  await takeAll()
  const [first] = taken
  assert.ok(first)
  await until(async () => {
    const { rows } = await first.query(
      `select count(*) = current_setting('max_connections')::integer as "isAll"
      from pg_stat_activity where backend_type = 'client backend' and application_name ~ '^(${ownName}|patchbay on .*)$'`,
    )
    if (rows[0].isAll) return true
    const others = `from pg_stat_activity where application_name ~ '^patchbay(?! on )'`
    await first.query(`select pg_terminate_backend(pid) ${others}`)
    await takeAll()
    return false
  }, 'the server keeps getting connections')
  return taken
}

function limitFiles(folder: DataFolder, limit: string): void {
  const { postmaster, backends } = findProcesses(join(folder.path, 'postgres'))
  assert.ok(postmaster)
  for (const pid of [postmaster, ...backends]) {
    try {
      // As the same user: even root may lack the right to do it to processes of others.
      execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${limit}`], { stdio: 'ignore', ...runAs() })
    } catch {
      // A process that has ended meanwhile needs no limit.
    }
  }
}

async function openSockets(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  )
  return sockets
}

async function assertRules(folder: DataFolder, server: ServerProcess, asked: Asked[]): Promise<void> {
  const client = openClient(folder)
  await client.connect()
  try {
    const { rows } = await client.query('select owner_account_id as id from installation')
    const histories = { accountId: rows[0].id, asked, logs: [server.output()] }
    assert.deepEqual(await breachesOf((text, values) => client.query(text, values), histories), [])
  } finally {
    await client.end()
  }
}
