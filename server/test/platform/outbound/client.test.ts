// Runs alone: blocks the event loop

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { OutboundError } from '../../../src/platform/outbound/call.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { answerRaw, recordDials, startReceiver, startTcp } from '../../helpers/receivers.ts'

const allowed = readAllowedNetworks('127.0.0.0/8', false)
const post = { method: 'POST', headers: {}, body: '{}', mostBytes: 1024, whenLarger: 'cut' } as const

test('a request arrives byte for byte as given, with content-length and not chunked', async () => {
  await using receiver = await startReceiver()
  const outbound = openOutbound({ allowed })
  const headers = { 'content-type': 'application/json', 'Webhook-Id': 'msg_1', 'accept-encoding': 'identity' }
  for (const body of ['{"a":"ä😀\u2028"}', '', 'x'.repeat(300_000)]) {
    await outbound.request({ ...post, url: `${receiver.url}a%20/./ä?b=1&c`, headers, body })
    const received = receiver.requests.at(-1)
    assert.deepEqual(
      [received?.method, received?.path, received?.body.toString()],
      ['POST', '/a%20/%C3%A4?b=1&c', body],
    )
    assert.deepEqual(received?.headers, {
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'accept-encoding': 'identity',
      'content-length': String(Buffer.byteLength(body)),
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
    })
  }
  await outbound.request({ ...post, url: receiver.url, method: 'GET', body: undefined })
  const received = receiver.requests.at(-1)
  assert.deepEqual(
    [received?.method, received?.headers['content-length'], received?.body.length],
    ['GET', undefined, 0],
  )
  await outbound.close()
})

test('no header can end its line, move the end of the request or name another host', async () => {
  await using receiver = await startReceiver()
  const outbound = openOutbound({ allowed })
  const wrong = [
    ...['a\r\nx: y', 'a\nb', 'a\rb', 'a\0b', 'a\u010ab'].map((value) => ({ 'x-value': value })),
    ...['a b', 'a:', 'a\r\nb', '', 'ä'].map((name) => ({ [name]: 'x' })),
    ...['Host', 'content-length', 'Transfer-Encoding', 'connection', 'upgrade', 'expect'].map((name) => ({
      [name]: '1',
    })),
  ]
  for (const headers of wrong) {
    await assert.rejects(outbound.request({ ...post, url: receiver.url, headers }), TypeError, JSON.stringify(headers))
  }
  assert.equal(receiver.connections(), 0)
})

test('a connection is reused, and concurrent requests each have their own', async () => {
  await using receiver = await startReceiver()
  const outbound = openOutbound({ allowed })
  for (let count = 0; count < 5; count += 1) await outbound.request({ ...post, url: receiver.url })
  assert.equal(receiver.connections(), 1)
  await Promise.all(Array.from({ length: 10 }, () => outbound.request({ ...post, url: receiver.url })))
  assert.equal(receiver.connections(), 10)
  assert.equal(receiver.requests.length, 15)
  await outbound.close()
  await receiver.untilClosed()
})

/** In its own thread: closes and counts a connection 20 ms after each answer, also while our thread is busy. */
const closingServer = `
  const { createServer } = require('node:http')
  const { parentPort, workerData: closed } = require('node:worker_threads')
  const server = createServer((request, response) => {
    request.resume()
    request.socket.on('close', () => {
      Atomics.add(closed, 0, 1)
      Atomics.notify(closed, 0)
    })
    response.on('finish', () => setTimeout(() => request.socket.destroy(), 20))
    response.end('ok')
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

test('a connection that was closed while the event loop was busy is not reused', async () => {
  const closed = new Int32Array(new SharedArrayBuffer(4))
  await using worker = new Worker(closingServer, { eval: true, workerData: closed })
  const [port] = await once(worker, 'message')
  const outbound = openOutbound({ allowed })
  for (let count = 0; count < 10; count += 1) {
    assert.equal((await outbound.request({ ...post, url: `http://127.0.0.1:${port}/` })).status, 200)
    assert.notEqual(Atomics.wait(closed, 0, count, 30_000), 'timed-out')
  }
  await outbound.close()
})

