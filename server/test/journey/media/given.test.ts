import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@patchbay/contract/limits.ts'
import fc from 'fast-check'
import { readGivenMedia } from '../../../src/journey/media/read-given.ts'
import { Refusal } from '../../../src/platform/refusal.ts'

const binary = 'application/octet-stream'

async function assertRefused(url: string, type: string | undefined, message: RegExp): Promise<void> {
  await assert.rejects(readGivenMedia(url, type), (error) => {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.code, 'INVALID_REQUEST')
    assert.match(error.message, message, url.slice(0, 80))
    assert.ok(error.message.length < 400)
    return true
  })
}

test('without mediaUrl there is no file, whatever mediaContentType says', async () => {
  for (const type of [undefined, 'image/png', 'nonsense']) {
    assert.equal(await readGivenMedia(undefined, type), undefined)
  }
})

test('mediaUrl needs mediaContentType, and it must be a MIME type', async () => {
  for (const url of ['https://example.com/a.png', 'data:text/plain;base64,aGVsbG8=', 'nonsense']) {
    await assertRefused(url, undefined, /mediaContentType is required/)
    for (const type of [
      '',
      ' ',
      'png',
      'image',
      'image/',
      '/png',
      'image/*',
      '*/*',
      'a b/c',
      'image/png/x',
      'image\\png',
    ]) {
      await assertRefused(url, type, /mediaContentType must be a MIME type/)
    }
    for (const type of [
      'image/png, text/html',
      'image/p\u00f1g',
      'text/plain\0',
      '; image/png',
      `a/${'b'.repeat(200)}`,
    ]) {
      await assertRefused(url, type, /mediaContentType must be a MIME type/)
    }
  }
})

test('a data URI is read as its bytes, and the type without parameters in lower case', async () => {
  for (const [url, type] of [
    ['data:text/plain;base64,aGVsbG8=', 'text/plain'],
    ['DATA:TEXT/PLAIN;BASE64,aGVsbG8=', 'text/plain'],
    ['data:text/plain;base64,aGVsbG8=', 'Text/Plain; charset=utf-8'],
    ['data:text/plain;charset=utf-8;base64,aGVsbG8=', 'text/plain'],
    ['data:text/plain;charset=utf-8;name="a b";base64,aGVsbG8=', ' text/plain ;format=flowed'],
    ['data:text/x-plain;base64,aGVsbG8=', 'text/plain'],
  ] as const) {
    const given = await readGivenMedia(url, type)
    assert.deepEqual(given, { kind: 'inline', contentType: 'text/plain', bytes: Buffer.from('hello') }, url)
  }
})

test('a data URI must have a type, and the same as mediaContentType', async () => {
  for (const url of ['data:;base64,aGVsbG8=', 'data:base64,aGVsbG8=', 'data:,hello', 'data:', 'data:text/plain']) {
    await assertRefused(url, 'text/plain', /mediaUrl as a data URI must be data:<type>;base64,<data>/)
  }
  for (const url of ['data:text;base64,aGVsbG8=', 'data:text/*;base64,aGVsbG8=', 'data: ;base64,aGVsbG8=']) {
    await assertRefused(url, 'text/plain', /mediaUrl must name a MIME type/)
  }
  for (const declared of ['text/html', binary, 'image/jpeg', 'application/zip']) {
    await assertRefused(`data:${declared};base64,aGVsbG8=`, 'text/plain', /name the same type in both/)
  }
})

test('a data URI that is not declared as base64 is refused', async () => {
  const heads = ['text/plain', 'text/plain;charset=utf-8', 'text/plain;base64;charset=utf-8', 'text/plain; base64']
  const others = [
    'text/plain;base64 ',
    'text/plain;base 64',
    'text/plain;base64url',
    `text/plain;a=${'b'.repeat(2_000)};base64`,
  ]
  for (const head of [...heads, ...others]) {
    await assertRefused(`data:${head},aGVsbG8=`, 'text/plain', /must be data:<type>;base64,<data>/)
  }
})

test('base64 is decoded strictly: alphabet, padding, no white space and no unused bits', async () => {
  const padding = [
    'aGVsbG8',
    'aGVsbA=',
    'aGVsbA',
    'aGVsbG8==',
    'aGVsbG8=====',
    'a',
    'a===',
    '=',
    '==',
    '====',
    'aGVs====',
  ]
  const spaces = [
    'aGVs bG8=',
    ' aGVsbG8=',
    'aGVsbG8= ',
    'aGVsbG8=\n',
    'aGVs\r\nbG8=',
    'aGVs\tbG8=',
    '    ',
    'aG  ',
    'aGVs    ',
  ]
  const alphabet = [
    '_-__',
    'aGV-',
    'aGVsbG8%3D',
    'aGV*',
    'aG=s',
    'aGVs,bG8=',
    'aGV\0',
    '\u0141GVs',
    'aGV\u{1f331}',
    'aGVsbG8=aGVs',
  ]
  const leftOver = ['aGVsbG9=', 'aGVsbB==']
  for (const data of [...padding, ...spaces, ...alphabet, ...leftOver]) {
    await assertRefused(`data:${binary};base64,${data}`, binary, /mediaUrl must hold base64/)
  }
  await assertRefused(`data:${binary};base64,`, binary, /not empty/)
})

test('any bytes in a data URI are read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), async (array) => {
      const bytes = Buffer.from(array)
      const given = await readGivenMedia(`data:${binary};base64,${bytes.toString('base64')}`, binary)
      assert.deepEqual(given, { kind: 'inline', contentType: binary, bytes })
    }),
  )
})

test('a text is accepted as base64 only if encoding its bytes again gives the same text', async () => {
  const character = fc.constantFrom(...'AQgw+/=-_ \n\u0141')
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: character, minLength: 1, maxLength: 8 }), async (data) => {
      const isRight = Buffer.from(data, 'base64').toString('base64') === data
      const given = await readGivenMedia(`data:${binary};base64,${data}`, binary).catch(() => undefined)
      assert.equal(given !== undefined, isRight)
    }),
    { numRuns: 1_000 },
  )
})

test('a file may have 10 MiB and not one byte more', async () => {
  const bytes = Buffer.alloc(limits.mediaBytes + 1, 'x')
  for (const size of [limits.mediaBytes - 1, limits.mediaBytes]) {
    const given = await readGivenMedia(`data:${binary};base64,${bytes.toString('base64', 0, size)}`, binary)
    assert.ok(given?.kind === 'inline')
    assert.equal(given.bytes.length, size)
  }
  await assertRefused(`data:${binary};base64,${bytes.toString('base64')}`, binary, /at most 10 MiB/)
  await assertRefused(`data:${binary};base64,${'-'.repeat(limits.incomingBytes)}`, binary, /at most 10 MiB/)
})

test('a large data URI with an error at its end is refused in less than a second of CPU time', async () => {
  const data = Buffer.alloc(limits.mediaBytes - 4).toString('base64')
  for (const end of ['!AAA', 'AAA ', '\u0141AAA', 'AA=A', 'AAA-']) {
    const before = process.cpuUsage()
    await assertRefused(`data:${binary};base64,${data}${end}`, binary, /mediaUrl must hold base64/)
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 1_000_000, `${end} took ${(user + system) / 1_000} ms of work`)
  }
})
