import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { excerptOf } from '../../../src/app/search/text/excerpt.ts'
import { termsOf, wantedTerms } from '../../../src/app/search/text/terms.ts'
import { lineOf, needleOf, wordsOf } from '../../../src/app/search/text/words.ts'

const isFound = (q: string, text: string) =>
  wordsOf(q).every((word) => lineOf(wordsOf(text)).includes(needleOf(word))) &&
  wordsOf(q)
    .flatMap((word) => wantedTerms('acc_1', word))
    .every((term) => termsOf('acc_1', wordsOf(text)).has(term))

test('words are found by their beginning, whatever their case and accents, in every order', () => {
  for (const [q, text] of [
    ['refund', 'When do REFUNDS arrive?'],
    ['invoice 4711', 'Nr. 4711: the Invoices are wrong'],
    ['jose', 'José wrote'],
    ['JOSÉ', 'Jose\u0301 wrote'],
    ['STRASSE', 'Hauptstr. und Straßenfest'],
    ['straße', 'STRASSENFEST'],
    ['istanbul', 'İSTANBUL'],
    ['ıspanak', 'ISPANAK'],
    ['οδοσ', 'ΟΔΟΣ 5'],
    ['ΟΔΟΣ', 'της οδος'],
    ['ﬁnance', 'Finances'],
    ['wool_gl', '100% wool_gloves'],
    ['ana@example', 'write to ana@example.com'],
    ['приве', 'ПРИВЕТ'],
    ['हिन्दी', 'यह हिन्दी है'],
    ['환불', '환불해 주세요'],
    ['👍', 'great 👍🏽!'],
    ['3rd', 'the ３ｒｄ floor'],
  ] as const) {
    assert.ok(isFound(q, text), `${q} in ${text}`)
  }
  for (const [q, text] of [
    ['fund', 'refund'],
    ['refund now', 'refund'],
    ['हिन्दा', 'यह हिन्दी है'],
    ['👎', 'great 👍'],
  ] as const) {
    assert.ok(!isFound(q, text), `${q} in ${text}`)
  }
})

test('any part of a word is found where words have no spaces between them, or articles joined to them', () => {
  for (const [q, text] of [
    ['退款', '我想申请退款可以吗'],
    ['キャンセル', '注文のキャンセルをお願いします'],
    ['カー', 'スーパーカー'],
    ['เงิน', 'ขอคืนเงินได้ไหม'],
    ['منتج', 'هذا المُنتَجُ رائع'],
    ['الفاتورة', 'أريد الفاتـورة الآن'],
    ['חשבונית', 'איפה החשבונית'],
    ['iphone手机', '新iPhone手机壳'],
  ] as const) {
    assert.ok(isFound(q, text), `${q} in ${text}`)
  }
})

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('İ', 'ß', 'ﷺ', '½', 'ŉ', 'ΐ', 'ς', 'a\u0301', '👨‍👩‍👧', '한', 'ー', 'ـ', ' ', 'x'))
    .map((a) => a.join('')),
)

test('a line has the same words as the text it was made of, and no line break', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const line = lineOf(wordsOf(text))
      assert.equal(lineOf(wordsOf(line)), line)
      assert.ok(!line.includes('\n'))
    }),
    { numRuns: 2_000 },
  )
})

test('every character of Unicode is compared in a form that stays as it is', () => {
  const changing: string[] = []
  for (let code = 0; code <= 0x10ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const line = lineOf(wordsOf(`a${String.fromCodePoint(code)}a`))
    if (lineOf(wordsOf(line)) !== line) changing.push(code.toString(16))
  }
  assert.deepEqual(changing, [])
})

test('every word of a text is found by itself and by its beginning', () => {
  fc.assert(
    fc.property(texts, texts, (before, text) => {
      for (const word of text.split(/\s+/)) assert.ok(isFound(word, `${before} ${text}`), JSON.stringify([word, text]))
    }),
    { numRuns: 2_000 },
  )
})

test('a number of two digits is looked up, a word of two letters is not', () => {
  const lookedUp = (q: string) => wordsOf(q).flatMap((word) => wantedTerms('acc_1', word)).length
  assert.deepEqual(['47', '4a', 'of', '7', '471', 'a47'].map(lookedUp), [1, 0, 0, 0, 1, 1])
  for (const text of ['room 47', 'invoice 4711', '47th']) assert.ok(isFound('47', text), text)
  assert.ok(!isFound('47', 'invoice 1147'))
})

test('an excerpt has the match near its beginning, and no half characters', () => {
  const long = `${'é́ 👍 lorem '.repeat(200)}İnvoice 4711 ${'ipsum 👍 '.repeat(200)}`
  const excerpt = excerptOf(long, wordsOf('invoice'))
  assert.match(excerpt, /^….{5,40}İnvoice 4711/u)
  assert.ok(excerpt.isWellFormed())
  assert.equal(excerptOf('Hello, refunds?', wordsOf('refund')), 'Hello, refunds?')
  assert.match(excerptOf(`${'长'.repeat(100)} 我想退款`, wordsOf('退款')), /^…长{20,}.*退款$/)
  assert.match(excerptOf(`${'长ǆ'.repeat(500)}我想退款${'长'.repeat(500)}`, wordsOf('退款')), /^.{20,40}退款/u)
  fc.assert(fc.property(texts, texts, (text, q) => excerptOf(text, wordsOf(q)).isWellFormed() || !text.isWellFormed()))
})

test('an excerpt begins and ends with whole words where there are spaces, and says where something is left out', () => {
  const words = Array.from({ length: 60 }, (_, n) => `word${n}`)
  const text = words.join(' ')
  for (const word of words) {
    const excerpt = excerptOf(text, wordsOf(word))
    const shown = excerpt.replaceAll('…', '').split(' ')
    assert.ok(shown.includes(word) && shown.every((one) => words.includes(one)), excerpt)
    assert.equal(excerpt.startsWith('…'), shown[0] !== 'word0', excerpt)
    assert.equal(excerpt.endsWith('…'), shown.at(-1) !== 'word59', excerpt)
    assert.ok(shown.length > 4, excerpt)
  }
  const endless = excerptOf(`${'👨🏽'.repeat(50)}refund${'x'.repeat(500)}`, wordsOf('refund'))
  assert.match(endless, /^…(👨🏽)+refundx+…$/u)
  assert.equal(excerptOf(`${'lorem '.repeat(50)}refund`, wordsOf('refund'), 100), `${'lorem '.repeat(20).trimEnd()}…`)
})
