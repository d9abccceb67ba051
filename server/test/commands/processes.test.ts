// Runs alone: takes long, it starts servers of several processes

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { findProcesses } from '../../src/platform/embedded-postgres/processes.ts'
import { runHere } from '../helpers/commands.ts'
import { makeDatabase, urlOf } from '../helpers/databases.ts'
import { openClient } from '../helpers/https-client.ts'
import { openLive } from '../helpers/live-streams.ts'
import { incoming, incomingPath } from '../helpers/message-requests.ts'
import { scrape } from '../helpers/metrics.ts'
import { isRunning, linesOf, servingPids } from '../helpers/process-groups.ts'
import { openRawSocket } from '../helpers/raw-sockets.ts'
import { apiKey, makeDataFolder, runCli, type ServerProcess, startProcess } from '../helpers/server-process.ts'
import { until } from '../helpers/until.ts'

const nothing = { postmaster: undefined, backends: [] }
const password = 'known password'

/** Sends messages one after another until it is told to stop; a connection that breaks is a request without an answer. */
function keepSending(server: ServerProcess, name: string) {
  let isSending = true
  const acknowledged: [sid: string, id: string | undefined][] = []
  const refused: number[] = []
  const broken: unknown[] = []
  async function run(): Promise<void> {
    for (let sent = 0; isSending; sent += 1) {
      const messageSid = `${name} ${sent}`
      await server.post(incomingPath, incoming({ messageSid, fromId: name })).then(
        ({ status, body }) =>
          void (status === 200 ? acknowledged.push([messageSid, body.messageId]) : refused.push(status)),
        ({ code }) => void broken.push(code),
      )
    }
  }
  const done = run()
  return {
    acknowledged,
    refused,
    broken,
    stop: () => {
      isSending = false
      return done
    },
  }
}

function scrapeOf(server: ServerProcess) {
  const port = linesOf(server.output(), 'metrics are served')[0]?.port
  return scrape(`http://127.0.0.1:${port}/metrics`)
}

test('three processes share one port; a kill of one loses nothing, and another takes its place', async () => {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path, PROCESSES: '3', METRICS_PORT: '0' })
  const [first = Number.NaN] = await servingPids(server, 3)
  const senders = ['ana', 'ben', 'eva', 'max'].map((name) => keepSending(server, name))
  await until(() => senders.every(({ acknowledged }) => acknowledged.length > 5), 'no message was accepted')
  process.kill(first, 'SIGKILL')
  await servingPids(server, 4)
  const before = senders.map(({ acknowledged }) => acknowledged.length)
  await until(() => senders.every(({ acknowledged }, at) => acknowledged.length > (before[at] ?? 0) + 5), 'it stopped')
  await Promise.all(senders.map(({ stop }) => stop()))

  const acknowledged = senders.flatMap((sender) => sender.acknowledged)
  assert.deepEqual(
    senders.flatMap(({ refused }) => refused),
    [],
  )
  // Connections of the process that died break; none is refused.
  assert.ok(!senders.some(({ broken }) => broken.includes('ECONNREFUSED')))
  // A copy is answered with the id of the first: every message that was acknowledged is there, under the same id.
  for (const [messageSid, messageId] of acknowledged) {
    const copy = await server.post(incomingPath, incoming({ messageSid, fromId: 'late copy' }))
    assert.equal(copy.body.messageId, messageId)
  }
  const [ended] = linesOf(server.output(), 'a serving process ended')
  assert.deepEqual([ended?.level, ended?.signal, ended?.process], [50, 'SIGKILL', 0])
  const counted = (await scrapeOf(server)).value('patchbay_log_lines_total{level="error"}') ?? 0
  assert.ok(counted > 0, 'the line of the supervisor is not counted')
  for (let opened = 0; opened < 3; opened += 1) {
    const client = openClient({ connections: 1 })
    assert.equal((await client.send(`${server.url}/healthz`)).status, 200)
    client.close()
  }
  await until(
    () => new Set(linesOf(server.output(), 'request').map(({ process }) => process)).size === 3,
    'not every process answered requests',
  )
})

