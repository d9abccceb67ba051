import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { limits } from '@patchbay/contract/limits.ts'
import { newApiKey } from '../../../src/business/accounts/api-key.ts'
import { assertFlat } from '../../helpers/flat-refusals.ts'
import { startApp } from '../../helpers/harness.ts'
import { countTraces, incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { sendRaw } from '../../helpers/raw-requests.ts'

const incomingPaths = [incomingPath, '/incoming-custom-channel-message']
const sendPaths = [sendPath, '/send-custom-channel-message']
const paths = [...incomingPaths, ...sendPaths]

/** A message that every endpoint accepts. */
const message = { customData: { ...incoming().customData, ...outgoing().customData } }
const good = JSON.stringify(message)

async function startWorld(environment = { RATE_LIMIT_PER_MINUTE: '0' }) {
  const app = await startApp(environment)
  const shop = await app.makeAccount()
  return { app, shop, [Symbol.asyncDispose]: app[Symbol.asyncDispose] }
}

function nested(depth: number): string {
  return good.replace(/}$/, `,"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`)
}

const invalidUtf8 = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]

const badBodies: { raw: string | Buffer; says: RegExp }[] = [
  ...['{', '{"customData":', good.slice(0, -1), `${good}x`, `${good}${good}`, `${good},`, "{'a':1}", 'NaN'].map(
    (raw) => ({ raw, says: /body.*JSON/ }),
  ),
  ...['', ' \n', '\0\0', '// x\n{}', good.replace('Hi', 'a\nb'), good.replace('Hi', '\\x')].map((raw) => ({
    raw,
    says: /body.*JSON/,
  })),
  ...['[]', `[${good}]`, '"text"', '1', 'true', 'null'].map((raw) => ({ raw, says: /body must be a JSON object/ })),
  ...invalidUtf8.map((bytes) => ({
    raw: Buffer.concat([Buffer.from(good.slice(0, -3)), Buffer.from(bytes), Buffer.from('"}}')]),
    says: /UTF-8/,
  })),
  { raw: `\ufeff${good}`, says: /JSON/ },
  { raw: Buffer.from(good, 'utf16le'), says: /JSON/ },
  { raw: gzipSync(good), says: /JSON/ },
  { raw: nested(limits.jsonDepth + 1), says: /16 levels/ },
  { raw: nested(10_000), says: /16 levels/ },
  { raw: `{${'"a":1,'.repeat(limits.jsonValues + 1)}"b":1}`, says: /10000 values/ },
]

test('a body that is no JSON object in UTF-8 is refused with the reason, and nothing is stored', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  for (const path of paths) {
    for (const { raw, says } of badBodies) {
      const answer = await app.call('POST', path, { key: shop.apiKey, raw })
      assertFlat(answer, 400, { says, label: `${path} ${String(raw).slice(0, 80)}` })
    }
  }
  assert.deepEqual(await countTraces(app), {})
  for (const [n, raw] of [good, nested(limits.jsonDepth), ` ${good}\n`].entries()) {
    for (const path of paths) {
      const answer = await app.call('POST', path, { key: shop.apiKey, raw: raw.replace('sid-1', `${path} ${n}`) })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
    }
  }
})

