import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureSms } from '@patchbay/contract/segments.ts'
import fc from 'fast-check'
import { SegmentedMessage } from 'sms-segments-calculator'

const times = (text: string, count: number) => text.repeat(count)

test('segments are counted as carriers do, at every border', () => {
  const checked: [text: string, segments: number][] = [
    ...([
      [times('a', 160), 1],
      [times('a', 161), 2],
      [times('a', 306), 2],
      [times('a', 307), 3],
    ] as [string, number][]),
    ...([
      [times('€', 80), 1],
      [times('€', 81), 2],
      [times('я', 70), 1],
      [times('я', 71), 2],
    ] as [string, number][]),
    ...([
      [times('я', 134), 2],
      [times('я', 135), 3],
      [times('🔧', 35), 1],
      [times('🔧', 36), 2],
      ['', 1],
    ] as [string, number][]),
  ]
  for (const [text, segments] of checked) {
    assert.equal(measureSms(text).segments, segments, `${text.slice(0, 2)}… × ${text.length}`)
    assert.equal(new SegmentedMessage(text).segmentsCount, segments)
  }
})

test('what makes a text Unicode is named once each, and how much room is left says when the next segment begins', () => {
  assert.deepEqual(measureSms('It’s fixed 🔧🔧'), {
    segments: 1,
    units: 15,
    room: 70,
    unitsLeft: 55,
    unicode: ['’', '🔧'],
  })
  const joined = measureSms(times('a', 200))
  assert.deepEqual([joined.segments, joined.units, joined.room, joined.unitsLeft], [2, 200, 306, 106])
  assert.equal(measureSms(times('a', 306)).unitsLeft, 0)
  assert.equal(measureSms('[brackets] ~ cost {two} € | ^ \\ \f').unicode.length, 0)
})

/** Not what several characters make together: how these are cut is the carrier's. */
const characters = [...'abc Z09@£$¥èéùΔΦ\n\r^{}\\[~]|€\f', ...'áñşßя’“”…–日本語', '🔧', '😀', '\u{1f1e9}']

test('the count is that of Twilio’s own calculator', () => {
  const one = fc.constantFrom(...characters)
  const plain = fc.constantFrom(...[...'abcdefgh {}€|~[]\n'])
  const texts = fc.oneof(
    fc.array(one, { maxLength: 400 }),
    fc.array(plain, { maxLength: 700 }),
    fc.array(fc.constantFrom('a', 'я', '😀'), { maxLength: 300 }),
  )
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('').replaceAll('\u{1f1e9}\u{1f1e9}', '\u{1f1e9}')
      const [ours, theirs] = [measureSms(text), new SegmentedMessage(text)]
      assert.equal(ours.segments, Math.max(1, theirs.segmentsCount))
      assert.equal(ours.unicode.length > 0, theirs.encodingName === 'UCS-2')
    }),
    { numRuns: 500 },
  )
})
