import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../helpers/harness.ts'
import { askRaw, openRawSocket } from '../../helpers/raw-sockets.ts'
import { until } from '../../helpers/until.ts'

const message = '/v1/incoming_custom_channel_message'

test('a request without exactly one Host header is 400, in the error shape of its path', async () => {
  await using app = await sharedApp()
  for (const hosts of ['', 'host: a\r\nhost: b\r\n', 'host: a\r\nHOST: a\r\n']) {
    assertRefused(await askRaw(app.url, `GET /healthz HTTP/1.1\r\n${hosts}\r\n`), 'general')
    assertRefused(await askRaw(app.url, `POST ${message} HTTP/1.1\r\n${hosts}content-length: 0\r\n\r\n`), 'flat')
  }
  assertRefused(await askRaw(app.url, 'GET /healthz HTTP/1.0\r\nhost: a\r\nhost: b\r\n\r\n'), 'general')
  assert.equal((await askRaw(app.url, 'GET /healthz HTTP/1.0\r\n\r\n'))?.status, 200)
  assert.equal((await askRaw(app.url, 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'))?.status, 200)
})

test('a request line with another version than HTTP/1.0 or HTTP/1.1 is 400', async () => {
  await using app = await sharedApp()
  for (const version of ['HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/3.0', 'HTTP/11', 'http/1.1']) {
    assertRefused(await askRaw(app.url, `GET /healthz ${version}\r\nhost: x\r\n\r\n`), 'general')
  }
  assertRefused(await askRaw(app.url, 'GET /healthz\r\n\r\n'), 'general')
})

test('a transfer encoding other than chunked is 400', async () => {
  await using app = await sharedApp()
  const { apiKey } = await app.makeAccount()
  const body = '{"phone":"+15551234567"}'
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const head = `POST /v1/contacts?apiKey=${apiKey} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`
  const refused = [
    'identity, chunked',
    'gzip, chunked',
    'chunked, chunked',
    'identity',
    'chunked, identity',
    'xchunked',
  ]
  for (const encoding of refused) {
    const answer = await askRaw(app.url, `${head}transfer-encoding: ${encoding}\r\n\r\n${chunked}`)
    assertRefused(answer, 'general')
    assert.equal(answer?.headers.connection, 'close', encoding)
  }
  const twice = 'transfer-encoding: identity\r\ntransfer-encoding: chunked\r\n'
  assertRefused(await askRaw(app.url, `${head}${twice}\r\n${chunked}`), 'general')
  const both = 'transfer-encoding: chunked\r\ncontent-length: 5\r\n'
  assertRefused(await askRaw(app.url, `${head}${both}\r\n${chunked}`), 'general')
  assert.deepEqual(await app.db.selectFrom('contacts').select('id').execute(), [])
  assert.equal((await askRaw(app.url, `${head}transfer-encoding: Chunked\r\n\r\n${chunked}`))?.status, 201)
})

test('100 Continue is sent after the key was checked, and not before', async () => {
  await using app = await sharedApp()
  const { apiKey } = await app.makeAccount()
  const body = '{"phone":"+15551234567"}'
  const expecting = (path: string) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  for (const [path, status] of [
    ['/v1/contacts?apiKey=a-key-that-nobody-has', 401],
    ['/v1/contacts', 401],
    ['/v1/nothing', 404],
  ] as const) {
    using raw = await openRawSocket(app.url)
    raw.socket.write(expecting(path))
    await raw.closed // the server cannot know whether the client will still send its body, so it closes the connection
    assert.deepEqual(
      raw.answers().map((answer) => answer.status),
      [status],
    )
  }
  using raw = await openRawSocket(app.url)
  raw.socket.write(expecting(`/v1/contacts?apiKey=${apiKey}`))
  await until(() => raw.answers().length === 1, '100 Continue was not sent')
  assert.equal(raw.answers()[0]?.status, 100)
  raw.socket.write(body)
  await until(() => raw.answers().length === 2, 'the body was not answered')
  assert.equal(raw.answers()[1]?.status, 201)
})

test('an Expect header other than 100-continue is 400, in the error shape of its path', async () => {
  await using app = await sharedApp()
  assertRefused(await askRaw(app.url, 'GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n'), 'general')
  const flat = `POST ${message} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue, tea\r\ncontent-length: 0\r\n\r\n`
  assertRefused(await askRaw(app.url, flat), 'flat')
})

test('the answer to a request that the parser refuses has a JSON body and a request id that is in the log', async () => {
  await using app = await sharedApp()
  const head = 'GET /healthz HTTP/1.1\r\nhost: x\r\n'
  const cases = [
    [400, 'FROB / HTTP/1.1\r\nhost: x\r\n\r\n'],
    [400, `${head}bad header\r\n\r\n`],
    [400, `${head}a: b\0c\r\n\r\n`],
    [400, 'GET /healthz HTTP/1.1\nhost: x\n\n'],
    [431, `${head}a: ${'x'.repeat(20_000)}\r\n\r\n`],
    [431, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
  ] as const
  for (const [status, request] of cases) {
    const answer = await askRaw(app.url, request)
    assert.equal(answer?.status, status, request.slice(0, 60))
    assertError(answer, 'general')
    assert.ok(app.log.some((line) => line.includes(`"${answer?.headers['x-request-id']}"`)))
  }
})

test('a malformed chunked body is refused in the error shape of its path', async () => {
  await using app = await sharedApp()
  const { apiKey } = await app.makeAccount()
  for (const [path, shape] of [
    ['/v1/contacts', 'general'],
    [message, 'flat'],
  ] as const) {
    const head = `POST ${path}?apiKey=${apiKey} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`
    const answer = await askRaw(app.url, `${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n`)
    assertRefused(answer, shape)
    assert.ok(app.log.some((line) => line.includes(`"${answer?.headers['x-request-id']}"`)))
  }
})

test('malformed bytes after a request do not affect its answer, and are refused after it', async () => {
  await using app = await sharedApp()
  const { apiKey } = await app.makeAccount()
  using raw = await openRawSocket(app.url)
  const request = `GET /v1/contacts?phoneNumber=15551234567&apiKey=${apiKey} HTTP/1.1\r\nhost: x\r\n\r\n`
  raw.socket.write(`${request.repeat(20)}nonsense\r\n\r\n`)
  await raw.closed
  assert.deepEqual(
    raw.answers().map(({ status }) => status),
    [...Array.from({ length: 20 }, () => 404), 400],
  )
})

test('a field that is named twice in one object is refused, at every depth and in every spelling', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const phone = '"phone":"+15551234567"'
  for (const raw of [
    `{${phone},${phone}}`,
    `{${phone},"phon\\u0065":"+15551234568"}`,
    `{${phone},"other":{"a":1,"b":[{"c":1,"c":1}]}}`,
    `{${phone},"":1,"":2}`,
    `{${phone},"__proto__":1,"__proto__":2}`,
    `{${phone},"a":"}","a":":"}`,
  ]) {
    const { status, body } = await app.call('POST', '/contacts', { key: shop.apiKey, raw })
    assert.equal(status, 400, raw)
    assert.equal(body.error.code, 'INVALID_JSON', raw)
  }
  assert.deepEqual(await app.db.selectFrom('contacts').select('id').execute(), [])
  const apart = `{${phone},"a":{"a":":","b":1},"b":[{"a":1},{"a":":\\":"}],"A":1,"__proto__":{"a":1}}`
  assert.equal((await app.call('POST', '/contacts', { key: shop.apiKey, raw: apart })).status, 201)
})

type Shape = 'general' | 'flat'

function assertRefused(answer: Awaited<ReturnType<typeof askRaw>>, shape: Shape): void {
  assert.equal(answer?.status, 400)
  assertError(answer, shape)
}

function assertError(answer: Awaited<ReturnType<typeof askRaw>>, shape: Shape): void {
  assert.match(answer?.headers['x-request-id'] ?? '', /^req_/)
  const { error } = JSON.parse(answer?.body ?? '')
  assert.equal(typeof (shape === 'flat' ? error : error.message), 'string')
  if (shape === 'general') assert.equal(error.code, 'INVALID_REQUEST')
}
