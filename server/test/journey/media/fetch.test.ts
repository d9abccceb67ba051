import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readMedia } from '../../../src/journey/media/store.ts'
import { listMessages } from '../../../src/journey/messages/store.ts'
import { startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { binary, isDone, png, sendFile, startFetching, untilFiles } from '../../helpers/media-files.ts'
import { countTraces } from '../../helpers/message-requests.ts'
import { recordDials, startReceiver } from '../../helpers/receivers.ts'

const mebibyte = 1024 * 1024

async function readAll({ db }: TestApp, { accountId }: TestAccount, bytes: Buffer): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(readMedia(db, accountId, hash('sha256', bytes))))
}

test('a file is fetched after the response, stored byte for byte, and once per content and account', async () => {
  await using app = await startFetching()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const files: Record<string, Buffer> = { '/a?key=1': png, '/b': png, '/c': randomBytes(600_001) }
  await using host = await startReceiver(async ({ path }, response) => {
    await released
    response.writeHead(200, { 'content-type': 'text/html' }).end(files[path])
  })
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  for (const path of ['a?key=1', 'b']) await sendFile(shop, host.url + path)
  await sendFile(shop, `${host.url}c`, binary)
  await sendFile(other, `${host.url}b`)
  const before = await listMessages(app.db, shop.accountId, { contactId: undefined, limit: 10 })
  assert.deepEqual(
    before.map(({ media, status }) => [media?.state, media?.contentType, status]),
    [binary, 'image/png', 'image/png'].map((type) => ['not fetched yet', type, 'received']),
  )
  assert.equal((await countTraces(app)).media, undefined)
  release()
  await untilFiles(app, isDone)

  for (const bytes of Object.values(files)) assert.ok(bytes.equals(await readAll(app, shop, bytes)))
  assert.ok(png.equals(await readAll(app, other, png)))
  const { media, attachments } = await countTraces(app)
  assert.deepEqual({ media, attachments }, { media: 3, attachments: 4 })
  const after = await listMessages(app.db, shop.accountId, { contactId: undefined, limit: 10 })
  assert.deepEqual(new Set(after.map((message) => message.media?.state)), new Set(['stored']))
  assert.deepEqual(host.requests.map(({ path }) => path).sort(), ['/a?key=1', '/b', '/b', '/c'])
  for (const { method, headers, body } of host.requests) {
    assert.deepEqual([method, headers['accept-encoding'], body.length], ['GET', 'identity', 0])
    assert.deepEqual([headers.authorization, headers.cookie, headers.referer], [undefined, undefined, undefined])
  }
  assert.ok(!app.log.some((line) => line.includes('key=1')), 'no address in the log')
})

test('no connection is made to a private address, neither by name nor by redirect, and the message is stored', async () => {
  using dialled = recordDials()
  await using inside = await startReceiver()
  await using host = await startReceiver((_request, response) =>
    response.writeHead(302, { location: inside.url }).end(),
  )
  const names: Record<string, string[]> = {
    'one.example.com': ['10.0.0.1'],
    'both.example.com': ['93.184.216.34', '127.0.0.1'],
    'mapped.example.com': ['::ffff:169.254.169.254'],
  }
  await using app = await startApp({ ROLE: 'all', OUTBOUND_ALLOWED_NETWORKS: `127.0.0.1/32:${host.port}` }, undefined, {
    resolve: async (name) => names[name] ?? [],
  })
  const hosts = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0']
  const forbidden = [
    ...hosts.map((name) => `http://${name}:${inside.port}/`),
    ...['10.0.0.1', '169.254.169.254', '[fd00::1]', '192.168.0.1:22'].map((name) => `https://${name}/latest`),
    ...Object.keys(names).map((name) => `https://${name}:${inside.port}/`),
    'http://93.184.216.34/',
  ]
  for (const url of forbidden) await sendFile(await app.makeAccount(), url)
  await sendFile(await app.makeAccount(), host.url)
  const files = await untilFiles(app, (all) => all.every(({ attempts }) => attempts === 1))
  assert.deepEqual(
    files.map(({ state, dueAt }) => [state, dueAt !== null]),
    [...forbidden.map(() => ['not allowed', false]), ['not fetched yet', true]],
  )
  assert.deepEqual([inside.connections(), host.requests.length], [0, 1])
  const outside = dialled.dials.filter(
    (dial) => !/^(127\.0\.0\.1 |::1 |\/)/.test(dial) || dial.endsWith(` ${inside.port}`),
  )
  assert.deepEqual(outside, [])
  const kept = await app.db.selectFrom('messages').select('id').where('direction', '=', 'incoming').execute()
  assert.equal(kept.length, forbidden.length + 1) // without replies of the bot
})

/** Sends until the client disconnects; `sent` returns how many bytes. */
function stream(response: ServerResponse, totalBytes: number): { sent: () => number } {
  const piece = Buffer.alloc(64 * 1024)
  let sent = 0
  const more = () => {
    while (sent < totalBytes && !response.destroyed) {
      sent += piece.length
      if (!response.write(piece)) return void response.once('drain', more)
    }
    response.end()
  }
  more()
  return { sent: () => sent }
}

test('a file that is too large or not of its declared type is not stored, not decompressed and not fetched again', async () => {
  await using app = await startFetching()
  const streamed: { sent: () => number }[] = []
  const largest = randomBytes(10 * mebibyte)
  const cases: Record<string, [type: string, state: string, answer: (response: ServerResponse) => unknown]> = {
    '/html': ['image/png', 'wrong type', (response) => response.end('<html><script>1</script></html>')],
    '/gif': ['image/gif', 'wrong type', (response) => response.end(png)],
    '/empty': ['image/png', 'wrong type', (response) => response.end()],
    '/compressed': ['image/png', 'wrong type', (response) => sendCompressed(response, png)],
    '/bomb': ['text/plain', 'wrong type', (response) => sendCompressed(response, Buffer.alloc(20 * mebibyte, 'a'))],
    '/huge': ['image/png', 'too large', (response) => streamed.push(stream(response, 500 * mebibyte))],
    '/announced': [
      'image/png',
      'too large',
      (response) => response.writeHead(200, { 'content-length': 500 * mebibyte }).write(png),
    ],
    '/over': [binary, 'too large', (response) => response.end(Buffer.concat([largest, png.subarray(0, 1)]))],
    '/largest': [binary, 'stored', (response) => response.end(largest)],
  }
  await using host = await startReceiver(({ path }, response) => cases[path]?.[2](response))
  for (const [path, [type]] of Object.entries(cases)) {
    await sendFile(await app.makeAccount(), host.url + path.slice(1), type)
  }
  const files = await untilFiles(app, isDone)
  assert.deepEqual(
    files.map(({ state, attempts }) => [state, attempts]),
    Object.values(cases).map(([, state]) => [state, 1]),
  )
  assert.ok(
    streamed.length === 1 && streamed.every(({ sent }) => sent() < 40 * mebibyte),
    'the rest of 500 MB was not read',
  )
  assert.equal((await countTraces(app)).media, 1)
})

function sendCompressed(response: ServerResponse, bytes: Buffer): void {
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes))
}

test('a compressed or empty response is not stored as the file', async () => {
  await using app = await startFetching()
  await using host = await startReceiver(({ path }, response) =>
    path === '/empty' ? response.end() : sendCompressed(response, png),
  )
  for (const path of ['compressed', 'empty']) await sendFile(await app.makeAccount(), host.url + path, binary)
  const files = await untilFiles(app, isDone)
  assert.deepEqual(new Set(files.map(({ state }) => state)), new Set(['wrong type']))
})
