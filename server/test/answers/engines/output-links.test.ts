import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildPrompt } from '../../../src/answers/engines/models/prompt.ts'
import { checkOutput } from '../../../src/answers/engines/output-check/check-output.ts'
import { entries, turnOf } from '../../helpers/model-world.ts'

/** Printed with every run; give it back in FUZZ_SEED to see a failure again. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

const turn = turnOf('How do I return it?')
const prompt = buildPrompt(turn, entries, { tokens: 3_000, now: new Date() })

function check(reply: string): { text: string; removed: number } {
  const { text, removedLinks } = checkOutput({ action: 'answer', reply, entries: ['k1'] }, turn, prompt)
  return { text: text ?? '', removed: removedLinks }
}

/** One of each kind: joiners, variation selectors, fillers, tags, marks of direction and of grammar. */
const invisible = [
  ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u180b', '\u180e', '\u200b', '\u200c', '\u200d'],
  ...['\u200e', '\u202e', '\u2060', '\u2064', '\u2066', '\u206f', '\u3164', '\ufe00', '\ufe0e', '\ufe0f', '\ufeff'],
  ...['\uffa0', '\ufff0', '\u{1bca0}', '\u{1d173}', '\u{e0001}', '\u{e0061}', '\u{e007f}', '\u{e0100}', '\u{e01ef}'],
]
for (const letter of invisible) assert.match(letter, /^\p{Default_Ignorable_Code_Point}$/u)

test('invisible characters hide no address, at any position and in any number', (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  const links = ['evil.com', 'https://evil.test/x', 'eve@evil.test', 'evil。com', 'i❤.ws', 'xn--evil.example']
  const hidden = fc.record({
    link: fc.constantFrom(...links),
    with: fc.array(fc.record({ at: fc.nat(20), letter: fc.constantFrom(...invisible) }), { maxLength: 6 }),
  })
  const property = fc.property(hidden, ({ link, with: inserted }) => {
    const letters = [...link]
    for (const { at, letter } of inserted) letters.splice(at % (letters.length + 1), 0, letter)
    const { text } = check(`You have 30 days ${letters.join('')} to send it back.`)
    assert.doesNotMatch(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ''), /evil|eve|❤|\bws\b|\btest\b/)
    assert.match(text, /^You have 30 days.* to send it back\.$/u)
  })
  fc.assert(property, { seed, numRuns: 2_000 })
})

test('letters that browsers normalize, and symbols in a domain, hide no address', () => {
  const foreign = [
    ...['evil\ufe0f.com', 'i❤.ws', 'i❤️.ws', '👍.ws', '👨‍👩‍👧.fm', '🇩🇪.to', '1️⃣evil.com', 'a.b❤c.fm', 'evi\u0301l.com'],
    ...[
      'evil.ⓒⓞⓜ',
      '𝐞𝐯𝐢𝐥.𝐜𝐨𝐦',
      'evil\u2024com',
      'ｅｖｉｌ．ｃｏｍ',
      'evil｡com',
      'evil。xyz',
      '例子。中国',
      '例子.中国',
    ],
    ...['https：／／evil.test/x', 'https:⁄⁄evil.com', 'evil（dot）com', 'eve（at）evil.test', 'eve＠evil.test'],
    ...['example.भारत', 'пример.москва', 'злой.онлайн', 'shop.example❤.ws', '❤shop.example.evil.com'],
  ]
  for (const link of foreign) {
    const { text } = check(`You have 30 days ${link} to send it back.`)
    assert.equal(text.replace(/https:⁄⁄ /, ''), 'You have 30 days to send it back.', link)
  }
})

test('an address of the business after an emoji stays, separated by a space', () => {
  assert.deepEqual(check('Here 👉shop.example'), { text: 'Here 👉 shop.example', removed: 0 })
  assert.deepEqual(check('👉🏽https://shop.example/returns ❤️'), {
    text: '👉🏽https://shop.example/returns ❤️',
    removed: 0,
  })
  assert.deepEqual(check('Write to 😊help@shop.example!'), { text: 'Write to 😊help@shop.example!', removed: 0 })
  assert.equal(check('See shop.\u2060example').removed, 0)
})

test('emoji and sentences without a space between them stay as they are', () => {
  for (const reply of [
    'Super 👍. Danke',
    'Gern 😊.Bis bald',
    'Danke 😊.bis bald',
    'At 20°. Yes ✅.Of course ❤️',
    'Family 👨‍👩‍👧 and 1️⃣ stay whole. 好的。谢谢。OK。',
    'Ciao 👋🏽...see you!',
  ]) {
    assert.deepEqual(check(reply), { text: reply, removed: 0 })
  }
})

test('variation selectors cannot carry hidden data: they stay only after an emoji', () => {
  assert.equal(check('Yes\ufe0f\ufe0e, 3\u{e0100}\u{e0101}0 days\u3164 ❤️.').text, 'Yes, 30 days ❤️.')
})
