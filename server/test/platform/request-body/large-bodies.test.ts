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
import { watchTimers } from '../../helpers/open-timers.ts'
import { until } from '../../helpers/until.ts'

const large = Buffer.alloc(1024 * 1024 + 1, ' ')

/** A server with the hook under test. Its one route answers a body that was read when its function in `admitted` is called. */
async function startServer() {
  const admitted: (() => void)[] = []
  const app = Fastify()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook(
    'preParsing',
    admitBodies(({ headers }) => String(headers.owner)),
  )
  app.post('/', { bodyLimit: 4 * large.length }, () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    admitted.push(() => resolve('done'))
    return promise
  })
  app.setErrorHandler((error: Refusal) => ({ code: error.code, retryAfterSeconds: error.retryAfterSeconds }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo // it listens on a port, never on a pipe

  /** Sends the headers; the body is up to the caller. */
  function begin(headers: Record<string, string | number>) {
    const asking = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-type': 'x/y', ...headers } })
    asking.on('error', () => {}) // a destroyed request emits one
    asking.flushHeaders()
    return asking
  }
  const post = (body: Buffer, headers: Record<string, string | number> = { 'content-length': body.length }) =>
    begin(headers).end(body)
  /** Waits until so many bodies have been read, and a little longer to assert that there are no more. */
  async function settleAt(count: number): Promise<void> {
    for (let tries = 0; admitted.length < count && tries < 500; tries += 1) await sleep(5)
    await sleep(60)
    assert.equal(admitted.length, count)
  }
  async function close(): Promise<void> {
    app.server.closeAllConnections()
    await app.close()
  }
  return { admitted, begin, post, settleAt, [Symbol.asyncDispose]: close }
}

async function statusOf(asking: ReturnType<typeof request>): Promise<number | undefined> {
  const [answer]: IncomingMessage[] = await once(asking, 'response')
  answer?.resume()
  return answer?.statusCode
}

// H06; fifty at a time: `npm run soak -- --only upload-flood`
test('three large bodies of one owner are admitted at a time, with a Content-Length or chunked, and the next when one is answered', async () => {
  await using server = await startServer()
  const answers = Array.from({ length: 8 }, (_, n) =>
    statusOf(n % 2 === 0 ? server.post(large) : server.post(large, { 'transfer-encoding': 'chunked' })),
  )
  await server.settleAt(3)
  for (let served = 0; served < 8; served += 1) {
    await server.settleAt(Math.min(3 + served, 8))
    server.admitted[served]?.()
  }
  assert.deepEqual(await Promise.all(answers), Array(8).fill(200))
})

test('a small body is admitted while large ones wait', async () => {
  await using server = await startServer()
  for (let n = 0; n < 6; n += 1) server.post(large)
  await server.settleAt(3)
  const small = statusOf(server.post(large.subarray(1)))
  await server.settleAt(4)
  server.admitted[3]?.()
  assert.equal(await small, 200)
})

test('a small chunked body is admitted too, and slow small ones delay nobody', async () => {
  await using server = await startServer()
  for (let n = 0; n < 6; n += 1) server.begin({ 'transfer-encoding': 'chunked' })
  for (let n = 0; n < 6; n += 1) server.post(large)
  await server.settleAt(3)
  const small = statusOf(server.post(large.subarray(0, 256 * 1024), { 'transfer-encoding': 'chunked' }))
  await server.settleAt(4)
  server.admitted[3]?.()
  assert.equal(await small, 200)
})

test('slow large bodies of one owner leave a slot for another owner, whose bodies are read one after the other', async () => {
  await using server = await startServer()
  for (let n = 0; n < 6; n += 1) server.begin({ owner: 'slow', 'content-length': 2 * large.length })
  for (let n = 0; n < 6; n += 1) server.begin({ owner: 'slow', 'transfer-encoding': 'chunked' }).write(large)
  await sleep(60)
  const others = [1, 2].map(() => statusOf(server.post(large, { owner: 'other', 'content-length': large.length })))
  await server.settleAt(1)
  server.admitted[0]?.()
  await server.settleAt(2)
  server.admitted[1]?.()
  assert.deepEqual(await Promise.all(others), [200, 200])
})

test('a body that is larger than its endpoint allows is refused at once, without waiting for a slot', async () => {
  await using server = await startServer()
  for (let n = 0; n < 6; n += 1) server.begin({ 'content-length': 2 * large.length })
  const [answer]: IncomingMessage[] = await once(server.begin({ 'content-length': 5 * large.length }), 'response')
  assert.ok(answer)
  assert.deepEqual(await json(answer), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' })
})

test('a closed connection, waiting or admitted, releases its slot', async () => {
  await using server = await startServer()
  const first = Array.from({ length: 3 }, () => server.post(large))
  await server.settleAt(3)
  const leaving = Array.from({ length: 5 }, () => server.post(large, { 'content-length': 2 * large.length }))
  await sleep(50)
  const staying = [statusOf(server.post(large)), statusOf(server.post(large))]
  await sleep(50)
  for (const asking of [...leaving, ...first]) asking.destroy()
  await server.settleAt(5)
  for (const finish of server.admitted) finish()
  assert.deepEqual(await Promise.all(staying), [200, 200])
})

test('with three bodies admitted and a hundred waiting, further ones are refused at once', async () => {
  await using server = await startServer()
  const many = Array.from({ length: 120 }, () => server.post(large, { 'content-length': 2 * large.length }))
  const refused: unknown[] = []
  for (const asking of many) asking.on('response', async (answer) => refused.push(await json(answer)))
  for (let tries = 0; refused.length < 17 && tries < 500; tries += 1) await sleep(10)
  await sleep(60)
  assert.deepEqual(refused, Array(17).fill({ code: 'RATE_LIMITED', retryAfterSeconds: 1 }))
  for (const asking of many) asking.destroy()
})

test('slow bodies of two owners that hold all slots are ended, one by one, for a third owner who waits', async () => {
  await using server = await startServer()
  const slow = ['one', 'two', 'one', 'two'].map((owner) => server.begin({ owner, 'content-length': 2 * large.length }))
  const ended: unknown[] = []
  for (const asking of slow) {
    asking.write('x')
    asking.on('response', async (answer) => ended.push(await json(answer)))
  }
  await sleep(60)
  const honest = statusOf(server.post(large, { owner: 'three', 'content-length': large.length }))
  for (let tries = 0; server.admitted.length < 1 && tries < 2_000; tries += 1) await sleep(5)
  server.admitted[0]?.()
  assert.equal(await honest, 200)
  assert.deepEqual(ended, [{ code: 'RATE_LIMITED', retryAfterSeconds: 1 }], 'one slot was enough')
  for (const asking of slow) asking.destroy()
})

test('bodies that are not large are admitted up to 16 MiB, of one owner up to 8 MiB, by their Content-Length', async () => {
  await using server = await startServer()
  const body = large.subarray(0, 1024 * 1024)
  for (let n = 0; n < 40; n += 1) server.post(body, { owner: 'one', 'content-length': body.length })
  await server.settleAt(8)
  for (const owner of ['two', 'three']) {
    for (let n = 0; n < 40; n += 1) server.post(body, { owner, 'content-length': body.length })
  }
  await server.settleAt(16)
  const tiny = statusOf(server.post(large.subarray(0, 16 * 1024), { owner: 'one', 'content-length': 16 * 1024 }))
  await server.settleAt(17)
  server.admitted[16]?.()
  assert.equal(await tiny, 200, 'a body of up to 16 KiB is not counted')
})

test('a timer runs only while an owner waits without a slot, and none is left when the server has closed', async () => {
  using timers = watchTimers()
  const countTo = (count: number, otherwise: string) =>
    until(async () => (await timers.open()).length === count, otherwise, 5_000)
  {
    await using server = await startServer()
    const headers = { 'content-length': large.length }
    for (const owner of ['one', 'two', 'one', 'two', 'one']) server.post(large, { owner, ...headers })
    await server.settleAt(4)
    assert.deepEqual(await timers.open(), [], 'nobody waits who has no slot')
    server.post(large, { owner: 'three', ...headers })
    await countTo(1, 'no timer looks for a slow body while somebody waits')
    server.admitted[0]?.()
    server.admitted[1]?.()
    await server.settleAt(6)
    assert.deepEqual(await timers.open(), [], 'all have a slot')
    server.post(large, { owner: 'four', ...headers })
    await countTo(1, 'no timer looks for a slow body while somebody waits again')
  }
  await countTo(0, 'the timer outlived its server')
})
