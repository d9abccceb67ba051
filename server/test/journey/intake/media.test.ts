import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { readMedia } from '../../../src/journey/media/store.ts'
import { assertFlat } from '../../helpers/flat-refusals.ts'
import { sharedApp, startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { countTraces, incoming, incomingPath } from '../../helpers/message-requests.ts'

const mebibyte = 1024 * 1024
const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const png = { mediaUrl: `data:image/png;base64,${onePixel}`, mediaContentType: 'image/png' }

function binary(bytes: Buffer): { mediaUrl: string; mediaContentType: string } {
  const mediaContentType = 'application/octet-stream'
  return { mediaUrl: `data:${mediaContentType};base64,${bytes.toString('base64')}`, mediaContentType }
}

async function readAll({ db }: TestApp, { accountId }: TestAccount, mediaId: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(readMedia(db, accountId, mediaId)))
}

const one = { contacts: 1, conversations: 1, messages: 1, turns: 1 }

test('an inline file is stored once per content, and read back byte for byte', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  for (const bytes of [Buffer.from([0]), randomBytes(256 * 1024), randomBytes(600_001)]) {
    const { status, body } = await shop.post(
      incomingPath,
      incoming({ ...binary(bytes), messageSid: `${bytes.length}` }),
    )
    const again = await shop.post(incomingPath, incoming({ ...binary(bytes), messageSid: `${bytes.length} again` }))
    assert.deepEqual([status, again.status], [200, 200], JSON.stringify(again.body))
    const files = await app.db
      .selectFrom('attachments')
      .select(['messageId', 'state', 'mediaId', 'url', 'contentType'])
      .where('messageId', 'in', [body.messageId, again.body.messageId])
      .orderBy('messageId')
      .execute()
    const mediaId = hash('sha256', bytes)
    const file = { state: 'stored', mediaId, url: null, contentType: 'application/octet-stream' }
    assert.deepEqual(files, [
      { messageId: body.messageId, ...file },
      { messageId: again.body.messageId, ...file },
    ])
    assert.ok(bytes.equals(await readAll(app, shop, mediaId)))
  }
  const { media, attachments } = await countTraces(app)
  assert.deepEqual({ media, attachments }, { media: 3, attachments: 6 })
})

test('20 parallel messages with one content are 20 messages with one file', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const bytes = randomBytes(600_000)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      shop.post(incomingPath, incoming({ ...binary(bytes), messageSid: `${n}`, fromId: `from ${n % 3}` })),
    ),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const counts = { contacts: 3, conversations: 3, messages: 20, turns: 3 }
  assert.deepEqual(await countTraces(app), { ...counts, media: 1, mediaChunks: 3, attachments: 20 })
  assert.ok(bytes.equals(await readAll(app, shop, hash('sha256', bytes))))
})

test('a file belongs to its account: the same content in another one is stored there too', async () => {
  await using app = await sharedApp()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  await shop.post(incomingPath, incoming(png))
  const [stored] = await app.db.selectFrom('media').select('id').execute()
  assert.ok(stored)
  await assert.rejects(readAll(app, other, stored.id))
  await other.post(incomingPath, incoming(png))
  assert.equal((await countTraces(app)).media, 2)
})

