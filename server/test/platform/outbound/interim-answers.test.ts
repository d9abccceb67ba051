import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { OutboundError } from '../../../src/platform/outbound/call.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { startTcp } from '../../helpers/receivers.ts'
import { usedHeap } from '../../helpers/used-heap.ts'

const allowed = readAllowedNetworks('127.0.0.0/8', false)
const post = { method: 'POST', headers: {}, mostBytes: 16_384, whenLarger: 'cut' } as const
const final = 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok'

type Answer = (socket: Socket, count: number) => unknown

/** A receiver that keeps the body of every complete request, and calls `answer` for each. */
async function startCounting(answer: Answer) {
  const bodies: string[] = []
  const receiver = await startTcp((socket) => {
    let heard = ''
    socket.on('data', (data) => {
      heard += data.toString('latin1')
      const end = heard.indexOf('\r\n\r\n') + 4
      const length = Number(/content-length: (\d+)/i.exec(heard)?.[1])
      if (end < 4 || heard.length < end + length) return
      bodies.push(heard.slice(end, end + length))
      heard = heard.slice(end + length)
      answer(socket, bodies.length)
    })
  })
  return { ...receiver, bodies }
}

/** Of the heap, and of what was received. */
function usedMemory(): number {
  return usedHeap() + process.memoryUsage().arrayBuffers
}

async function categoryOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => assert.fail('answered'),
    (error) => error,
  )
  assert.ok(error instanceof OutboundError, String(error))
  return error.category
}

const interims: Record<string, string> = {
  'a 100': 'HTTP/1.1 100 Continue\r\n\r\n',
  'a 102': 'HTTP/1.1 102 Processing\r\n\r\n',
  'a 103': 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n',
  'several of them':
    'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 199 Soon\r\n\r\n',
}

const ways: Record<string, (socket: Socket, interim: string) => unknown> = {
  'in one packet with the answer': (socket, interim) => socket.write(interim + final),
  'some time before the answer': async (socket, interim) => {
    socket.write(interim)
    await setTimeout(50)
    socket.write(final)
  },
  'byte by byte': async (socket, interim) => {
    for (const byte of interim + final) {
      socket.write(byte)
      await setTimeout(1)
    }
  },
  'before it closes the connection': (socket, interim) => socket.end(interim + final),
}

for (const [name, interim] of Object.entries(interims)) {
  for (const [way, send] of Object.entries(ways)) {
    test(`a receiver that sends ${name} ${way}, at once or later, answers every request and gets none twice`, async () => {
      for (const first of [1, 3]) {
        await using receiver = await startCounting((socket, count) =>
          count < first ? socket.write(final) : send(socket, interim),
        )
        const outbound = openOutbound({ allowed })
        for (const body of ['1', '2', '3', '4', '5']) {
          const answer = await outbound.request({ ...post, url: receiver.url, body })
          assert.deepEqual([answer.status, answer.body.toString(), answer.headers.link], [201, 'ok', undefined])
        }
        assert.deepEqual(receiver.bodies, ['1', '2', '3', '4', '5'])
        await outbound.close()
        await receiver.untilClosed()
      }
    })
  }
}

