import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { assertFlat } from '../../helpers/flat-refusals.ts'
import { sharedApp, startApp } from '../../helpers/harness.ts'
import { countTraces, incoming, incomingPath } from '../../helpers/message-requests.ts'

const million = 1_000_000
const good = JSON.stringify(incoming())
const beside = (extra: string) => good.replace(/}$/, `,${extra}}`)

// H07: on the endpoint that accepts 16 MiB, so that none of them is refused for its size.
const bombs: Record<string, { raw: string; says: RegExp }> = {
  'a hundred levels': { raw: beside(`"x":${'['.repeat(100)}${']'.repeat(100)}`), says: /16 levels/ },
  'a million levels': { raw: beside(`"x":${'['.repeat(million)}${']'.repeat(million)}`), says: /16 levels/ },
  'a million levels of objects': { raw: beside(`"x":${'{"a":'.repeat(million)}`), says: /16 levels/ },
  'a million keys': {
    raw: beside(Array.from({ length: million }, (_, n) => `"k${n}":1`).join(',')),
    says: /10000 values/,
  },
  'a million elements': { raw: beside(`"x":[${'0,'.repeat(million)}0]`), says: /10000 values/ },
  'a text of a megabyte': { raw: JSON.stringify(incoming({ body: 'a'.repeat(million) })), says: /customData.body/ },
  'a number of a million digits': { raw: good.replace('"Hello"', '1'.repeat(million)), says: /customData.body/ },
}

test('a body that is made to be expensive is refused, whether by depth, number of values or length', async () => {
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  for (const [label, { raw, says }] of Object.entries(bombs)) {
    assertFlat(await app.call('POST', incomingPath, { key: shop.apiKey, raw }), 400, { label, says })
  }
  assert.deepEqual(await countTraces(app), {})
})

// A05: images are never decoded, so one that declares billions of pixels costs no more than its bytes.
test('an image that would decompress to gigabytes is stored as its bytes, and never decompressed', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  const before = process.memoryUsage.rss()
  const image = pngOf(30_000, 30_000)
  const media = { mediaUrl: `data:image/png;base64,${image.toString('base64')}`, mediaContentType: 'image/png' }
  const { status, body } = await shop.post(incomingPath, incoming(media))
  assert.equal(status, 200, JSON.stringify(body))
  const { sizeBytes } = await app.db.selectFrom('media').select('sizeBytes').executeTakeFirstOrThrow()
  assert.equal(sizeBytes, image.length)
  // Its pixels alone would be 2.7 GB.
  assert.ok(process.memoryUsage.rss() - before < 500_000_000)
})

/** The header of an animated image of that size, and the beginning of its pixels. */
function pngOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(13)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  size.set([8, 2, 0, 0, 0], 8)
  const frames = Buffer.alloc(8)
  frames.writeUInt32BE(million, 0)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const parts = [chunk('IHDR', size), chunk('acTL', frames), chunk('IDAT', Buffer.alloc(1_000)), chunk('IEND')]
  return Buffer.concat([signature, ...parts])
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
