import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { OutboundError } from '../../../src/platform/outbound/call.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { answerRaw, startTcp } from '../../helpers/receivers.ts'
import { usedHeap } from '../../helpers/used-heap.ts'

const allowed = readAllowedNetworks('127.0.0.0/8', false)
const post = { method: 'POST', headers: {}, body: '{}', mostBytes: 16_384, whenLarger: 'cut' } as const
const refuse = { ...post, whenLarger: 'refuse' } as const
const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

async function categoryOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => assert.fail('answered'),
    (error) => error,
  )
  assert.ok(error instanceof OutboundError, String(error))
  return error.category
}

/** Every request on its connection calls the next of these; requests are small enough for one packet. */
function answerInTurn(...answers: ((socket: Socket) => unknown)[]): (socket: Socket) => void {
  return (socket) => {
    const left = [...answers]
    socket.on('data', () => left.shift()?.(socket))
  }
}

const whole: Record<string, string> = {
  'a length': 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\nx: y\r\n\r\nhello',
  'chunks and a trailer':
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\nx: y\r\n\r\n',
}

for (const [name, answer] of Object.entries(whole)) {
  test(`an answer with ${name} that arrives byte by byte is read completely, and its connection reused`, async () => {
    const drip = async (socket: Socket) => {
      for (const byte of answer) {
        socket.write(byte)
        await setTimeout(1)
      }
    }
    await using receiver = await startTcp(answerInTurn(drip, drip))
    const outbound = openOutbound({ allowed })
    for (const call of [post, refuse]) {
      assert.equal((await outbound.request({ ...call, url: receiver.url })).body.toString(), 'hello')
    }
    assert.equal(receiver.connections(), 1)
    await outbound.close()
  })
}

test('what follows an answer is neither part of it nor of the next one, and ends the connection', async () => {
  const extra = 'HTTP/1.1 500 Not yours\r\ncontent-length: 0\r\n\r\n'
  const later = async (socket: Socket) => {
    socket.write(ok)
    await setTimeout(20)
    socket.write(extra)
  }
  for (const behave of [
    (socket: Socket) => socket.write(`${ok}extra`),
    (socket: Socket) => socket.write(ok + extra),
    later,
  ]) {
    await using receiver = await startTcp(answerInTurn(behave))
    const outbound = openOutbound({ allowed })
    for (let count = 1; count <= 3; count += 1) {
      const { status, body } = await outbound.request({ ...post, url: receiver.url })
      assert.deepEqual([status, body.toString(), receiver.connections()], [200, 'ok', count])
      await setTimeout(50)
    }
    await receiver.untilClosed()
  }
})

for (const framing of ['content-length: 10', 'connection: close\r\ncontent-length: 10', 'transfer-encoding: chunked']) {
  test(`a body that ends early (${framing.replace('\r\n', ', ')}) leaves the status, or is connection_reset where it may not be cut`, async () => {
    const part = framing.includes('chunked') ? 'a\r\nshort' : 'short'
    await using receiver = await startTcp(answerRaw(`HTTP/1.1 200 OK\r\n${framing}\r\n\r\n${part}`, true))
    const outbound = openOutbound({ allowed })
    const { status, body } = await outbound.request({ ...post, url: receiver.url })
    assert.deepEqual([status, body.toString()], [200, 'short'])
    assert.equal(await categoryOf(outbound.request({ ...refuse, url: receiver.url })), 'connection_reset')
    await receiver.untilClosed()
  })
}

test('an answer with both a length and chunks, or too large trailers, is invalid_response', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n'
  for (const answer of [
    `${chunked}content-length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    `HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    `${chunked}\r\n5\r\nhello\r\n0\r\n${'x: y\r\n'.repeat(9000)}\r\n`,
  ]) {
    await using receiver = await startTcp(answerRaw(answer))
    assert.equal(
      await categoryOf(openOutbound({ allowed }).request({ ...refuse, url: receiver.url })),
      'invalid_response',
    )
    await receiver.untilClosed()
  }
})

test('headers of one large line are refused at the limit, in one packet or in many', async () => {
  const answer = `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_000_000)}\r\n\r\n`
  const inParts = async (socket: Socket) => {
    for (let at = 0; at < answer.length && !socket.destroyed; at += 1000) {
      socket.write(answer.slice(at, at + 1000))
      await setTimeout(1)
    }
  }
  for (const behave of [(socket: Socket) => socket.write(answer), inParts]) {
    await using receiver = await startTcp(answerInTurn(behave))
    assert.equal(
      await categoryOf(openOutbound({ allowed }).request({ ...post, url: receiver.url })),
      'invalid_response',
    )
    await receiver.untilClosed()
  }
})