test('a receiver that sends a 100 to ten requests at once gets each of them once', async () => {
  await using receiver = await startCounting((socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${final}`))
  const outbound = openOutbound({ allowed })
  const bodies = Array.from({ length: 10 }, (_, index) => String(index))
  const answers = await Promise.all(bodies.map((body) => outbound.request({ ...post, url: receiver.url, body })))
  assert.ok(answers.every(({ status }) => status === 201))
  assert.deepEqual(receiver.bodies.sort(), bodies)
})

test('headers that came more than once are the same with and without an interim answer', async () => {
  const repeated = ['retry-after', 'content-type', 'x-other', 'set-cookie'].map(
    (name) => `${name}: 1\r\n${name}: 2\r\n`,
  )
  const answer = `HTTP/1.1 503 Busy\r\n${repeated.join('')}content-length: 0\r\n\r\n`
  await using receiver = await startCounting((socket, count) =>
    socket.write((count > 1 ? interims['a 100'] : '') + answer),
  )
  const outbound = openOutbound({ allowed })
  for (let count = 0; count < 3; count += 1) {
    const { headers } = await outbound.request({ ...post, url: receiver.url, body: '{}' })
    const expected = { 'retry-after': '1', 'content-type': '1', 'x-other': '1, 2', 'set-cookie': ['1', '2'] }
    assert.deepEqual({ ...headers }, { ...expected, 'content-length': '0' })
  }
  await outbound.close()
})

test('after its first interim answer, requests to a receiver share a connection again', async () => {
  await using receiver = await startCounting((socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${final}`))
  const outbound = openOutbound({ allowed })
  for (let count = 0; count < 5; count += 1) await outbound.request({ ...post, url: receiver.url, body: '{}' })
  assert.equal(receiver.connections(), 2)
  await outbound.close()
  await receiver.untilClosed()
})

test('a receiver that sends a 100 before it reads the body gets all of it, once', async () => {
  await using receiver = await startTcp((socket) => {
    let bytes = 0
    socket.once('data', async (data) => {
      bytes += data.length - data.indexOf('\r\n\r\n') - 4
      socket.pause().write('HTTP/1.1 100 Continue\r\n\r\n')
      await setTimeout(100)
      socket.resume().on('data', (more) => {
        bytes += more.length
        if (bytes === size) socket.write(final)
        assert.ok(bytes <= size)
      })
    })
  })
  const size = 5_000_000
  const answer = await openOutbound({ allowed }).request({ ...post, url: receiver.url, body: 'x'.repeat(size) })
  assert.deepEqual([answer.status, receiver.connections()], [201, 1])
})

const broken: Record<string, [answer: string, category: string]> = {
  'another protocol': ['SSH-2.0-x\r\n\r\n', 'invalid_response'],
  'another protocol by agreement': [
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'invalid_response',
  ],
  'too large headers': [`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(9000)}\r\n`, 'invalid_response'],
  'half a head': ['HTTP/1.1 200 OK\r\nx: ', 'connection_reset'],
  nothing: ['', 'connection_reset'],
}

for (const [name, [answer, category]] of Object.entries(broken)) {
  test(`a 100 and then ${name} is ${category}, and the request is not sent again`, async () => {
    await using receiver = await startCounting((socket) => socket.end(`HTTP/1.1 100 Continue\r\n\r\n${answer}`))
    const attempt = openOutbound({ allowed }).request({ ...post, url: receiver.url, body: '1' })
    assert.equal(await categoryOf(attempt), category)
    assert.deepEqual(receiver.bodies, ['1'])
    await receiver.untilClosed()
  })
}

for (const [name, interim] of Object.entries(interims)) {
  test(`${name} as fast as we can read, without end, is a timeout and takes no memory, at once or later`, async () => {
    for (const first of [1, 2]) {
      let sent = 0
      await using receiver = await startCounting((socket, count) => {
        if (count < first) return socket.write(final)
        const flood = Buffer.from(interim.repeat(1000))
        const pour = () => {
          while (!socket.destroyed) {
            sent += flood.length
            if (!socket.write(flood)) return
          }
        }
        socket.on('drain', pour)
        return pour()
      })
      const outbound = openOutbound({ allowed, limits: { attemptMs: 1000 } })
      if (first === 2) await outbound.request({ ...post, url: receiver.url, body: '1' })
      const before = usedMemory()
      const attempt = categoryOf(outbound.request({ ...post, url: receiver.url, body: '2' }))
      await setTimeout(500)
      const used = usedMemory() - before
      assert.ok(used < 5_000_000, `${used} bytes, of ${sent} sent`)
      assert.equal(await attempt, 'timeout')
      await receiver.untilClosed()
    }
  })
}
