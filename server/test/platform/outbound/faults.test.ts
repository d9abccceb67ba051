import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setInterval, setTimeout } from 'node:timers'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import type { Call } from '../../../src/platform/outbound/call.ts'
import { OutboundError } from '../../../src/platform/outbound/call.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { answerRaw, recordDials, startReceiver, startTcp } from '../../helpers/receivers.ts'
import { patienceMs } from '../../helpers/until.ts'
import { usedHeap } from '../../helpers/used-heap.ts'

const allowed = readAllowedNetworks('127.0.0.0/8,::1', false)
/** For attempts that must time out, though not before they have dialled; all others have the default limits. */
const shortLimit = { attemptMs: 1500 }
const post = { method: 'POST', headers: {}, body: '{"a":1}', mostBytes: 16_384, whenLarger: 'cut' } as const

function call(url: string, change: Partial<Call> = {}, limits = {}) {
  return openOutbound({ allowed, limits }).request({ ...post, url, ...change })
}

/** The category, after checking that the error contains nothing of the answer. */
async function failure(url: string, change: Partial<Call> = {}, limits = {}): Promise<string> {
  const error = await call(url, change, limits).then(
    (answer) => assert.fail(`answered ${answer.status}`),
    (error) => error,
  )
  assert.ok(error instanceof OutboundError, String(error))
  assert.match(error.message, /^[A-Z][^\n]+\.$/)
  assert.doesNotMatch(error.message, /127\.0\.0\.1/)
  assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /canary|63 61 6e 61 72 79/)
  return error.category
}

