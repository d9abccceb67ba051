import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Server } from 'node:https'
import { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@patchbay/contract/limits.ts'
import { parseRanges } from '../../../src/platform/config/ip-ranges.ts'
import { createHttpsServer } from '../../../src/platform/https-server/https-server.ts'
import { makeCertificate } from '../../../src/platform/https-server/make-certificate.ts'
import { startApp, type TestApp } from '../../helpers/harness.ts'
import { openRawSocket, type RawSocket } from '../../helpers/raw-sockets.ts'
import { until } from '../../helpers/until.ts'

test('behind a proxy the requests in flight of one client are limited; one too many is 429, and others are served', async () => {
  await using app = await startApp({ TRUST_PROXY: '127.0.0.0/8', RATE_LIMIT_PER_MINUTE: '0' })
  const { apiKey } = await app.makeAccount()
  const unfinished: Disposable[] = []
  // Requests are in flight until their body has arrived.
  for (let count = 0; count < limits.requestsPerAddress; count += 1) unfinished.push(beginPost(app, apiKey))
  const path = `/v1/contacts?phoneNumber=15551234567&apiKey=${apiKey}`
  await until(async () => (await ask(app, path, '203.0.113.7')).status === 429, 'no request was refused')

  const refused = await ask(app, path, '203.0.113.7')
  assert.equal(refused.body.error.code, 'RATE_LIMITED')
  assert.equal(refused.headers['retry-after'], '1')
  assert.match(refused.body.error.message, /busy/)
  const flat = await ask(app, '/v1/incoming_custom_channel_message', '198.51.100.1, 203.0.113.7')
  assert.equal(flat.status, 429)
  assert.match(flat.body.error, /busy/)
  assert.equal((await ask(app, path, '203.0.113.7, 203.0.113.8')).status, 404, 'another client')
  assert.equal((await ask(app, path, undefined)).status, 404, 'a proxy that forwards no address')

  for (const one of unfinished) one[Symbol.dispose]()
  await until(async () => (await ask(app, path, '203.0.113.7')).status === 404, 'the slots were not released')
})

test('X-Forwarded-For is ignored unless it comes from a trusted proxy', async () => {
  await using app = await startApp({ ALLOW_PLAIN_HTTP: '1', RATE_LIMIT_PER_MINUTE: '0' })
  const { apiKey } = await app.makeAccount()
  const unfinished: Disposable[] = []
  for (let count = 0; count < limits.requestsPerAddress; count += 1) unfinished.push(beginPost(app, apiKey))
  const path = `/v1/contacts?phoneNumber=15551234567&apiKey=${apiKey}`
  assert.equal((await ask(app, path, '203.0.113.7')).status, 404)
  for (const one of unfinished) one[Symbol.dispose]()
})

test('the connections of one address are limited; one too many is closed unread, and others are accepted', async () => {
  const pair = await makeCertificate('127.0.0.1')
  const none = parseRanges('') ?? assert.fail()
  const proxies = parseRanges('203.0.113.200') ?? assert.fail()
  for (const [trustedProxies, address, isBounded] of [
    [none, '203.0.113.7', true],
    [none, '127.0.0.1', false],
    [proxies, '203.0.113.200', false],
  ] as const) {
    const server = createHttpsServer(pair, { trustedProxies, allowPlainHttp: false }, () => {})
    const opened: Socket[] = []
    for (let count = 0; count <= limits.connectionsPerAddress; count += 1) opened.push(connectFrom(server, address))
    assert.equal(opened.filter(({ destroyed }) => destroyed).length, isBounded ? 1 : 0, address)
    opened.push(connectFrom(server, '203.0.113.8'))
    assert.equal(opened.at(-1)?.destroyed, false)
    opened[0]?.destroy()
    await until(() => !opened[opened.push(connectFrom(server, address)) - 1]?.destroyed, 'the slot was not released')
    for (const socket of opened) socket.destroy()
  }
})

test('at the limit of connections, the one that has been idle for longest is closed for a new one', async () => {
  await using app = await startApp({ CHAT_STREAMS: '0' })
  const idle: RawSocket[] = []
  for (let count = 0; count < 3; count += 1) {
    const raw = await openRawSocket(app.url)
    idle.push(raw)
    raw.socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => raw.answers().length === 1, 'not answered')
  }
  await sleep(1_600) // longer than a connection may be silent and not count as idle
  const silent = takeAllConnections(app, idle.length)
  const late = connectFrom(app.server, '127.0.0.1')
  assert.equal(late.destroyed, false)
  await until(() => idle.some(({ socket }) => socket.destroyed), 'none was closed')
  assert.deepEqual(
    idle.map(({ socket }) => socket.destroyed),
    [true, false, false],
  )
  for (const socket of [...silent, late, ...idle.map((raw) => raw.socket)]) socket.destroy()
})

test('at the limit of connections, if none is idle, a new one is closed and the others go on', async () => {
  await using app = await startApp({ CHAT_STREAMS: '0' })
  const { apiKey } = await app.makeAccount()
  using working = await openRawSocket(app.url)
  const head = `POST /v1/contacts?apiKey=${apiKey} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`
  working.socket.write(`${head}content-length: 24\r\nexpect: 100-continue\r\n\r\n`)
  await until(() => working.answers().length === 1, '100 Continue was not sent')
  const silent = takeAllConnections(app, 1)
  assert.equal(connectFrom(app.server, '127.0.0.1').destroyed, true)
  working.socket.write('{"phone":"+15551234567"}')
  await until(() => working.answers().length === 2, 'the earlier connection is not served')
  assert.equal(working.answers()[1]?.status, 201)
  for (const socket of silent) socket.destroy()
})

function takeAllConnections(app: TestApp, open: number): Socket[] {
  return Array.from({ length: limits.sockets - open }, () => connectFrom(app.server, '127.0.0.1'))
}

/** A connection from the given address that sends nothing. */
function connectFrom(server: Server, address: string): Socket {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address })
  server.emit('connection', socket)
  return socket
}

/** From 203.0.113.7, behind a proxy: the body is never sent. */
function beginPost(app: TestApp, apiKey: string): Disposable {
  const sent = send(app, 'POST', `/v1/incoming_custom_channel_message?apiKey=${apiKey}`, '203.0.113.7')
  sent.setHeader('content-type', 'application/json')
  sent.setHeader('content-length', '10')
  sent.on('error', () => {})
  sent.flushHeaders()
  return { [Symbol.dispose]: () => void sent.destroy() }
}

async function ask(app: TestApp, path: string, client: string | undefined) {
  const sent = send(app, path.includes('incoming') ? 'POST' : 'GET', path, client)
  sent.end()
  const [answer]: IncomingMessage[] = await once(sent, 'response')
  const body = await text(answer ?? assert.fail())
  return { status: answer?.statusCode, headers: answer?.headers ?? {}, body: JSON.parse(body) }
}

function send(app: TestApp, method: string, path: string, client: string | undefined): ClientRequest {
  const { port } = new URL(app.url)
  const headers = { 'x-forwarded-proto': 'https', ...(client === undefined ? {} : { 'x-forwarded-for': client }) }
  return request({ host: '127.0.0.1', port, method, path, headers, agent: false })
}
