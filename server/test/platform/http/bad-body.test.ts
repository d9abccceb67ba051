import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ErrorCode } from '@patchbay/contract/errors.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { startApp } from '../../helpers/harness.ts'
import { sendRaw } from '../../helpers/raw-requests.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { countRows } from '../../helpers/rows.ts'

const good = '{"phone":"+15551234567"}'

async function startWorld() {
  const app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  return {
    app,
    shop,
    paths: ['/contacts', `/lists/${shop.listId}/contacts`],
    [Symbol.asyncDispose]: app[Symbol.asyncDispose],
  }
}

type Bad = { name: string; raw: string | Buffer; code: ErrorCode; says?: RegExp }

function nested(depth: number): string {
  return `{"phone":"+15551234567","contactId":"x","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
}

function withValues(count: number): string {
  return `{"phone":"+15551234567","contactId":"x","x":[${Array.from({ length: count - 3 }, () => 0)}]}`
}

const badBodies: Bad[] = [
  ...[
    '{',
    '{"phone":',
    '{"phone":"+1555',
    "{'phone':'+15551234567'}",
    '{phone:1}',
    `${good}x`,
    `${good}${good}`,
    `${good},`,
  ].map((raw) => ({ name: raw, raw, code: 'INVALID_JSON' as const, says: /body.*JSON/ })),
  ...['NaN', 'undefined', '{"phone":01}', '{"phone":"a\nb"}', '{"phone":"\\x"}', '{"a":1,}', '// x\n{}', '}', ']'].map(
    (raw) => ({ name: raw, raw, code: 'INVALID_JSON' as const, says: /body.*JSON/ }),
  ),
  { name: 'empty', raw: '', code: 'INVALID_JSON', says: /body.*empty/ },
  { name: 'blank', raw: ' \n', code: 'INVALID_JSON', says: /body.*JSON/ },
  { name: 'NUL bytes', raw: '\0\0\0\0', code: 'INVALID_JSON', says: /body.*JSON/ },
  ...['[]', `[${good}]`, '"text"', '1', '-0.5e3', 'true', 'false', 'null'].map((raw) => ({
    name: raw,
    raw,
    code: 'INVALID_REQUEST' as const,
    says: /body must be a JSON object/,
  })),
  ...[[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]].map((bytes) => ({
    name: `invalid UTF-8 ${bytes}`,
    raw: Buffer.concat([Buffer.from('{"phone":"+15551234567","firstName":"'), Buffer.from(bytes), Buffer.from('"}')]),
    code: 'INVALID_JSON' as const,
    says: /UTF-8/,
  })),
  { name: 'byte order mark', raw: `\ufeff${good}`, code: 'INVALID_JSON' },
  { name: 'UTF-16', raw: Buffer.from(good, 'utf16le'), code: 'INVALID_JSON' },
  { name: 'UTF-16 with a byte order mark', raw: Buffer.from(`\ufeff${good}`, 'utf16le'), code: 'INVALID_JSON' },
  { name: 'compressed, without Content-Encoding', raw: gzipSync(good), code: 'INVALID_JSON' },
  { name: 'depth 17', raw: nested(17), code: 'INVALID_JSON', says: /16 levels/ },
  { name: 'depth 10,000', raw: nested(10_000), code: 'INVALID_JSON', says: /16 levels/ },
  { name: 'depth 10,000 in objects', raw: '{"a":'.repeat(10_000), code: 'INVALID_JSON', says: /16 levels/ },
  { name: 'depth 1,000,000', raw: nested(1_000_000), code: 'PAYLOAD_TOO_LARGE' },
  { name: 'too many values', raw: withValues(2 * limits.jsonValues), code: 'INVALID_JSON', says: /10000 values/ },
  {
    name: 'too many members',
    raw: `{${'"a":1,'.repeat(limits.jsonValues + 1)}"b":1}`,
    code: 'INVALID_JSON',
    says: /10000 values/,
  },
  { name: 'one byte too large', raw: good.padEnd(limits.requestBytes + 1), code: 'PAYLOAD_TOO_LARGE' },
]

test('a body that is not a JSON object in UTF-8 is refused with the reason, and nothing is stored', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  for (const path of world.paths) {
    for (const { name, raw, code, says = /body/ } of badBodies) {
      assertRefused(await app.call('POST', path, { key: shop.apiKey, raw }), code, { says, label: `${path} ${name}` })
    }
  }
  assert.deepEqual(await countRows(app), { contacts: 0, members: 0 })
})

test('a body at the limits of depth, values and size is served', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  const full = [nested(limits.jsonDepth), withValues(limits.jsonValues), good.padEnd(limits.requestBytes)]
  const quoted = `{"phone":"+15551234567","x":"${'[{,\\"'.repeat(20_000)}"}`
  for (const raw of [...full, quoted, ` \n${good}\t`]) {
    const { status, body } = await app.call('POST', '/contacts', { key: shop.apiKey, raw })
    assert.ok(status === 201 || status === 200, `${status} ${JSON.stringify(body)} to ${raw.slice(0, 60)}`)
  }
})