test('an address is stored, and no request is made to it', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  let calls = 0
  await using listener = createServer((socket) => {
    calls += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo // it listens on a port, never on a pipe
  const urls = [`http://127.0.0.1:${port}/a.png`, `https://localhost:${port}/b.png?x=1`]
  for (const mediaUrl of urls) {
    const body = incoming({ messageSid: mediaUrl, mediaUrl, mediaContentType: 'image/png' })
    assert.equal((await shop.post(incomingPath, body)).status, 200)
  }
  const files = await app.db.selectFrom('attachments').select(['state', 'url', 'mediaId']).orderBy('url').execute()
  assert.deepEqual(
    files,
    urls.map((url) => ({ state: 'not fetched yet', url, mediaId: null })),
  )
  assert.equal((await countTraces(app)).media, undefined)
  await sleep(200)
  assert.equal(calls, 0)
})

test('a file that is not of its declared type, or is invalid, is 400 and nothing is stored', async () => {
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  const html = Buffer.from('<html><script>1</script></html>').toString('base64')
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ ...png, mediaContentType: undefined }, /mediaContentType is required/],
    [{ ...png, mediaContentType: '' }, /mediaContentType is required/],
    [{ ...png, mediaContentType: 'png' }, /mediaContentType must be a MIME type/],
    [{ ...png, mediaContentType: 'image/gif' }, /image\/png.*image\/gif/],
    [{ mediaUrl: `data:image/gif;base64,${onePixel}`, mediaContentType: 'image/gif' }, /is image\/png/],
    [{ ...png, mediaUrl: `data:image/png;base64,${html}` }, /not image\/png/],
    [{ ...png, mediaUrl: `data:image/png;base64,${onePixel.slice(0, -1)}` }, /base64/],
    [{ ...png, mediaUrl: `data:image/png;base64,${onePixel.slice(0, 20)} ${onePixel.slice(20)}` }, /base64/],
    [{ ...png, mediaUrl: 'data:image/png;base64,' }, /not empty/],
    [{ ...png, mediaUrl: 'data:image/png,abc' }, /data URI/],
    [{ ...png, mediaUrl: 'ftp://example.com/a.png' }, /http/],
    [{ ...png, mediaUrl: 'javascript:alert(1)' }, /http/],
    [{ ...png, mediaUrl: 'a.png' }, /http/],
    [{ ...png, mediaUrl: `https://example.com/${'a'.repeat(2_048)}` }, /2048/],
    [binary(Buffer.alloc(10 * mebibyte + 1)), /10 MiB/],
  ]
  for (const [media, says] of wrong) {
    const answer = await shop.post(incomingPath, incoming(media))
    assertFlat(answer, 400, { says, label: JSON.stringify(media).slice(0, 200) })
  }
  assert.deepEqual(await countTraces(app), {})
  const largest = await shop.post(incomingPath, incoming(binary(Buffer.alloc(10 * mebibyte))))
  assert.equal(largest.status, 200, JSON.stringify(largest.body))
})

test('a repeated messageSid stores nothing more, whether the file comes first, later, twice or twice at once', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const post = (over: Record<string, unknown>) => shop.post(incomingPath, incoming(over))
  const [first, twin] = await Promise.all([post(png), post(png)])
  const again = [twin, await post(png), await post({}), await post(binary(randomBytes(9)))]
  for (const { status, body } of again) assert.deepEqual([status, body], [200, first.body])
  assert.deepEqual(await countTraces(app), { ...one, media: 1, mediaChunks: 1, attachments: 1 })

  const plain = await post({ messageSid: '2' })
  assert.deepEqual((await post({ messageSid: '2', ...binary(randomBytes(9)) })).body, plain.body)
  assert.deepEqual(await countTraces(app), { ...one, messages: 2, media: 1, mediaChunks: 1, attachments: 1 })
})

test('a message is stored with its whole file or not at all', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$`.execute(
    app.db,
  )
  for (const table of ['attachments', 'media', 'media_chunks']) {
    await sql`create trigger refuse before insert on ${sql.table(table)} execute function refuse()`.execute(app.db)
    assertFlat(await shop.post(incomingPath, incoming(png)), 500, { label: table })
    assert.deepEqual(await countTraces(app), {}, table)
    await sql`drop trigger refuse on ${sql.table(table)}`.execute(app.db)
  }
  assert.equal((await shop.post(incomingPath, incoming(png))).status, 200)
})

test('12 large files at once are all stored, and small messages in between do not wait for them', async () => {
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  const bytes = randomBytes(6 * mebibyte)
  const files = Array.from({ length: 12 }, (_, n) => {
    bytes.writeUInt32BE(n)
    return { raw: JSON.stringify(incoming({ ...binary(bytes), messageSid: `large ${n}` })), id: hash('sha256', bytes) }
  })
  let left = files.length
  const began = performance.now()
  const large = files.map(async ({ raw }) => {
    const { status, body } = await app.call('POST', incomingPath, { key: shop.apiKey, raw })
    left -= 1
    assert.equal(status, 200, JSON.stringify(body))
  })
  const waits: number[] = []
  while (left > 0) {
    const start = performance.now()
    const { status } = await shop.post(incomingPath, incoming({ messageSid: `small ${waits.length}` }))
    assert.equal(status, 200)
    waits.push(performance.now() - start)
    await sleep(5)
  }
  const took = performance.now() - began
  await Promise.all(large)
  // Compared with the large ones, because all of it is slow on a slow machine.
  const median = waits.toSorted((one, other) => one - other)[Math.floor(waits.length / 2)] ?? took
  assert.ok(median < took / 20, `${waits.length} small ones waited ${median} ms of ${took} ms`)
  assert.ok(Math.max(...waits) < 0.75 * took, `a small one waited ${Math.max(...waits)} ms of ${took} ms`)
  const stored = await app.db.selectFrom('media').select('id').execute()
  assert.deepEqual(new Set(stored.map(({ id }) => id)), new Set(files.map(({ id }) => id)))
  assert.ok(bytes.equals(await readAll(app, shop, files.at(-1)?.id ?? '')))
})
