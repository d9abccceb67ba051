import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { splitText } from '../../../../src/journey/channels/kinds/common/split-text.ts'

const family = '👨‍👩‍👧‍👦'
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const visible = (text: string) => text.replace(/\s/g, '')

test('a text is divided after a paragraph, else a line, a sentence, a word', () => {
  assert.deepEqual(splitText('One line.\n\nTwo words here', 16), ['One line.', 'Two words here'])
  assert.deepEqual(splitText('One line.\nTwo words here', 16), ['One line.', 'Two words here'])
  assert.deepEqual(splitText('It is blue. Or is it red?', 16), ['It is blue.', 'Or is it red?'])
  assert.deepEqual(splitText('one two three four', 10), ['one two', 'three four'])
  assert.deepEqual(
    splitText('A. Bcdefghijklmn op', 16),
    ['A. Bcdefghijklmn', 'op'],
    'a part is not much shorter than it may be',
  )
})

test('nothing is cut inside what a reader sees as one character', () => {
  assert.deepEqual(splitText(`abc${family}def`, 12), ['abc', `${family}d`, 'ef'])
  for (const most of [11, 12, 13]) {
    for (const part of splitText(family.repeat(5), most)) assert.equal(part, family)
  }
})

test('a text that fits is left as it is, and none is no part', () => {
  assert.deepEqual(splitText('  as it is \n', 100), ['  as it is \n'])
  assert.deepEqual(splitText('', 100), [])
})

const piece = fc.oneof(
  fc.constantFrom(
    'word ',
    'A sentence. ',
    '\n',
    '\n\n',
    family,
    'é',
    'e\u0301',
    '漢字',
    '🇩🇪',
    '👍🏽',
    'https://example.com/a?b=c ',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)

test('for any text each part fits, nothing but white space is lost, and no character is cut', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 40, max: 200 }), (pieces, most) => {
      const text = pieces.join('')
      const parts = splitText(text, most)
      assert.ok(parts.every(({ length }) => length <= most && length > 0))
      assert.equal(visible(parts.join('')), visible(text))
      const characters = new Set([...segmenter.segment(text)].map(({ segment }) => segment))
      for (const part of parts) {
        const first = [...segmenter.segment(part)][0]?.segment ?? ''
        assert.ok(characters.has(first), `${JSON.stringify(first)} is no character of the text`)
      }
    }),
    { numRuns: 500 },
  )
})
