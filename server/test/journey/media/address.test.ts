import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@patchbay/contract/limits.ts'
import { readGivenMedia } from '../../../src/journey/media/read-given.ts'
import { Refusal } from '../../../src/platform/refusal.ts'

async function assertRefused(url: string, type: string | undefined, message: RegExp): Promise<void> {
  await assert.rejects(readGivenMedia(url, type), (error) => {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.code, 'INVALID_REQUEST')
    assert.match(error.message, message, url.slice(0, 80))
    assert.ok(error.message.length < 400)
    return true
  })
}

test('an http or https address is parsed, and no request is made', async () => {
  for (const [given, url] of [
    ['https://example.com/a.png', 'https://example.com/a.png'],
    ['http://example.com:8080/a?b=c#d', 'http://example.com:8080/a?b=c#d'],
    ['HTTPS://Example.COM', 'https://example.com/'],
    ['https://example.com/a@b', 'https://example.com/a@b'],
    ['https://example.com?a@b', 'https://example.com/?a@b'],
    ['https://b\u00fccher.example/\u00e4.png', 'https://xn--bcher-kva.example/%C3%A4.png'],
    ['http://127.0.0.1/a', 'http://127.0.0.1/a'],
    [`https://example.com/${'a'.repeat(limits.urlCharacters - 20)}`, undefined],
  ] as const) {
    const expected = { kind: 'remote', contentType: 'image/png', url: url ?? given }
    assert.deepEqual(await readGivenMedia(given, 'Image/PNG; q=1'), expected, given)
  }
})

test('an invalid address, another scheme, a user name, or what a parser would silently correct is refused', async () => {
  const none = [
    '',
    ' ',
    'nonsense',
    'example.com/a.png',
    '/a.png',
    '//example.com/a',
    'https://',
    'https:///a',
    'https://a b/',
  ]
  const kinds = [
    'ftp://example.com/a',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'blob:https://example.com/a',
    'ws://example.com',
  ]
  const odd = [
    'http:example.com',
    'http:/example.com',
    'http:\\\\example.com',
    'https://example.com\\@evil.example/',
    'https://%/',
  ]
  const users = [
    'https://ana@example.com/',
    'https://ana:pw@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
  ]
  const spaces = [
    ' https://example.com/',
    'https://example.com/a b',
    'https://exa\tmple.com/',
    'https://example.com/\n',
    ' data:text/plain;base64,aGVsbG8=',
  ]
  for (const url of [
    ...none,
    ...kinds,
    ...odd,
    ...users,
    ...spaces,
    'https://example.com:99999/',
    'https://[::1/',
    'https://1.2.3.4.5/',
  ]) {
    await assertRefused(url, 'text/plain', /mediaUrl must be an http or https address/)
  }
})

test('an address may have 2,048 characters and not one more, percent-encoded or not', async () => {
  const start = 'https://example.com/'
  await assertRefused(
    start + 'a'.repeat(limits.urlCharacters - start.length + 1),
    'image/png',
    /at most 2048 characters/,
  )
  await assertRefused(start + 'a'.repeat(limits.incomingBytes), 'image/png', /at most 2048 characters/)
  await assertRefused(start + '\u00e4'.repeat(1_000), 'image/png', /mediaUrl must be/)
})