test('rate limits, failed sign-ins, streams and metrics are those of all processes together', async () => {
  await using folder = await makeDataFolder()
  const given = { RATE_LIMIT_PER_MINUTE: '40', OWNER_PASSWORD: password, METRICS_PORT: '0' }
  await using server = await startProcess({ DATA_DIR: folder.path, PROCESSES: '3', ...given })
  const { url } = server
  const limited: Awaited<ReturnType<typeof server.post>>[] = []
  const passed = () => limited.filter(({ status }) => status === 201).length
  const sendMany = async () => {
    const sent = Array.from({ length: 30 }, (_, at) =>
      server.post('/contacts', { email: `a${limited.length + at}@example.com` }),
    )
    limited.push(...(await Promise.all(sent)))
  }
  await until(() => sendMany().then(() => passed() >= 40), 'fewer than the limit were allowed')
  await sendMany()
  assert.equal(passed(), 40)
  for (const { status, headers } of limited) {
    if (status === 429) assert.match(String(headers.ratelimit), /^"key";r=0;t=([2345]\d|60)$/)
  }

  /** On a connection of its own each time, so that the next process answers. */
  async function signIn(given: string) {
    const client = openClient({ connections: 1 })
    const body = JSON.stringify({ email: server.facts.email, password: given })
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    return client.send(`${url}/api/session`, { method: 'POST', headers, body }).finally(client.close)
  }
  const signedIn = await signIn(password)
  assert.equal(signedIn.status, 200, signedIn.text)
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
  const wrong = await Promise.all(Array.from({ length: 24 }, () => signIn('not the password')))
  assert.equal(wrong.filter(({ status }) => status === 401).length, 5)
  assert.equal(wrong.filter(({ status }) => status === 429).length, 19)

  const streams = []
  for (let opened = 0; opened < 3; opened += 1) streams.push(await openLive({ url }, cookie))
  const { value } = await scrapeOf(server)
  assert.equal(value('patchbay_http_requests_total{route="/v1/contacts",method="POST",status="201"}'), 40)
  const count = value('patchbay_http_request_duration_seconds_count{route="/v1/contacts",method="POST"}')
  assert.equal(count, limited.length)
  for (const process of [0, 1, 2, 3]) assert.ok(value(`process_resident_memory_bytes{process="${process}"}`))
  assert.equal(value('patchbay_up_database'), 1)

  const owner = server.facts.email ?? ''
  const renewed = await runHere({ DATA_DIR: folder.path }, 'key', 'generate', '--account', owner, '--json')
  const { apiKey: fresh } = JSON.parse(renewed.stdout)
  await until(async () => {
    const old = await Promise.all(Array.from({ length: 6 }, () => server.post('/contacts', {}, apiKey)))
    return old.every(({ status }) => status === 401)
  }, 'the old key lived on')
  for (const stream of streams) stream.forget()
  assert.equal((await server.post('/contacts', { email: 'new@example.com' }, fresh)).status, 201)
  for (const stream of streams) await stream.untilAnnounced('contacts')
  for (const stream of streams) stream[Symbol.dispose]()
})

test('a supervisor that is killed leaves no process behind, and a start right after it works', async () => {
  await using folder = await makeDataFolder()
  const server = await startProcess({ DATA_DIR: folder.path, PROCESSES: '2' })
  const created = await server.post('/contacts', { email: 'ana@example.com' })
  assert.equal(created.status, 201)
  const port = new URL(server.url).port
  await servingPids(server, 2)
  server.child.kill('SIGKILL')
  await server.exited
  const again = await startProcess({ DATA_DIR: folder.path, PROCESSES: '2', PORT: port })
  assert.equal((await again.post('/contacts', { email: 'ben@example.com' })).status, 201)
  const pids = [...(await servingPids(server, 2)), ...(await servingPids(again, 2))]
  again.child.kill('SIGKILL')
  await until(() => pids.every((pid) => !isRunning(pid)), 'a serving process lived on')
  await until(
    () => findProcesses(join(folder.path, 'postgres')).postmaster === undefined,
    'the database was left without an owner',
  )
})

test('a stop drains all processes, answers requests in flight, and ignores signals to a single process', async () => {
  await using folder = await makeDataFolder()
  const server = await startProcess({ DATA_DIR: folder.path, PROCESSES: '2', DRAIN_SECONDS: '2' })
  const [one = Number.NaN, two = Number.NaN] = await servingPids(server, 2)
  for (const pid of [one, two]) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(pid, signal)
  const body = JSON.stringify(incoming({ messageSid: 'in flight' }))
  const head = `POST /v1${incomingPath}?apiKey=${apiKey} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const slow = await Promise.all(Array.from({ length: 4 }, () => openRawSocket(server.url)))
  for (const { socket } of slow) socket.write(head + body.slice(0, 10))
  assert.equal(await server.get('/readyz'), 200)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) server.child.kill(signal)
  await until(async () => {
    const statuses = await Promise.all([1, 2, 3, 4, 5, 6].map(() => server.get('/readyz')))
    return statuses.every((status) => status === 500)
  }, 'a process still says that it is ready')
  assert.equal((await server.post('/contacts', { email: 'ana@example.com' })).status, 201)
  await until(() => server.output().includes('"stopping"'), 'it does not stop')
  for (const { socket } of slow) socket.write(body.slice(10))
  await until(() => slow.every(({ answers }) => answers().length === 1), 'a request in flight was not answered')
  for (const { answers } of slow) assert.equal(answers()[0]?.status, 200)
  assert.equal(await server.exited, 0)
  assert.deepEqual(findProcesses(join(folder.path, 'postgres')), nothing)
  assert.deepEqual(
    [one, two].map((pid) => isRunning(pid)),
    [false, false],
  )
})

test('a shared database that allows too few connections is refused with one sentence, and served by several processes otherwise', async () => {
  await using folder = await makeDataFolder({ cluster: false })
  await using database = await makeDatabase()
  const shared = {
    DATA_DIR: folder.path,
    DATABASE_URL: urlOf(database.address),
    SECRET_KEY: 'the same on every machine',
  }
  const refused = await runCli({ ...shared, PROCESSES: '64' }, 'start')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /The database allows \d+ connections, and PROCESSES=64 needs at least 1280; raise/)
  const examined = await runHere({ ...shared, PROCESSES: '64' }, 'doctor')
  assert.match(examined.stdout, /PROCESSES=64 needs at least 1280/)
  await using server = await startProcess({ ...shared, PROCESSES: '2' })
  assert.equal((await server.post('/contacts', { email: 'ana@example.com' })).status, 201)
})
