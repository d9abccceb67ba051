import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { write } from '../../helpers/bots.ts'
import { startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { png } from '../../helpers/media-files.ts'
import { type SignedIn, signIn } from '../../helpers/sessions.ts'

async function sendFile(account: TestAccount, contentType: string, bytes: Buffer): Promise<string> {
  const mediaUrl = `data:${contentType};base64,${bytes.toString('base64')}`
  return write(account, 'See this', { mediaUrl, mediaContentType: contentType })
}

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** Requests a file as bytes; `call` of the harness reads text. */
function browser(app: TestApp, { cookie }: Pick<SignedIn, 'cookie'>) {
  const agent = new Agent({ ca: app.certificate, maxSockets: 100 })
  const begin = (messageId: string, headers: Record<string, string>, method: string) => {
    const options = { agent, method, headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers } }
    return request(`${app.url}/api/media/${messageId}`, options).end()
  }
  const get = (messageId: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Answer>((resolve, reject) => {
      begin(messageId, headers, method)
        .once('error', reject)
        .once('response', (answer) => {
          const [status, received] = [answer.statusCode ?? 0, answer.headers]
          buffer(answer).then((body) => resolve({ status, headers: received, body }), reject)
        })
    })
  /** Begins to read a file, and goes away. */
  const giveUp = (messageId: string) =>
    new Promise<void>((resolve) => {
      const asking = begin(messageId, {}, 'GET')
      asking
        .once('error', () => {})
        .once('response', () => asking.destroy())
        .once('close', resolve)
    })
  return { get, giveUp, [Symbol.dispose]: () => agent.destroy() }
}

async function startBrowser() {
  await using started = new AsyncDisposableStack()
  const app = started.use(await startApp())
  const account = await app.makeAccount()
  const { get, giveUp } = started.use(browser(app, await signIn(app, account)))
  const running = started.move()
  return { app, account, get, giveUp, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

test('pictures are shown in the page, everything else is a download that no browser opens or runs', async () => {
  await using world = await startBrowser()
  const { account, get } = world
  const files: [type: string, bytes: Buffer, expected: [type: string, disposition: RegExp]][] = [
    ['image/png', png, ['image/png', /^inline; filename="msg_\w+\.png"$/]],
    // A picture that is a script too: it stays a picture, because of its type and `nosniff`.
    ['image/gif', Buffer.from('GIF89a/*\u0001\u0000*/=alert(1)//'), ['image/gif', /^inline; .*\.gif"$/]],
    ['text/html', Buffer.from('<script>alert(1)</script>'), ['application/octet-stream', /^attachment; .*\.txt"$/]],
    [
      'image/svg+xml',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      ['application/octet-stream', /^attachment; .*\.txt"$/],
    ],
    [
      'application/xml',
      Buffer.from('<?xml version="1.0"?><a/>'),
      ['application/octet-stream', /^attachment; .*\.txt"$/],
    ],
    ['application/pdf', Buffer.from('%PDF-1.7\n%\n'), ['application/octet-stream', /^attachment; .*\.pdf"$/]],
    ['text/javascript', Buffer.from('alert(1)'), ['application/octet-stream', /^attachment; .*\.txt"$/]],
    ['application/x-thing', Buffer.from([1, 2, 3]), ['application/octet-stream', /^attachment; .*\.bin"$/]],
  ]
  for (const [type, bytes, [shownType, disposition]] of files) {
    const { status, headers, body } = await get(await sendFile(account, type, bytes))
    assert.equal(status, 200, type)
    assert.ok(body.equals(bytes), type)
    assert.equal(headers['content-type'], shownType)
    assert.match(String(headers['content-disposition']), disposition)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'; frame-ancestors 'none'")
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.equal(headers['cache-control'], 'private, max-age=31536000, immutable')
    assert.equal(headers['set-cookie'], undefined)
  }
})

test('HEAD, conditional and range requests of a file of several chunks get exactly what they ask for', async () => {
  await using world = await startBrowser()
  const { account, get } = world
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, n) => (n * 31 + (n >> 8)) % 256))
  const id = await sendFile(account, 'application/octet-stream', bytes)
  const head = await get(id, {}, 'HEAD')
  assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, '700000', 0])
  const etag = String(head.headers.etag)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { status, body } = await get(id, { 'if-none-match': known })
    assert.deepEqual([status, body.length], [304, 0])
  }
  assert.equal((await get(id, { 'if-none-match': '"other"' })).status, 200)

  const parts: [range: string, from: number, to: number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=262143-262144', 262_143, 262_144],
    ['bytes=100-600000', 100, 600_000],
    ['bytes=699999-', 699_999, 699_999],
    ['bytes=524288-9999999', 524_288, 699_999],
    ['bytes=-10', 699_990, 699_999],
    ['bytes=-9999999', 0, 699_999],
  ]
  for (const [range, from, to] of parts) {
    const { status, headers, body } = await get(id, { range })
    assert.deepEqual([status, headers['content-range']], [206, `bytes ${from}-${to}/700000`], range)
    assert.ok(body.equals(bytes.subarray(from, to + 1)), range)
  }
  for (const range of ['bytes=700000-', 'bytes=-0']) {
    const { status, headers, body } = await get(id, { range })
    assert.deepEqual([status, headers['content-range']], [416, 'bytes */700000'])
    assert.equal(JSON.parse(String(body)).error.code, 'INVALID_REQUEST')
    assert.equal(headers['cache-control'], 'no-store')
  }
  for (const headers of [
    ...[{ range: 'bytes=0-1,5-6' }, { range: 'bytes=5-4' }, { range: 'lines=1-2' }, { range: 'bytes=-' }],
    { range: 'bytes=0-1', 'if-range': '"other"' },
  ]) {
    const { status, body } = await get(id, headers)
    assert.equal(status, 200, JSON.stringify(headers))
    assert.ok(body.equals(bytes))
  }
  assert.equal((await get(id, { range: 'bytes=0-1', 'if-range': etag })).status, 206)
})

test('a file of another account, of an unknown message or without a session is not there', async () => {
  await using world = await startBrowser()
  const { app, account, get } = world
  const id = await sendFile(account, 'image/png', png)
  const plain = await write(account, 'No file')
  const rival = await app.makeAccount()
  using other = browser(app, await signIn(app, rival))
  using nobody = browser(app, { cookie: '' })
  const unknown = `msg_${'0'.repeat(32)}`
  const said = (messageId: string) => `There is no stored file of a message ${messageId} in this account.`
  const refusals: [answer: Awaited<ReturnType<typeof get>>, messageId: string][] = [
    [await other.get(id), id],
    [await get(unknown), unknown],
    [await get(plain), plain],
    [await get('nothing'), 'nothing'],
  ]
  for (const [{ status, headers, body }, messageId] of refusals) {
    assert.equal(status, 404)
    assert.deepEqual(JSON.parse(String(body)).error, { code: 'NOT_FOUND', message: said(messageId) })
    assert.equal(headers['cache-control'], 'no-store')
  }
  assert.equal((await nobody.get(id)).status, 401)
})

test('many downloads at once all arrive whole, and one that is given up leaves its place to others', async () => {
  await using world = await startBrowser()
  const { account, get, giveUp } = world
  const bytes = Buffer.alloc(300_000, 'abcdefg')
  const id = await sendFile(account, 'application/octet-stream', bytes)
  await Promise.all(Array.from({ length: 80 }, () => giveUp(id)))
  const answers = await Promise.all(Array.from({ length: 70 }, () => get(id)))
  for (const { status, body } of answers) assert.ok(status === 200 && body.equals(bytes))
})