const silences: Record<string, (socket: Socket) => unknown> = {
  'reads and never answers': (socket) => socket.resume(),
  'never reads': (socket) => socket.pause(),
  'stops in the middle of the head': answerRaw('HTTP/1.1 200 OK\r\ncanary: x'),
  'sends 102 for ever': (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
  'sends 100 for ever': (socket) => drip(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
  'sends 199 for ever': (socket) => drip(socket, 'HTTP/1.1 199 Soon\r\ncanary: x\r\n\r\n'),
  'sends its head byte by byte': (socket) => drip(socket, 'x', 'HTTP/1.1 200 OK\r\nx: '),
}

function drip(socket: Socket, bytes: string, start = ''): void {
  socket.resume()
  socket.write(start)
  const dripping = setInterval(() => socket.write(bytes), 10)
  socket.on('close', () => clearInterval(dripping))
}

for (const [name, behave] of Object.entries(silences)) {
  test(`a receiver that ${name} times out at the deadline, and its connection is closed`, async () => {
    await using receiver = await startTcp(behave)
    using watch = recordDials()
    const began = performance.now()
    const body = name === 'never reads' ? 'x'.repeat(20_000_000) : '{}'
    assert.equal(await failure(receiver.url, { body }, shortLimit), 'timeout')
    const took = performance.now() - began
    assert.ok(took > 1400 && took < 10_000, `${took}`)
    assert.deepEqual([watch.dials.length, watch.open()], [1, 0])
  })
}

test('a call with its own time limit gets that time, longer or shorter than the default', async () => {
  await using slow = await startReceiver((_request, response) => setTimeout(() => response.end('ok'), 2000))
  assert.equal(await failure(slow.url, {}, shortLimit), 'timeout')
  assert.equal((await call(slow.url, { attemptMs: 10_000 }, shortLimit)).status, 200)
  assert.equal((await call(slow.url)).status, 200)
  assert.equal(await failure(slow.url, { attemptMs: 50 }), 'timeout')
})

test('interim answers (1xx) before the final one are ignored', async () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'
  await using receiver = await startTcp(answerRaw(`${interim}HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok`))
  const answer = await call(receiver.url)
  assert.deepEqual([answer.status, answer.body.toString(), answer.headers.link], [201, 'ok', undefined])
})

test('where the body may be cut, a body that never ends delays neither the answer nor the close of the connection', async () => {
  await using receiver = await startTcp((socket) => drip(socket, 'x', 'HTTP/1.1 200 OK\r\n\r\n'))
  const began = performance.now()
  const outbound = openOutbound({ allowed })
  const answer = await outbound.request({ ...post, url: receiver.url })
  assert.equal(answer.status, 200)
  assert.match(answer.body.toString(), /^x+$/)
  assert.ok(performance.now() - began < 10_000, 'before the time limit of the attempt')
  await receiver.untilClosed()
  assert.equal((await call(receiver.url, { attemptMs: 900 })).status, 200, 'also when the deadline comes first')
  assert.equal(await failure(receiver.url, { whenLarger: 'refuse' }, shortLimit), 'timeout')
})

for (const framing of ['content-length: 500000000', 'transfer-encoding: chunked', 'connection: close']) {
  test(`of a huge answer (${framing}) only the allowed part is read`, async () => {
    let sent = 0
    await using receiver = await startTcp((socket) => {
      socket.resume()
      socket.write(`HTTP/1.1 500 Oops\r\n${framing}\r\n\r\n${framing.includes('chunked') ? '1dcd6500\r\n' : ''}`)
      const pour = () => {
        while (sent < 500_000_000 && !socket.destroyed) {
          sent += 65_536
          if (!socket.write(Buffer.alloc(65_536, 'x'))) return
        }
      }
      socket.on('drain', pour)
      pour()
    })
    const answer = await call(receiver.url)
    assert.deepEqual([answer.status, answer.body.length], [500, 16_384])
    await receiver.untilClosed()
    assert.ok(sent < 50_000_000, `${sent} bytes left the receiver`)
    sent = 0
    assert.equal(await failure(receiver.url, { whenLarger: 'refuse', mostBytes: 1_000_000 }), 'too_large')
    await receiver.untilClosed()
    assert.ok(sent < 50_000_000, `${sent} bytes left the receiver`)
  })
}

test('an answer of a million chunks of one byte takes less than 30 MB of memory', async () => {
  const million = 1_000_000
  const { promise: isPoured, resolve: poured } = Promise.withResolvers<Socket>()
  await using receiver = await startTcp((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      socket.write('1\r\nx\r\n'.repeat(million), () => poured(socket))
    })
  })
  const before = usedHeap()
  const outbound = openOutbound({ allowed, limits: { attemptMs: patienceMs } })
  const answering = outbound.request({ ...post, url: receiver.url, whenLarger: 'refuse', mostBytes: million })
  const socket = await isPoured
  await new Promise((resolve) => setTimeout(resolve, 200)) // the bytes in flight arrive
  const used = usedHeap() - before
  assert.ok(used < 30 * million, `${used} bytes`)
  socket.write('0\r\n\r\n')
  assert.deepEqual((await answering).body, Buffer.alloc(million, 'x'))
})

test('an answer of exactly the allowed size is complete; one byte more is refused where the body may not be cut', async () => {
  await using receiver = await startReceiver((_request, response) => response.end('x'.repeat(1000)))
  assert.equal((await call(receiver.url, { whenLarger: 'refuse', mostBytes: 1000 })).body.length, 1000)
  assert.equal((await call(receiver.url, { mostBytes: 999 })).body.length, 999)
  assert.equal(await failure(receiver.url, { whenLarger: 'refuse', mostBytes: 999 }), 'too_large')
})

test('a compressed answer is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  const headers = { 'content-encoding': 'gzip', 'content-length': bomb.length }
  await using receiver = await startReceiver((_request, response) => response.writeHead(200, headers).end(bomb))
  const before = process.memoryUsage().arrayBuffers
  const answer = await call(receiver.url, { mostBytes: 1_000_000, whenLarger: 'refuse' })
  assert.deepEqual(answer.body, bomb)
  assert.ok(process.memoryUsage().arrayBuffers - before < 20_000_000)
})