test('a content type that is missing or not JSON in UTF-8 is 400', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  const types = ['text/plain', 'text/json', 'application/xml', 'application/x-www-form-urlencoded', 'json', '*/*']
  const near = [
    'application/jsonp',
    'application/json5',
    'application/ld+json',
    'text/plain; a=application/json',
    ',',
    ';',
  ]
  const framed = ['multipart/form-data; boundary=x', 'multipart/form-data', 'application/octet-stream']
  const charsets = ['utf-16', 'UTF-16LE', 'iso-8859-1', '"utf-16"', 'us-ascii'].map(
    (name) => `application/json; charset=${name}`,
  )
  for (const path of world.paths) {
    for (const type of [...types, ...near, ...framed, ...charsets]) {
      const answer = await app.call('POST', path, { key: shop.apiKey, raw: good, headers: { 'content-type': type } })
      assertRefused(answer, 'INVALID_REQUEST', { says: /Content-Type/, label: `${path} ${type}` })
    }
    const without = await sendRaw(world, path, { pieces: [good] })
    assertRefused(without, 'INVALID_REQUEST', { says: /Content-Type/, label: `${path} no content type` })
  }
  assert.deepEqual(await countRows(app), { contacts: 0, members: 0 })
})

test('a content type may name UTF-8, in any spelling', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  const parameters = ['', ';', '; charset=utf-8', ';charset=UTF-8', '; charset="utf-8"', '; charset=utf8', '; x=y']
  for (const type of [...parameters.map((parameter) => `application/json${parameter}`), 'Application/JSON']) {
    const { status } = await app.call('POST', '/contacts', {
      key: shop.apiKey,
      raw: good,
      headers: { 'content-type': type },
    })
    assert.ok(status === 201 || status === 200, `${type} -> ${status}`)
  }
})

test('a content encoding is refused and not decompressed', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  const bomb = gzipSync(good.padEnd(10_000_000))
  for (const path of world.paths) {
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'x-unknown', 'identity, gzip']) {
      for (const raw of [bomb, good]) {
        const headers = { 'content-encoding': encoding }
        const answer = await app.call('POST', path, { key: shop.apiKey, raw, headers })
        assertRefused(answer, 'INVALID_REQUEST', { says: /Content-Encoding/, label: `${path} ${encoding}` })
      }
    }
  }
  assert.deepEqual(await countRows(app), { contacts: 0, members: 0 })
})

test('a body over the size limit is 413, with a Content-Length or chunked', async () => {
  await using world = await startWorld()
  const json = { 'content-type': 'application/json' }
  const piece = ' '.repeat(64 * 1024)
  for (const path of world.paths) {
    for (const headers of [json, { ...json, 'content-length': String(good.length + 8 * piece.length) }]) {
      const answer = await sendRaw(world, path, { headers, pieces: [good, ...Array.from({ length: 8 }, () => piece)] })
      assertRefused(answer, 'PAYLOAD_TOO_LARGE', { says: /body/, label: JSON.stringify(headers) })
    }
  }
  const pieces = await sendRaw(world, '/contacts', { headers: json, pieces: [good.slice(0, 9), good.slice(9), piece] })
  assert.equal(pieces.status, 201)
  assert.deepEqual(await countRows(world.app), { contacts: 1, members: 0 })
})
