import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setInterval } from 'node:timers'
import { connect as connectTls } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { limits } from '@patchbay/contract/limits.ts'
import { parseRanges } from '../../../src/platform/config/ip-ranges.ts'
import { createHttpsServer } from '../../../src/platform/https-server/https-server.ts'
import { makeCertificate } from '../../../src/platform/https-server/make-certificate.ts'
import { startApp, type TestApp } from '../../helpers/harness.ts'

const contact = JSON.stringify({ phone: '+15551234567' })

test('plain HTTP is refused on every path with the general shape, and nothing is processed', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  for (const path of [`/v1/contacts?apiKey=${shop.apiKey}`, '/healthz', '/nothing', '/%ZZ']) {
    const answer = await callPlain(app, 'POST', path)
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.code, 'HTTPS_REQUIRED')
    assert.match(String(answer.headers['x-request-id']), /^req_/)
    assert.equal(answer.headers.location, undefined)
  }
  assert.deepEqual(await app.db.selectFrom('contacts').select('id').execute(), [])
})

test('TLS older than 1.2 is refused, and 1.2 and newer are served', async () => {
  await using app = await startApp()
  const ask = async (version: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') => {
    const at = { host: '127.0.0.1', port: Number(new URL(app.url).port), ca: app.certificate, servername: 'localhost' }
    // Without the security level the client itself would refuse the old ones.
    const socket = connectTls({ ...at, minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' })
    const outcome = await once(socket, 'secureConnect').then(
      () => socket.getProtocol(),
      (error: NodeJS.ErrnoException) => error.code,
    )
    socket.destroy()
    return outcome
  }
  const refused = 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'
  assert.deepEqual([await ask('TLSv1'), await ask('TLSv1.1')], [refused, refused])
  assert.deepEqual([await ask('TLSv1.2'), await ask('TLSv1.3')], ['TLSv1.2', 'TLSv1.3'])
})

test('a server that stops waits for no connection that never had a request, or only the beginning of one', async () => {
  await using app = await startApp()
  const sockets = [tlsSocket(app), tlsSocket(app)]
  await Promise.all(sockets.map((socket) => once(socket, 'secureConnect')))
  sockets[1]?.write('GET /healthz HT')
  const closed = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
  app.server.close()
  await once(app.server, 'close')
  await closed
})

test('X-Forwarded-Proto counts only from a trusted proxy', async () => {
  await using trusting = await startApp({ TRUST_PROXY: '127.0.0.0/8' })
  await using other = await startApp({ TRUST_PROXY: '10.0.0.0/8,::1' })
  const forwarded = { 'x-forwarded-proto': 'https' }
  assert.equal((await callPlain(trusting, 'GET', '/healthz', forwarded)).status, 200)
  assert.equal((await callPlain(trusting, 'GET', '/healthz')).status, 400)
  assert.equal((await callPlain(trusting, 'GET', '/healthz', { 'x-forwarded-proto': 'http' })).status, 400)
  assert.equal((await callPlain(other, 'GET', '/healthz', forwarded)).status, 400)
})

test('ALLOW_PLAIN_HTTP serves plain HTTP and HTTPS on the same port', async () => {
  await using app = await startApp({ ALLOW_PLAIN_HTTP: '1' })
  const shop = await app.makeAccount()
  assert.equal((await callPlain(app, 'POST', `/v1/contacts?apiKey=${shop.apiKey}`)).status, 201)
  assert.equal((await shop.get('/contacts?phoneNumber=15551234567')).status, 200)
})

test('a slow client is disconnected: before the first byte, in the TLS handshake, in the headers, in the body', async () => {
  await using app = await startApp({ ALLOW_PLAIN_HTTP: '1' })
  const head = 'POST /v1/contacts HTTP/1.1\r\nhost: localhost\r\n'
  const { apiKey } = await app.makeAccount()
  const bodyHead = `POST /v1/contacts?apiKey=${apiKey} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n`
  const [silent, stalled, plainHeaders, tlsHeaders, body] = await Promise.all([
    secondsUntilClosed(plainSocket(app)),
    secondsUntilClosed(plainSocket(app), '\x16'),
    secondsUntilClosed(plainSocket(app), head, 'x'),
    secondsUntilClosed(tlsSocket(app), head, 'x'),
    secondsUntilClosed(tlsSocket(app), bodyHead, ' '),
  ])
  // Each must end by its own timeout and not by the next longer one: of 2, 5, 10 and 30 seconds. On a machine that stalls
  // all of them are late, but their order stays.
  assert.ok(silent < stalled, `silent: ${silent}, handshake: ${stalled}`)
  for (const [name, ended] of Object.entries({ stalled, plainHeaders, tlsHeaders })) {
    assert.ok(ended < body, `${name}: ${ended}, body: ${body}`)
  }
  assert.ok(body < 25, `body: ${body}`)
})

test('a refused request with a large body is answered early and not read to its end', async () => {
  await using app = await startApp()
  const { apiKey } = await app.makeAccount()
  const large = 'content-type: application/json\r\nhost: x\r\ncontent-length: 50000000\r\n\r\n'
  const chunked = 'content-type: application/json\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2faf080\r\n'
  const cases = [
    { head: `POST /v1/contacts?apiKey=${apiKey} HTTP/1.1\r\n${large}`, status: 413 },
    { head: `POST /v1/contacts?apiKey=${apiKey} HTTP/1.1\r\n${chunked}`, status: 413 },
    { head: `POST /v1/contacts HTTP/1.1\r\n${large}`, status: 401 },
    { head: `PUT /v1/contacts HTTP/1.1\r\n${large}`, status: 405 },
    { head: `POST /v1/nothing HTTP/1.1\r\n${chunked}`, status: 404 },
  ]
  for (const { head, status } of cases) {
    const { answer, taken } = await pour(tlsSocket(app), head, 50_000_000)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
    assert.ok(taken < 5_000_000, `${head.split(' ')[1]} took ${taken} bytes`)
  }
})

test('bytes that are not HTTP are answered or the connection is closed, and the server goes on', async () => {
  await using app = await startApp()
  for (const bytes of [
    '\0\0\0\0',
    'SSH-2.0-x\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'FROB / HTTP/1.1\r\n\r\n',
    '\x16\x03\x01\xff',
  ]) {
    const socket = plainSocket(app)
    socket.on('error', () => {})
    socket.resume()
    socket.end(bytes, 'latin1')
    await new Promise((resolve) => socket.once('close', resolve))
  }
  const tooManyHeaders = `GET /healthz HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(20_000)}\r\n`
  assert.match((await pour(tlsSocket(app), tooManyHeaders, 0)).answer, /^HTTP\/1.1 431 /)
  assert.equal((await app.call('GET', '/openapi.json')).status, 200)
})

type Plain = { status: number | undefined; headers: Record<string, unknown>; body: { error: { code: string } } }

function callPlain(app: TestApp, method: string, path: string, headers: Record<string, string> = {}): Promise<Plain> {
  const { port } = new URL(app.url)
  const body = method === 'POST' ? contact : ''
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { 'content-type': 'application/json', ...headers },
    }
    const sent = request(options, async (answer) => {
      const text = (await answer.toArray()).join('')
      resolve({ status: answer.statusCode, headers: answer.headers, body: JSON.parse(text) })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function plainSocket(app: TestApp): Socket {
  return connect(Number(new URL(app.url).port), '127.0.0.1')
}

function tlsSocket(app: TestApp): Socket {
  return connectTls({ host: '127.0.0.1', port: Number(new URL(app.url).port), ca: app.certificate })
}

/** Sends `start`, then `drip` once a second, and waits until the server closes the connection. */
function secondsUntilClosed(socket: Socket, start = '', drip = ''): Promise<number> {
  const began = performance.now()
  socket.on('error', () => {})
  socket.resume()
  if (start) socket.write(start, 'latin1')
  const dripping = setInterval(() => drip && socket.write(drip), 1_000)
  return new Promise((resolve) =>
    socket.once('close', () => {
      clearInterval(dripping)
      resolve((performance.now() - began) / 1000)
    }),
  )
}

/** Sends a head and then as much of a body as the server reads; returns its answer and the bytes it took. */
async function pour(socket: Socket, head: string, bodyBytes: number): Promise<{ answer: string; taken: number }> {
  let answer = ''
  let isClosed = false
  socket.on('error', () => {})
  socket.on('data', (data) => (answer += data))
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve())).then(() => (isClosed = true))
  socket.write(head)
  for (let sent = 0; sent < bodyBytes && !isClosed; sent += 16_384) {
    if (!socket.write(Buffer.alloc(16_384, ' '))) {
      await Promise.race([closed, new Promise((resolve) => socket.once('drain', resolve))])
    }
  }
  await closed
  return { answer, taken: socket.bytesWritten }
}

test('what has arrived while the process was stalled is read before its connection is closed for silence; the silent are closed', async (t) => {
  const pair = await makeCertificate('127.0.0.1')
  const policy = { trustedProxies: parseRanges('') ?? assert.fail(), allowPlainHttp: false }
  const server = createHttpsServer(pair, policy, (_request, response) => response.end('here'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  let accepted = 0
  let begun = 0
  server.on('connection', (socket: Socket) => {
    accepted += 1
    socket.once('readable', () => (begun += 1))
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  // Half of them have sent nothing before the stall, and half the beginning of a handshake.
  const firstBytes = Array.from({ length: 120 }, (_, n) => (n % 2 === 0 ? 0 : 10))
  const written = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { port, firstBytes, written }
  const clients = new Worker(new URL('../../helpers/late-clients.ts', import.meta.url), { workerData })
  t.after(() => clients.terminate())
  await once(clients, 'message')
  const silent = connect(port, '127.0.0.1')
  const closed = once(silent, 'close')
  do await new Promise(setImmediate)
  while (accepted < 121 || begun < 60)
  clients.postMessage('go on')
  Atomics.wait(written, 0, 0) // the stall: they send, and this thread reads nothing
  t.mock.timers.tick(limits.tlsHandshakeMs) // after it the timers run first
  const [{ answered }] = await once(clients, 'message')
  assert.equal(answered, 120)
  await closed
})
