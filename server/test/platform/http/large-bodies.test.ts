import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import type { Refusal } from '../../../src/platform/refusal.ts'
import { admitBodies } from '../../../src/platform/request-body/admit-bodies.ts'

const large = Buffer.alloc(1024 * 1024 + 1, ' ')

/** A server whose one route stands behind the gate, and answers the bodies that it has read when it is told to. */
async function startGate() {
  const inside: (() => void)[] = []
  const app = Fastify()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook(
    'preParsing',
    admitBodies(({ headers }) => String(headers.owner)),
  )
  app.post('/', { bodyLimit: 4 * large.length }, () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    inside.push(() => resolve('done'))
    return promise
  })
  app.setErrorHandler((error: Refusal) => ({ code: error.code, retryAfterSeconds: error.retryAfterSeconds }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo // it listens on a port, never on a pipe

  /** Sends the headers; the body is up to the caller. */
  function begin(headers: Record<string, string | number>) {
    const asking = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-type': 'x/y', ...headers } })
    asking.on('error', () => {}) // those that leave are told so
    asking.flushHeaders()
    return asking
  }
  const post = (body: Buffer, headers: Record<string, string | number> = { 'content-length': body.length }) =>
    begin(headers).end(body)
  /** Waits until so many bodies have been read, and a little longer to see that there are no more. */
  async function settleAt(count: number): Promise<void> {
    for (let tries = 0; inside.length < count && tries < 500; tries += 1) await sleep(5)
    await sleep(60)
    assert.equal(inside.length, count)
  }
  async function close(): Promise<void> {
    app.server.closeAllConnections()
    await app.close()
  }
  return { inside, begin, post, settleAt, [Symbol.asyncDispose]: close }
}

async function statusOf(asking: ReturnType<typeof request>): Promise<number | undefined> {
  const [answer]: IncomingMessage[] = await once(asking, 'response')
  answer?.resume()
  return answer?.statusCode
}

// H06; fifty at a time: `npm run soak -- --only upload-flood`
test('three large bodies of one owner are in at a time, whether they say their length or not, and each that leaves lets one in', async () => {
  await using gate = await startGate()
  const answers = Array.from({ length: 8 }, (_, n) =>
    statusOf(n % 2 === 0 ? gate.post(large) : gate.post(large, { 'transfer-encoding': 'chunked' })),
  )
  await gate.settleAt(3)
  for (let served = 0; served < 8; served += 1) {
    await gate.settleAt(Math.min(3 + served, 8))
    gate.inside[served]?.()
  }
  assert.deepEqual(await Promise.all(answers), Array(8).fill(200))
})

test('a small body passes while large ones wait', async () => {
  await using gate = await startGate()
  for (let n = 0; n < 6; n += 1) gate.post(large)
  await gate.settleAt(3)
  const small = statusOf(gate.post(large.subarray(1)))
  await gate.settleAt(4)
  gate.inside[3]?.()
  assert.equal(await small, 200)
})

test('a small body that does not say its length passes too, and small ones that dawdle keep nobody waiting', async () => {
  await using gate = await startGate()
  for (let n = 0; n < 6; n += 1) gate.begin({ 'transfer-encoding': 'chunked' })
  for (let n = 0; n < 6; n += 1) gate.post(large)
  await gate.settleAt(3)
  const small = statusOf(gate.post(large.subarray(0, 256 * 1024), { 'transfer-encoding': 'chunked' }))
  await gate.settleAt(4)
  gate.inside[3]?.()
  assert.equal(await small, 200)
})

test('large bodies that dawdle keep those of another owner waiting for nobody but each other', async () => {
  await using gate = await startGate()
  for (let n = 0; n < 6; n += 1) gate.begin({ owner: 'slow', 'content-length': 2 * large.length })
  for (let n = 0; n < 6; n += 1) gate.begin({ owner: 'slow', 'transfer-encoding': 'chunked' }).write(large)
  await sleep(60)
  const others = [1, 2].map(() => statusOf(gate.post(large, { owner: 'other', 'content-length': large.length })))
  await gate.settleAt(1)
  gate.inside[0]?.()
  await gate.settleAt(2)
  gate.inside[1]?.()
  assert.deepEqual(await Promise.all(others), [200, 200])
})

test('a body that is larger than its endpoint allows is refused at once, and need not wait for it', async () => {
  await using gate = await startGate()
  for (let n = 0; n < 6; n += 1) gate.begin({ 'content-length': 2 * large.length })
  const [answer]: IncomingMessage[] = await once(gate.begin({ 'content-length': 5 * large.length }), 'response')
  assert.ok(answer)
  assert.deepEqual(await json(answer), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' })
})

test('who leaves, waiting or let in, takes no place from those who stay', async () => {
  await using gate = await startGate()
  const first = Array.from({ length: 3 }, () => gate.post(large))
  await gate.settleAt(3)
  const leaving = Array.from({ length: 5 }, () => gate.post(large, { 'content-length': 2 * large.length }))
  await sleep(50)
  const staying = [statusOf(gate.post(large)), statusOf(gate.post(large))]
  await sleep(50)
  for (const asking of [...leaving, ...first]) asking.destroy()
  await gate.settleAt(5)
  for (const finish of gate.inside) finish()
  assert.deepEqual(await Promise.all(staying), [200, 200])
})

test('beyond three inside and a hundred that wait, the next ones are turned away at once', async () => {
  await using gate = await startGate()
  const many = Array.from({ length: 120 }, () => gate.post(large, { 'content-length': 2 * large.length }))
  const refused: unknown[] = []
  for (const asking of many) asking.on('response', async (answer) => refused.push(await json(answer)))
  for (let tries = 0; refused.length < 17 && tries < 500; tries += 1) await sleep(10)
  await sleep(60)
  assert.deepEqual(refused, Array(17).fill({ code: 'RATE_LIMITED', retryAfterSeconds: 1 }))
  for (const asking of many) asking.destroy()
})

test('slow bodies of two owners that hold all there is are ended, one by one, for a third who waits', async () => {
  await using gate = await startGate()
  const slow = ['one', 'two', 'one', 'two'].map((owner) => gate.begin({ owner, 'content-length': 2 * large.length }))
  const ended: unknown[] = []
  for (const asking of slow) {
    asking.write('x')
    asking.on('response', async (answer) => ended.push(await json(answer)))
  }
  await sleep(60)
  const honest = statusOf(gate.post(large, { owner: 'three', 'content-length': large.length }))
  for (let tries = 0; gate.inside.length < 1 && tries < 2_000; tries += 1) await sleep(5)
  gate.inside[0]?.()
  assert.equal(await honest, 200)
  assert.deepEqual(ended, [{ code: 'RATE_LIMITED', retryAfterSeconds: 1 }], 'one place was enough')
  for (const asking of slow) asking.destroy()
})

test('bodies that are not large are let in up to 16 MiB, of one owner up to 8 MiB, by the length that they say', async () => {
  await using gate = await startGate()
  const body = large.subarray(0, 1024 * 1024)
  for (let n = 0; n < 40; n += 1) gate.post(body, { owner: 'one', 'content-length': body.length })
  await gate.settleAt(8)
  for (const owner of ['two', 'three']) {
    for (let n = 0; n < 40; n += 1) gate.post(body, { owner, 'content-length': body.length })
  }
  await gate.settleAt(16)
  const tiny = statusOf(gate.post(large.subarray(0, 16 * 1024), { owner: 'one', 'content-length': 16 * 1024 }))
  await gate.settleAt(17)
  gate.inside[16]?.()
  assert.equal(await tiny, 200, 'what comes in one piece is not counted')
})
