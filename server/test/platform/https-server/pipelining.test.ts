import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { limits } from '@patchbay/contract/limits.ts'
import { parseRanges } from '../../../src/platform/config/ip-ranges.ts'
import { createHttpsServer } from '../../../src/platform/https-server/https-server.ts'
import { closeStuck } from '../../../src/platform/https-server/idle-connections.ts'
import { makeCertificate } from '../../../src/platform/https-server/make-certificate.ts'
import { type Connection, connectionOf, type Handler } from '../../../src/platform/https-server/requests-in-flight.ts'
import { startApp } from '../../helpers/harness.ts'
import { openRawSocket, type RawSocket } from '../../helpers/raw-sockets.ts'
import { until } from '../../helpers/until.ts'

const pair = await makeCertificate('127.0.0.1')
const most = limits.requestsPerConnection

test('of the requests that one connection pipelines, a few are in flight at a time, and answers are in order', async () => {
  const inFlight: { request: IncomingMessage; response: ServerResponse }[] = []
  let mostSeen = 0
  await using server = await serve((request, response) => {
    inFlight.push({ request, response })
    mostSeen = Math.max(mostSeen, inFlight.length)
  })
  using raw = await openRawSocket(server.url)
  raw.socket.write(Array.from({ length: 1_000 }, (_, count) => get(`/${count}`)).join(''))
  let answered = 0
  while (answered < 1_000) {
    await until(() => inFlight.length > 0, 'the other requests are not served')
    for (let count = 0; count < 20; count += 1) await nextIteration() // long enough for more requests, if they were allowed
    // Out of order: the last is answered first.
    for (const { request, response } of inFlight.splice(0).reverse()) {
      response.end(request.url)
      answered += 1
    }
  }
  await until(() => raw.answers().length === 1_000, 'answers are missing')
  assert.deepEqual(
    raw.answers().map(({ body }) => body),
    Array.from({ length: 1_000 }, (_, count) => `/${count}`),
  )
  assert.equal(mostSeen, most)
})

test('pipelined requests with bodies arrive complete and in order, wherever the bytes are cut', async () => {
  let inFlight = 0
  await using server = await serve(async (request, response) => {
    inFlight += 1
    assert.ok(inFlight <= most)
    const body = Buffer.concat(await request.toArray())
    inFlight -= 1
    response.end(`${request.url} ${body.length} ${body.toString('latin1', 0, 10)}`)
  })
  const sizes = [0, 1, 300, 2_047, 2_048, 2_049, 5_000, 70_000, 300_000, 10]
  const asked = sizes.flatMap((size) => [
    post(`/${size}`, 'x'.repeat(size)),
    postChunked(`/c${size}`, 'y\r\n\r\n'.repeat(size / 5 + 1).slice(0, size)),
    get('/between'),
  ])
  const expected = sizes.flatMap((size) => [
    `/${size} ${size} ${'x'.repeat(Math.min(size, 10))}`,
    `/c${size} ${size} ${'y\r\n\r\n'.repeat(2).slice(0, size)}`,
    '/between 0 ',
  ])
  for (const cut of [1_000_000, 16_384, 1_999]) {
    using raw = await openRawSocket(server.url)
    const bytes = Buffer.from(asked.join('').repeat(2), 'latin1')
    for (let at = 0; at < bytes.length; at += cut) raw.socket.write(bytes.subarray(at, at + cut))
    await until(() => raw.answers().length === expected.length * 2, `cut at ${cut}: ${raw.answers().length} answers`)
    assert.deepEqual(
      raw.answers().map(({ body }) => body),
      [...expected, ...expected],
    )
  }
})

test('a client that sends one request at a time is served before thousands that were pipelined earlier', async () => {
  let served = 0
  let honestAt = 0
  await using server = await serve((request, response) => {
    served += 1
    if (request.url === '/honest') honestAt = served
    for (const until = performance.now() + 0.2; performance.now() < until; ) {} // the time that a request takes
    response.end('ok')
  })
  using honest = await openRawSocket(server.url)
  const flood: RawSocket[] = []
  for (let count = 0; count < 20; count += 1) flood.push(await openRawSocket(server.url))
  for (const { socket } of flood) socket.write(get('/flood').repeat(250))
  await until(() => served > 100, 'the flood has not begun')
  honest.socket.write(get('/honest'))
  await until(() => honest.answers().length === 1, 'not answered')
  await until(() => served === 5_001, 'the flood is not served')
  assert.ok(honestAt < 2_500, `served as number ${honestAt}`)
  for (const { socket } of flood) socket.destroy()
})

