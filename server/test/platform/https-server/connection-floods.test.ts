// Runs alone: holds thousands of sockets open

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@patchbay/contract/limits.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { apiKey, makeDataFolder, type ServerProcess, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

const slowHeaders = 'POST /v1/contacts HTTP/1.1\r\nhost: x\r\n'
const slowBody = `POST /v1/contacts?apiKey=${apiKey} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n`
const healthz = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'

// H01, H02: plain HTTP, because a thousand TLS handshakes would load the machine; the limits are the same.
test('a thousand clients with slow headers and as many with slow bodies are all disconnected, and others are served meanwhile', async () => {
  await using world = await startPlain()
  const flood = [
    ...(await openFlood(world.port, { count: 1_000, start: slowHeaders })),
    ...(await openFlood(world.port, { count: limits.sockets - 1_000 - 50, start: slowBody })),
  ]
  assert.ok(flood.filter(({ isOpen }) => isOpen()).length > 1_500, 'the flood is in')
  let served = 0
  while (flood.some(({ isOpen }) => isOpen())) {
    for (const { isOpen, socket } of flood) if (isOpen()) socket.write('x')
    served += await ask(world.server, `during ${served}`)
    await sleep(200)
  }
  assert.ok(served > 0)
})

// H03
test('idle connections are kept up to the limit and no further, and are closed for new ones', async () => {
  await using world = await startPlain()
  const flood = await openFlood(world.port, { count: limits.sockets + 100, start: healthz })
  assert.ok(
    flood.filter(({ received }) => received().startsWith('HTTP/1.1 200')).length > limits.sockets / 2,
    'the flood is in',
  )
  await until(() => flood.filter(({ isOpen }) => isOpen()).length <= limits.sockets, 'more than the limit are kept')
  const giveUpAt = performance.now() + 90_000
  for (let isServed = false; !isServed; ) {
    assert.ok(performance.now() < giveUpAt, 'no other client is served any more')
    const { received, socket } = await openOne(world.port, healthz)
    isServed = received().startsWith('HTTP/1.1 200')
    socket.destroy()
    await sleep(200)
  }
  assert.equal(world.server.child.exitCode, null)
})

async function startPlain() {
  await using starting = new AsyncDisposableStack()
  const folder = starting.use(await makeDataFolder())
  const server = starting.use(await startProcess({ DATA_DIR: folder.path, ALLOW_PLAIN_HTTP: '1', CHAT_STREAMS: '0' }))
  await ask(server, 'before') // its connection stays open
  const started = starting.move()
  return { server, port: Number(new URL(server.url).port), [Symbol.asyncDispose]: () => started.disposeAsync() }
}

async function ask(server: ServerProcess, messageSid: string): Promise<1> {
  const { status } = await server.post(incomingPath, incoming({ messageSid }))
  assert.equal(status, 200)
  return 1
}

type Flooding = { socket: Socket; isOpen: () => boolean; received: () => string }

/** Opens connections a few at a time, each of which sends `start`; returns when each was accepted or refused. */
async function openFlood(port: number, { count, start }: { count: number; start: string }): Promise<Flooding[]> {
  const flood: Flooding[] = []
  while (flood.length < count) {
    const some = Array.from({ length: Math.min(100, count - flood.length) }, () => openOne(port, start))
    flood.push(...(await Promise.all(some)))
  }
  return flood
}

async function openOne(port: number, start: string): Promise<Flooding> {
  const socket = connect(port, '127.0.0.1')
  let [isOpen, received] = [true, '']
  socket.on('error', () => {})
  socket.on('data', (data) => (received += data))
  socket.on('close', () => {
    isOpen = false
  })
  const connected = new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  socket.write(start)
  await connected
  if (start === healthz) await new Promise((resolve) => socket.once('data', resolve).once('close', resolve))
  return { socket, isOpen: () => isOpen, received: () => received }
}