const brokenAnswers: Record<string, { behave: (socket: Socket) => unknown; category: string }> = {
  'resets at once': { behave: (socket) => socket.resetAndDestroy(), category: 'connection_reset' },
  'resets after the head of the request': {
    behave: (socket) => socket.once('data', () => socket.resetAndDestroy()),
    category: 'connection_reset',
  },
  'closes without an answer': { behave: answerRaw('', true), category: 'connection_reset' },
  'closes in the middle of the head': {
    behave: answerRaw('HTTP/1.1 200 OK\r\ncanary: x\r\n', true),
    category: 'connection_reset',
  },
  'closes after a 199': { behave: answerRaw('HTTP/1.1 199 Soon\r\n\r\n', true), category: 'connection_reset' },
  'speaks another protocol': { behave: answerRaw('SSH-2.0-canary\r\n\r\n'), category: 'invalid_response' },
  'has a malformed status line': { behave: answerRaw('HTTP/1.1 2x0 canary\r\n\r\n'), category: 'invalid_response' },
  'has a status of two digits': { behave: answerRaw('HTTP/1.1 20 canary\r\n\r\n'), category: 'invalid_response' },
  'has a status of four digits': { behave: answerRaw('HTTP/1.1 2000 canary\r\n\r\n'), category: 'invalid_response' },
  'has a malformed header': {
    behave: answerRaw('HTTP/1.1 200 OK\r\nca nary: x\r\n\r\n'),
    category: 'invalid_response',
  },
  'has two lengths': {
    behave: answerRaw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'),
    category: 'invalid_response',
  },
  'switches protocols': {
    behave: answerRaw('HTTP/1.1 101 Switching\r\nupgrade: canary\r\nconnection: upgrade\r\n\r\n'),
    category: 'invalid_response',
  },
  'has too large headers': {
    behave: answerRaw(`HTTP/1.1 200 OK\r\n${'canary: canary\r\n'.repeat(2000)}\r\n`),
    category: 'invalid_response',
  },
}

for (const [name, { behave, category }] of Object.entries(brokenAnswers)) {
  test(`a receiver that ${name} is ${category}`, async () => {
    await using receiver = await startTcp(behave)
    assert.equal(await failure(receiver.url), category)
    await receiver.untilClosed()
  })
}

test('a connection that breaks in the body leaves the status, or is an error where the body may not be cut', async () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'
  await using receiver = await startTcp((socket) => {
    socket.once('data', () => socket.write(`${head}canary`, () => setTimeout(() => socket.resetAndDestroy(), 50)))
  })
  const answer = await call(receiver.url)
  assert.deepEqual([answer.status, answer.body.toString()], [200, 'canary'])
  assert.equal(await failure(receiver.url, { whenLarger: 'refuse' }), 'connection_reset')
  await using garbled = await startTcp(answerRaw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\ncanary\r\n'))
  assert.equal(await failure(garbled.url, { whenLarger: 'refuse' }), 'invalid_response')
})

test('a port where nobody listens is connection_refused', async () => {
  const receiver = await startReceiver()
  await receiver[Symbol.asyncDispose]()
  assert.equal(await failure(receiver.url), 'connection_refused')
  assert.equal(await failure(`http://localhost:${receiver.port}/`), 'connection_refused')
})

test('every status is returned unchanged', async () => {
  for (const status of [200, 201, 204, 299, 300, 304, 400, 410, 429, 500, 503, 600, 999]) {
    await using receiver = await startTcp(
      answerRaw(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\nRetry-After: 7\r\n\r\n`),
    )
    const answer = await call(receiver.url)
    assert.deepEqual([answer.status, answer.headers['retry-after']], [status, '7'])
  }
})

test('no redirect is followed, neither to another address nor to itself', async () => {
  await using other = await startReceiver()
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of [other.url, '/', `//127.0.0.1:${other.port}/`, 'http://169.254.169.254/']) {
      await using receiver = await startReceiver((_request, response) => response.writeHead(status, { location }).end())
      using watch = recordDials()
      assert.equal((await call(receiver.url)).status, status)
      assert.equal(receiver.requests.length, 1)
      assert.deepEqual(watch.dials, [`127.0.0.1 ${receiver.port}`])
    }
  }
  assert.equal(other.connections(), 0)
})