test('a content type that is missing or not JSON in UTF-8, or a content encoding, is 400', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  const types = ['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'json', '*/*', 'application/jsonp']
  const more = ['multipart/form-data; boundary=x', 'application/json; charset=utf-16', 'application/octet-stream', ';']
  for (const path of paths) {
    for (const type of [...types, ...more]) {
      const answer = await app.call('POST', path, { key: shop.apiKey, raw: good, headers: { 'content-type': type } })
      assertFlat(answer, 400, { says: /Content-Type/, label: `${path} ${type}` })
    }
    const without = await sendRaw(world, path, { pieces: [good] })
    assertFlat(without, 400, { says: /Content-Type/, label: `${path} no content type` })
    for (const encoding of ['gzip', 'br', 'deflate', 'x-unknown']) {
      const headers = { 'content-encoding': encoding }
      const answer = await app.call('POST', path, { key: shop.apiKey, raw: gzipSync(good.padEnd(1_000_000)), headers })
      assertFlat(answer, 400, { says: /Content-Encoding/, label: `${path} ${encoding}` })
    }
  }
  assert.deepEqual(await countTraces(app), {})
})

test('any method but POST is 405 with Allow on all four spellings, whatever key or body comes with it', async () => {
  await using world = await startWorld({ RATE_LIMIT_PER_MINUTE: '1' })
  const { app, shop } = world
  for (const path of paths) {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const mayHaveBody = !['GET', 'HEAD', 'TRACE'].includes(method)
      const bodies = [
        { raw: good, key: shop.apiKey },
        { raw: '{', headers: { 'content-type': 'text/plain' } },
      ]
      for (const options of [{}, { key: shop.apiKey }, { key: 'wrong' }, ...(mayHaveBody ? bodies : [])]) {
        const answer = await app.call(method, path, { headers: { 'x-secret': 'told' }, ...options })
        const label = `${method} ${path}`
        assert.deepEqual([answer.status, answer.headers.allow], [405, 'POST'], label)
        assert.equal(answer.headers.ratelimit, undefined, `${label}: the key was not looked at`)
        assert.doesNotMatch(JSON.stringify(answer), /told/, `${label} echoes nothing`)
        if (method === 'HEAD') assert.equal(answer.body, undefined)
        else assertFlat(answer, 405, { says: /POST/, label })
      }
    }
  }
  assert.deepEqual(await countTraces(app), {})
})

test('a key that is missing, malformed, unknown, repeated or contradicted is 401 before the body is read', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  const other = newApiKey()
  for (const path of paths) {
    for (const raw of [good, '{', ' '.repeat(limits.requestBytes * 2)]) {
      const wrong = [
        await app.call('POST', path, { raw }),
        await app.call('POST', path, { raw, key: '' }),
        await app.call('POST', path, { raw, key: 'wrong' }),
        await app.call('POST', path, { raw, key: other }),
        await app.call('POST', `${path}?apiKey=${shop.apiKey}&apiKey=${shop.apiKey}`, { raw }),
        await app.call('POST', path, { raw, key: shop.apiKey, headers: { 'x-api-key': other } }),
        await app.call('POST', path, { raw, headers: { 'x-api-key': other } }),
      ]
      for (const [n, answer] of wrong.entries()) assertFlat(answer, 401, { says: /API key/, label: `${path} ${n}` })
    }
  }
  assert.deepEqual(await countTraces(app), {})
  for (const path of [incomingPath, sendPath]) {
    const answer = await app.call('POST', path, { raw: good, headers: { 'x-api-key': shop.apiKey } })
    assert.equal(answer.status, 200, 'the key may be in the header or in the query')
  }
})

test('a request over the rate limit is 429 with the specified message and headers, and changes nothing', async () => {
  await using world = await startWorld({ RATE_LIMIT_PER_MINUTE: '1' })
  const { app, shop } = world
  const first = await shop.post(incomingPath, message)
  assert.deepEqual([first.status, first.headers['ratelimit-policy']], [200, '"key";q=1;w=60'])
  const traces = await countTraces(app)
  for (const path of paths) {
    const answer = await shop.post(path, { customData: { ...message.customData, messageSid: path } })
    assertFlat(answer, 429, { says: /\d+ s/, label: path })
    const { 'retry-after': retryAfter, ratelimit, 'ratelimit-policy': policy } = answer.headers
    assert.match(String(retryAfter), /^([1-5]?\d|60)$/)
    assert.deepEqual([policy, ratelimit], ['"key";q=1;w=60', `"key";r=0;t=${retryAfter}`])
  }
  assert.deepEqual(await countTraces(app), traces)
})

test('sending takes 256 KiB and incoming 16 MiB; a byte more is 413, with Content-Length or chunked', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  for (const path of sendPaths) {
    assertFlat(await app.call('POST', path, { key: shop.apiKey, raw: good.padEnd(limits.requestBytes + 1) }), 413)
    const pieces = await sendRaw(world, path, { headers: json, pieces: [good, ' '.repeat(limits.requestBytes)] })
    assertFlat(pieces, 413, { label: path })
    assert.equal(
      (await app.call('POST', path, { key: shop.apiKey, raw: good.padEnd(limits.requestBytes) })).status,
      200,
    )
  }
  for (const path of incomingPaths) {
    const piece = ' '.repeat(limits.incomingBytes / 8)
    const pieces = Array.from({ length: 8 }, () => piece)
    const length = { 'content-length': String(good.length + 8 * piece.length) }
    for (const headers of [json, { ...json, ...length }]) {
      assertFlat(await sendRaw(world, path, { headers, pieces: [good, ...pieces] }), 413, {
        label: JSON.stringify(headers),
      })
    }
    for (const size of [limits.requestBytes * 5, limits.incomingBytes]) {
      const raw = good.replace('sid-1', `${path} ${size}`)
      const answer = await app.call('POST', path, { key: shop.apiKey, raw: raw.padEnd(size) })
      assert.equal(answer.status, 200, `${path} ${size}: ${JSON.stringify(answer.body)}`)
    }
  }
  assert.equal((await countTraces(app)).messages, 2 + 4)
})

const json = { 'content-type': 'application/json' }