test('a reused connection that closes after the request has left is connection_reset, and nothing is sent again', async () => {
  let requests = 0
  const closings: ((socket: Socket) => unknown)[] = [
    (socket) => socket.end(),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end('HTTP/1.1 200 O'),
  ]
  for (const close of closings) {
    await using receiver = await startTcp((socket) => {
      answerInTurn((socket) => socket.write(ok), close)(socket)
      socket.on('data', () => {
        requests += 1
      })
    })
    const outbound = openOutbound({ allowed })
    await outbound.request({ ...post, url: receiver.url })
    assert.equal(await categoryOf(outbound.request({ ...post, url: receiver.url })), 'connection_reset')
    assert.equal(
      await categoryOf(
        outbound
          .request({ ...post, url: receiver.url })
          .then(() => outbound.request({ ...post, method: 'GET', body: undefined, url: receiver.url })),
      ),
      'connection_reset',
    )
    assert.deepEqual([requests, receiver.connections()], [4, 2])
    requests = 0
    await receiver.untilClosed()
  }
})

test('a connection that the receiver closes between two requests is replaced', async () => {
  const closeAfter = (socket: Socket) => socket.write(ok, () => setImmediate(() => socket.destroy()))
  await using receiver = await startTcp(answerInTurn(closeAfter))
  const outbound = openOutbound({ allowed })
  for (let count = 1; count <= 20; count += 1) {
    assert.equal((await outbound.request({ ...post, url: receiver.url })).status, 200)
    await receiver.untilClosed()
  }
  assert.equal(receiver.connections(), 20)
})

test('after "connection: close" or a short keep-alive the connection is closed', async () => {
  for (const header of ['connection: close', 'keep-alive: timeout=1']) {
    await using receiver = await startTcp(answerRaw(`HTTP/1.1 200 OK\r\n${header}\r\ncontent-length: 0\r\n\r\n`))
    const outbound = openOutbound({ allowed })
    for (let count = 1; count <= 3; count += 1) {
      assert.equal((await outbound.request({ ...post, url: receiver.url })).status, 200)
      assert.equal(receiver.connections(), count)
      await receiver.untilClosed()
    }
  }
})

test('an answer that comes before the whole request has left counts, and its connection is not reused', async () => {
  await using receiver = await startTcp((socket) => socket.once('data', () => socket.pause().write(ok)))
  const outbound = openOutbound({ allowed })
  for (let count = 1; count <= 3; count += 1) {
    const answer = await outbound.request({ ...post, url: receiver.url, body: 'x'.repeat(20_000_000) })
    assert.deepEqual([answer.status, answer.body.toString(), receiver.connections()], [200, 'ok', count])
  }
})

test('nothing is kept of an origin whose connections are closed', async () => {
  await using receiver = await startTcp(answerRaw('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'))
  const outbound = openOutbound({ allowed, resolve: async () => ['127.0.0.1'] })
  const callMany = async (prefix: string) => {
    for (let count = 0; count < 1000; count += 1) {
      await outbound.request({ ...post, url: `http://${prefix}${count}.example:${receiver.port}/` })
    }
    await receiver.untilClosed()
  }
  await callMany('a')
  const before = usedHeap()
  await callMany('b')
  const used = usedHeap() - before
  assert.ok(used < 1_500_000, `${used} bytes`) // the parsed addresses, which are kept, take half of this
})

test('an idle connection does not keep the last answer in memory', async () => {
  await using receiver = await startTcp(
    answerRaw(`HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n${'x'.repeat(100_000)}`),
  )
  const outbound = openOutbound({ allowed })
  const requestOnce = async () => {
    const { body } = await outbound.request({ ...refuse, mostBytes: 100_000, url: receiver.url })
    return new WeakRef(body.buffer)
  }
  const bodies = [await requestOnce(), await requestOnce(), await requestOnce()]
  await setTimeout(50)
  usedHeap() // collects garbage
  assert.deepEqual([bodies.filter((body) => body.deref()).length, receiver.open()], [0, 1])
  await outbound.close()
})
