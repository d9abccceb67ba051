import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@patchbay/contract/limits.ts'
import { assertFlat } from '../../helpers/flat-refusals.ts'
import { type Answer, startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { countTraces, incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'

type World = { app: TestApp; shop: TestAccount; post: (path: string, body: unknown) => Promise<Answer> }

async function startWorld(): Promise<World & AsyncDisposable> {
  const app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  return { app, shop, post: shop.post, [Symbol.asyncDispose]: app[Symbol.asyncDispose] }
}

const ids = limits.idCharacters
const names = limits.nameCharacters
const person = { firstName: names, lastName: names, email: ids }

/** Both endpoints: a valid message, and every field of customData with its limit in characters. */
const endpoints = [
  {
    path: incomingPath,
    make: incoming,
    required: { fromId: ids, toId: ids },
    optional: { messageSid: ids, id: ids, status: names, channel: names, campaignId: ids, ...person },
    media: { mediaUrl: 0, mediaContentType: names },
  },
  {
    path: sendPath,
    make: outgoing,
    required: { fromId: ids, customChannel: names },
    optional: { campaignId: ids, ...person },
    media: {},
  },
]

test('a value of a wrong type is refused in every field by name, never coerced', async () => {
  await using world = await startWorld()
  const wrong: unknown[] = [0, 12, -1.5, true, false, [], ['x'], {}, { toString: 'x' }, [null]]
  for (const { path, make, required, optional, media } of endpoints) {
    for (const field of Object.keys({ body: 0, ...required, ...optional, ...media })) {
      const isRequired = field === 'body' || field in required
      for (const value of isRequired ? [...wrong, null] : wrong) {
        const answer = await world.post(path, make({ [field]: value }))
        const label = `${path} ${field}: ${JSON.stringify(value)}`
        assertFlat(answer, 400, { says: new RegExp(`^customData\\.${field} must be a string`), label })
      }
    }
  }
  assert.deepEqual(await countTraces(world.app), {})
})

test('a required field that is missing, null, empty or blank is refused by name', async () => {
  await using world = await startWorld()
  for (const { path, make, required } of endpoints) {
    for (const field of Object.keys({ body: 0, ...required })) {
      for (const value of [undefined, null, '', ' ', '\t\r\n', '\u00a0', '\u3000', '\u2003\u2028']) {
        const label = `${path} ${field}: ${JSON.stringify(value)}`
        const says = new RegExp(`^customData\\.${field}\\b`)
        assertFlat(await world.post(path, make({ [field]: value })), 400, { says, label })
      }
    }
  }
  assert.deepEqual(await countTraces(world.app), {})
})

test('a message without messageSid and id is refused with customData.messageSid as the missing field', async () => {
  await using world = await startWorld()
  const none = [{ messageSid: undefined }, { messageSid: null }, { messageSid: '' }, { messageSid: '', id: '' }]
  for (const over of [...none, { messageSid: null, id: null }, { messageSid: ' ' }, { messageSid: '', id: '\u00a0' }]) {
    const says = /^customData\.messageSid\b/
    assertFlat(await world.post(incomingPath, incoming(over)), 400, { says, label: JSON.stringify(over) })
  }
  assert.deepEqual(await countTraces(world.app), {})
})

test('an optional field may be null or empty, and unknown fields are ignored', async () => {
  await using world = await startWorld()
  for (const { path, make, optional, media } of endpoints) {
    for (const [n, nothing] of [null, ''].entries()) {
      const empty = Object.fromEntries(Object.keys({ ...optional, ...media }).map((field) => [field, nothing]))
      const body = make({ ...empty, messageSid: `sid ${n}`, unknown: { a: [1] }, toString: 1, constructor: {} })
      const answer = await world.post(path, { ...body, messageType: nothing, more: true })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
    }
  }
})

test('a body of nothing but space of any kind or zero-width characters is empty', async () => {
  await using world = await startWorld()
  const spaces = ['\u00a0', '\u1680', '\u2000\u200a', '\u202f', '\u205f', '\u3000', '\u2028\u2029', '\v\f\r\n\t ']
  const zeroWidth = ['\u200b', '\u200c\u200d', '\u2060', '\ufeff', '\u00ad', '\u180e', '\u200e\u200f', '\u2063']
  const filler = ['\u3164', '\u2800', '\u0001\u001f']
  for (const { path, make } of endpoints) {
    for (const body of [...spaces, ...zeroWidth, ...filler, ' \u200b\u00a0\u3000\n']) {
      const label = `${path} ${JSON.stringify(body)} ${codePoints(body)}`
      assertFlat(await world.post(path, make({ body })), 400, { says: /^customData\.body must not be empty/, label })
    }
  }
  assert.deepEqual(await countTraces(world.app), {})
  for (const { path, make } of endpoints) {
    for (const [n, body] of ['.', '\u200b.\u200b', '👍', '👩‍👩‍👧', 'ا', '\u3000字', '0'].entries()) {
      assert.equal((await world.post(path, make({ body, messageSid: `${n}` }))).status, 200, body)
    }
  }
  const kept = await world.app.db.selectFrom('messages').select('body').where('messageSid', '=', '1').execute()
  assert.deepEqual(kept, [{ body: '\u200b.\u200b' }], 'the text is stored unchanged')
})

test('a body of nothing but invisible characters (Default_Ignorable_Code_Point) is empty', async () => {
  await using world = await startWorld()
  const seen = []
  for (const body of ['\u034f', '\ufe0f', '\ufe00\ufe0e', '\u115f\u1160', '\uffa0', '\u17b4\u17b5', '\u{e0100}']) {
    const { status } = await world.post(incomingPath, incoming({ body, messageSid: codePoints(body) }))
    if (status !== 400) seen.push(`${codePoints(body)} -> ${status}`)
  }
  assert.deepEqual(seen, [])
})

/** The code points of an invisible text. */
function codePoints(text: string): string {
  return [...text].map((letter) => `U+${letter.codePointAt(0)?.toString(16)}`).join(' ')
}

test('a body of 64 KiB in UTF-8 is stored byte for byte, and one byte more is refused', async () => {
  await using world = await startWorld()
  const most = limits.bodyBytes
  const full = ['x'.repeat(most), `${'€'.repeat(most / 3)}x`, '🌱'.repeat(most / 4), `${'é'.repeat(most / 2 - 1)}xx`]
  for (const { path, make } of endpoints) {
    for (const [n, text] of full.entries()) {
      assert.equal(Buffer.byteLength(text), most)
      assertFlat(await world.post(path, make({ body: `${text}x` })), 400, { says: /^customData\.body .*65536/ })
      const { status, body } = await world.post(path, make({ body: text, messageSid: `${n}` }))
      assert.equal(status, 200, JSON.stringify(body))
      const kept = await world.app.db.selectFrom('messages').select('body').where('id', '=', body.messageId).execute()
      assert.ok(kept[0]?.body === text)
    }
    assertFlat(await world.post(path, make({ body: 'x'.repeat(200_000) })), 400, { says: /^customData\.body/ })
  }
  assert.equal((await countTraces(world.app)).messages, 2 * full.length)
})

test('a field at its limit is accepted and one over it is refused by name, counted in characters', async () => {
  await using world = await startWorld()
  for (const { path, make, required, optional, media } of endpoints) {
    const fields = Object.entries({ ...required, ...optional, ...media })
    for (const [field, longest] of fields) {
      for (const letter of longest === 0 ? [] : ['x', '🌱']) {
        const label = `${path} ${field} ${letter}`
        const over = await world.post(path, make({ [field]: letter.repeat(longest + 1) }))
        assertFlat(over, 400, { says: new RegExp(`^customData\\.${field} .*${longest} characters`), label })
        if (field === 'mediaContentType') continue
        const distinct = field === 'messageSid' ? {} : { messageSid: `${field} ${letter}` }
        const full = await world.post(path, make({ ...distinct, [field]: letter.repeat(longest) }))
        assert.equal(full.status, 200, `${label}: ${JSON.stringify(full.body)}`)
      }
    }
  }
  const sids = await world.app.db.selectFrom('messages').select('messageSid').execute()
  assert.ok(sids.some(({ messageSid }) => messageSid === '🌱'.repeat(ids)))
})

test('messageType is text or reaction, and nothing else', async () => {
  await using world = await startWorld()
  for (const messageType of ['Text', 'TEXT', ' text', 'image', 'reactions', '__proto__', 'x'.repeat(300)]) {
    const answer = await world.post(incomingPath, { ...incoming(), messageType })
    assertFlat(answer, 400, { says: /^messageType must/, label: messageType })
  }
  for (const messageType of [0, 1, true, [], ['text'], {}]) {
    const answer = await world.post(incomingPath, { ...incoming(), messageType })
    assertFlat(answer, 400, { says: /^messageType must be a string/, label: JSON.stringify(messageType) })
  }
  assert.deepEqual(await countTraces(world.app), {})
  for (const messageType of [undefined, null, '', 'text', 'reaction']) {
    const body = { ...incoming({ messageSid: `sid ${messageType}` }), messageType }
    assert.equal((await world.post(incomingPath, body)).status, 200, messageType ?? 'absent')
  }
})

test('customData must be an object, and the error names it', async () => {
  await using world = await startWorld()
  for (const { path, make } of endpoints) {
    for (const customData of [undefined, null, [], [make().customData], '{}', JSON.stringify(make()), 1, true]) {
      const label = `${path} ${JSON.stringify(customData)}`
      assertFlat(await world.post(path, { customData }), 400, {
        says: /^customData (is required|must be an object)/,
        label,
      })
    }
    assertFlat(await world.post(path, make().customData), 400, {
      says: /^customData is required/,
      label: 'not wrapped',
    })
    assertFlat(await world.post(path, { customdata: make().customData }), 400, { says: /^customData is required/ })
    assertFlat(await world.post(path, { customData: {} }), 400, { says: /^customData\.\w+ is required/ })
  }
  assert.deepEqual(await countTraces(world.app), {})
})

test('NUL and a lone surrogate are refused in every field by name, also in unknown fields', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  for (const { path, make, required, optional, media } of endpoints) {
    for (const field of Object.keys({ body: 0, ...required, ...optional, ...media, unknown: 0 })) {
      for (const value of ['\\u0000', 'a\\u0000b', '\\ud83c', '\\udf31', 'a\\udf31\\ud83cb', '\\uD83C\\u0041']) {
        const raw = JSON.stringify(make({ [field]: 'VALUE' })).replace('VALUE', value)
        const answer = await app.call('POST', path, { key: shop.apiKey, raw })
        assertFlat(answer, 400, { says: new RegExp(`^customData\\.${field} must not contain`), label: raw })
      }
    }
  }
  assert.deepEqual(await countTraces(app), {})
})
