import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOnPages, readOrigin } from '../../../src/app/website-chat/who/origin.ts'
import { readPage } from '../../../src/app/website-chat/who/page-address.ts'

const pages = [
  'kettlelane.example',
  '*.kettlelane.example',
  'xn--kettl-fsa.example',
  'localhost:3000',
  'shop.example:8443',
]

function isOn(header: string | undefined, on: readonly string[] = pages): boolean {
  const origin = readOrigin(header)
  return origin !== undefined && isOnPages(on, origin)
}

test('WC14 a page is one that its owner has named, by scheme, whole name and port; upper case and other alphabets are the same name', () => {
  const refused = [
    ...[undefined, '', 'null', 'NULL', 'https://', 'file://kettlelane.example', 'https:kettlelane.example'],
    ...['https://kettlelane.example.evil.example', 'https://evilkettlelane.example', 'https://evil.example'],
    ...['http://kettlelane.example', 'https://kettlelane.example:8443', 'https://shop.example', 'http://localhost'],
    ...[
      'https://kettlelane.example/',
      'https://kettlelane.example?x',
      'https://a@kettlelane.example',
      'https://.kettlelane.example',
    ],
    ...[
      'https://kettlelane.example https://evil.example',
      'https://kettlelane.example\\evil',
      'https://*.kettlelane.example/',
    ],
  ]
  assert.deepEqual(
    refused.filter((header) => isOn(header)),
    [],
  )
  const right = [
    ...[
      'https://kettlelane.example',
      'https://KETTLELANE.Example',
      'HTTPS://kettlelane.example:443',
      'https://kettlé.example',
    ],
    ...[
      'https://www.kettlelane.example',
      'https://a.b.kettlelane.example',
      'http://localhost:3000',
      'https://shop.example:8443',
    ],
    ...['https://xn--kettl-fsa.example'],
  ]
  assert.deepEqual(
    right.filter((header) => !isOn(header)),
    [],
  )
})

test('WC14 a name with a star is all names below it and never itself, and no other name can be made to fit', () => {
  const only = ['*.kettlelane.example']
  assert.equal(isOn('https://kettlelane.example', only), false)
  const letters = 'ab.-:/@#?%*é\\[]1'
  for (let n = 0; n < 5_000; n += 1) {
    const noise = Array.from(
      { length: 1 + (n % 9) },
      (_, at) => letters[(n * 31 + at * 17 + (n >> at)) % letters.length],
    ).join('')
    for (const header of [
      `https://kettlelane.example${noise}`,
      `https://${noise}kettlelane.example`,
      `https://${noise}`,
    ]) {
      const origin = readOrigin(header)
      if (!origin || !isOnPages(only, origin)) continue
      assert.ok(origin.host.endsWith('.kettlelane.example') && origin.port === '443', header)
    }
  }
})

test('of a page its origin and path are told, and only of one that the chat may be on', () => {
  assert.equal(readPage('https://kettlelane.example/a/b?mail=ana#x', pages), 'https://kettlelane.example/a/b')
  assert.equal(readPage('https://KETTLELANE.example', pages), 'https://kettlelane.example/')
  assert.equal(readPage('http://localhost:3000/x', pages), 'http://localhost:3000/x')
  const long = `https://kettlelane.example/${'x'.repeat(2_000)}`
  assert.equal(readPage(long, pages), long.slice(0, 512))
  for (const page of [
    undefined,
    '',
    'x',
    'javascript:alert(1)',
    'https://evil.example/',
    'https://a:b@kettlelane.example/',
    `${long}${'x'.repeat(9_000)}`,
  ])
    assert.equal(readPage(page, pages), null, String(page))
})