test('a connection is closed after four idle seconds, whatever keep-alive the receiver offers, and a slow answer does not count as idle', async () => {
  const head = 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\nkeep-alive: timeout=600\r\ncontent-length: 0\r\n\r\n'
  await using receiver = await startTcp(answerRaw(head))
  await using slow = await startReceiver((request, response) =>
    setTimeout(request.path === '/slow' ? 4500 : 0).then(() => response.end()),
  )
  const outbound = openOutbound({ allowed })
  const began = performance.now()
  await Promise.all([receiver, slow].map(({ url }) => outbound.request({ ...post, url })))
  const late = outbound.request({ ...post, url: `${slow.url}slow` })
  while (receiver.open() > 0) await setTimeout(5)
  const took = performance.now() - began
  assert.ok(took > 3900 && took < 10_000, `${took}`)
  assert.equal((await late).status, 200)
  assert.equal(slow.connections(), 1)
  await outbound.close()
})

test('an attempt fails with the reason of its signal, also when that was aborted before it began', async () => {
  await using receiver = await startTcp((socket) => socket.resume())
  using watch = recordDials()
  const outbound = openOutbound({ allowed })
  const stop = new AbortController()
  const attempt = outbound.request({ ...post, url: receiver.url, signal: stop.signal })
  while (receiver.connections() === 0) await setTimeout(1)
  const reason = new Error('shutting down')
  stop.abort(reason)
  await assert.rejects(attempt, reason)
  await receiver.untilClosed()
  await assert.rejects(outbound.request({ ...post, url: receiver.url, signal: stop.signal }), reason)
  assert.deepEqual([watch.dials.length, watch.open()], [1, 0])
})

test('a DNS lookup that hangs counts towards the time limit of the attempt', async () => {
  const resolve = (_name: string, signal: AbortSignal) =>
    new Promise<string[]>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const outbound = openOutbound({ allowed, resolve, limits: { attemptMs: 200 } })
  const isTimeout = (error: unknown) => error instanceof OutboundError && error.category === 'timeout'
  await assert.rejects(outbound.request({ ...post, url: 'https://hangs.example/' }), isTimeout)
})

test('requests in flight complete after close, and then their connections are closed', async () => {
  await using receiver = await startReceiver(async (_request, response) => {
    await setTimeout(100)
    response.end('late')
  })
  const outbound = openOutbound({ allowed })
  const attempt = outbound.request({ ...post, url: receiver.url })
  while (receiver.requests.length === 0) await setTimeout(1)
  await outbound.close()
  assert.equal((await attempt).body.toString(), 'late')
  await receiver.untilClosed()
})

test('a proxy in the environment is not used', async () => {
  await using receiver = await startReceiver()
  await using proxy = await startTcp((socket) => socket.end())
  const module = (name: string) =>
    JSON.stringify(new URL(`../../../src/platform/outbound/${name}`, import.meta.url).href)
  const script = `
    import { readAllowedNetworks } from ${module('allowed-networks.ts')}
    import { openOutbound } from ${module('client.ts')}
    const outbound = openOutbound({ allowed: readAllowedNetworks('127.0.0.1', false) })
    const call = { method: 'GET', headers: {}, mostBytes: 100, whenLarger: 'cut' }
    const answer = await outbound.request({ ...call, url: '${receiver.url}' })
    const secure = await outbound.request({ ...call, url: '${receiver.url.replace('http', 'https')}' }).catch((error) => error)
    const viaProxy = await fetch('${receiver.url}').catch(() => 'the proxy closed')
    console.log(answer.status, secure.category, viaProxy)
  `
  const url = `http://127.0.0.1:${proxy.port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const env = { ...process.env, ...Object.fromEntries(names.map((name) => [name, url])), NO_PROXY: '', no_proxy: '' }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...env, NODE_USE_ENV_PROXY: '1' },
  })
  // The built-in fetch of the same process does use it: the variables were in effect.
  assert.equal(stdout, '200 tls_error the proxy closed\n')
  assert.equal(proxy.connections(), 1)
  assert.deepEqual(
    receiver.requests.map(({ path, headers }) => [path, headers.host]),
    [['/', `127.0.0.1:${receiver.port}`]],
  )
})
