import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldText } from '../../src/inbox/thread/fold.ts'
import { splitLinks } from '../../src/inbox/thread/links.ts'
import { splitLongWords } from '../../src/inbox/thread/long-words.ts'

const hrefs = (text: string) => splitLinks(text).flatMap(({ href }) => href ?? [])

test('no part of a text is lost or doubled by finding its links', () => {
  for (const text of [
    '',
    'plain',
    'see https://a.example/x, or http://b.example.',
    'https://a.example',
    '🙂 https://ü.example/ä 🙂',
  ])
    assert.equal(
      splitLinks(text)
        .map((part) => part.text)
        .join(''),
      text,
    )
})

test('only http and https addresses are links', () => {
  const hostile = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)//http://x',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'java\nscript:alert(1)',
    'https://',
    'https:///',
    'xhttps://a.example',
    'www.example.com',
  ]
  assert.deepEqual(
    hostile.flatMap(hrefs).filter((href) => !/^https?:\/\/[a-z]/.test(href)),
    [],
  )
  assert.deepEqual(hrefs('javascript:alert(1)'), [])
  assert.deepEqual(hrefs('www.example.com'), [])
})

test('an address that hides where it leads is no link', () => {
  assert.deepEqual(hrefs('https://bank.example@evil.example/'), [])
  assert.deepEqual(hrefs('https://user:pass@evil.example/'), [])
  assert.deepEqual(hrefs('https://evil.example/\u202Egpj.exe'), [])
  assert.deepEqual(hrefs('https://bank.ex\u200Bample'), [])
  assert.deepEqual(hrefs('https://b\u0430nk.example/ https://bank.example\u2215x.evil.example/'), [])
  assert.deepEqual(hrefs('https://xn--bnk-6cd.example/caf\u00e9'), ['https://xn--bnk-6cd.example/caf%C3%A9'])
})

test('the end of a sentence does not belong to the address, brackets of the address do', () => {
  assert.deepEqual(hrefs('Look (https://a.example/b).'), ['https://a.example/b'])
  assert.deepEqual(hrefs('https://a.example/w_(x)!'), ['https://a.example/w_(x)'])
  assert.deepEqual(hrefs('“https://a.example/b”, he said'), ['https://a.example/b'])
  assert.deepEqual(hrefs('<https://a.example/b>'), ['https://a.example/b'])
})

test('a long text is folded between words, and a short one not at all', () => {
  assert.equal(foldText('word '.repeat(300)), undefined)
  const folded = foldText('word '.repeat(13_000)) ?? ''
  assert.ok(folded.length < 1_600 && folded.endsWith('word'))
  assert.equal(foldText('line\n'.repeat(25)), undefined)
  assert.equal((foldText('line\n'.repeat(100)) ?? '').split('\n').length, 24)
})

test('a fold never cuts a character into halves, however it is made', () => {
  const family = '👩‍👩‍👧‍👦'
  const folded = foldText(family.repeat(600)) ?? ''
  assert.equal(folded.length % family.length, 0)
  const marked = foldText('e\u0301'.repeat(40_000)) ?? ''
  assert.ok(marked.endsWith('e\u0301'))
})

test('a word that is longer than any is cut between characters, nothing of it is lost, and others are left whole', () => {
  const family = '👩🏽‍👩🏽‍👧🏽‍👦🏽'
  for (const long of [
    'W'.repeat(1_234),
    family.repeat(400),
    'e\u0301\u0323'.repeat(700),
    `${'x'.repeat(499)}${family}x`,
  ]) {
    const pieces = splitLongWords(`before ${long} after`)
    assert.equal(pieces.join(''), `before ${long} after`)
    assert.ok(pieces.length > 1)
    for (const piece of pieces) {
      assert.match(piece, /^[^\p{M}\p{Emoji_Modifier}\u200d]/u)
      assert.ok(!piece.endsWith('\u200d'))
    }
  }
  const prose = 'Lorem ipsum dolor sit amet. '.repeat(100)
  assert.deepEqual(splitLongWords(prose), [prose])
})