test('no more requests are read from a peer that does not read its answers', async () => {
  let served = 0
  const answer = 'x'.repeat(100_000)
  await using server = await serve((_, response) => {
    served += 1
    response.end(answer)
  })
  using raw = await openRawSocket(server.url)
  raw.socket.pause()
  raw.socket.write(get('/').repeat(20_000))
  let before = -1
  while (before !== served) {
    before = served
    for (let count = 0; count < 200; count += 1) await nextIteration()
  }
  assert.ok(served < 10_000, `${served} were served`)
})

test('a peer that reads no answer for a minute is disconnected, and an idle one is not', async () => {
  await using server = await serve((_, response) => void response.end('x'.repeat(100_000)))
  const connections: Connection[] = []
  server.server.on('secureConnection', (socket) => {
    connections.push(connectionOf(socket) ?? assert.fail())
  })
  using stuck = await openRawSocket(server.url)
  stuck.socket.pause()
  stuck.socket.write(get('/').repeat(1_000))
  using idle = await openRawSocket(server.url)
  idle.socket.write(get('/'))
  await until(() => idle.answers().length === 1, 'the idle one is not served')
  const [first, second] = connections
  let sent = -1
  while (first && sent !== first.socket.bytesWritten) {
    sent = first.socket.bytesWritten
    for (let count = 0; count < 200; count += 1) await nextIteration()
  }
  closeStuck(connections)
  assert.deepEqual([first?.socket.destroyed, second?.socket.destroyed], [false, false])

  closeStuck(connections, performance.now() + limits.stuckMs + 1_000)

  assert.deepEqual([first?.socket.destroyed, second?.socket.destroyed], [true, false])
})

test('when a connection is closed, its requests that were not started are not started', async () => {
  const urls: (string | undefined)[] = []
  await using server = await serve((request, response) => {
    urls.push(request.url)
    if (request.url === '/3') response.setHeader('connection', 'close')
    setImmediate(() => response.end())
  })
  using raw = await openRawSocket(server.url)
  raw.socket.write(Array.from({ length: 200 }, (_, count) => get(`/${count}`)).join(''))
  await raw.closed
  for (let count = 0; count < 50; count += 1) await nextIteration()
  assert.deepEqual(raw.answers().length, 4)
  assert.ok(urls.length <= most + 4, `${urls.length} were started`)
})

test('a thousand pipelined requests with one key are all answered, none of them with 500', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const { apiKey } = await app.makeAccount()
  using raw = await openRawSocket(app.url)
  const message = (count: number) =>
    JSON.stringify({ customData: { messageSid: `sid-${count}`, fromId: 'ana', toId: 'shop', body: 'Hello' } })
  for (let count = 0; count < 500; count += 1) {
    raw.socket.write(get(`/v1/contacts?phoneNumber=15551234567&apiKey=${apiKey}`))
    raw.socket.write(post(`/v1/incoming_custom_channel_message?apiKey=${apiKey}`, message(count)))
  }
  await until(() => raw.answers().length === 1_000, 'answers are missing')
  const statuses = raw.answers().map(({ status }) => status)
  assert.deepEqual(
    statuses,
    Array.from({ length: 1_000 }, (_, count) => (count % 2 === 0 ? 404 : 200)),
  )
})

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
}

function post(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

function postChunked(path: string, body: string): string {
  const chunk = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`
  return `POST ${path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`
}

async function serve(handle: Handler): Promise<AsyncDisposable & { url: string; server: Server }> {
  const server = createHttpsServer(
    pair,
    { trustedProxies: parseRanges('') ?? assert.fail(), allowPlainHttp: false },
    handle,
  )
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo // it listens on a port, never on a pipe
  return {
    url: `https://127.0.0.1:${port}`,
    server,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
