import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TurnInput } from '../../../src/answers/engines/common/engine.ts'
import { buildPrompt } from '../../../src/answers/engines/models/prompt.ts'
import { checkOutput } from '../../../src/answers/engines/output-check/check-output.ts'
import { ibansIn } from '../../../src/answers/engines/output-check/iban.ts'
import { numbersOf, removeNumbers } from '../../../src/answers/engines/output-check/numbers.ts'
import type { RankedEntry } from '../../../src/answers/knowledge/search/ranking.ts'
import { settingsWith, turnOf } from '../../helpers/model-world.ts'

/** Printed with every run; give it back in FUZZ_SEED to see a failure again. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

const answer =
  'Call +49 30 1234567 or 0800 555 0199. Shops: 040 1111111 / 040 2222222. Pay to DE89 3704 0044 0532 0130 00.'
const entries: RankedEntry[] = [
  { entryId: 'ent_call', question: 'How do I reach you?', answer, handsOver: false, score: 0.9 },
]
const turn = turnOf('Where is my order 2024-0012345?', {
  settings: settingsWith({ instructions: 'The fax is (555) 010-9999.' }),
  history: [{ by: 'person', kind: 'text', text: 'My own number is 0170 9876543.' }],
})

function check(reply: string, input: TurnInput = turn): string {
  const prompt = buildPrompt(input, entries, { tokens: 3_000, now: new Date() })
  return checkOutput({ action: 'answer', reply, entries: ['k1'] }, input, prompt).text ?? ''
}

test('a number from the business, the contact or a colleague stays, in any spelling', () => {
  for (const reply of [
    'Call +49 30 1234567.',
    'Call 030 1234567, +49 (0)30 123 45 67, 0049-30-1234567 or 030/1234567!',
    'It is 0800-555-0199 24 hours a day, or 08005550199.',
    'Shops: 040 2222222, 040 1111111 / 040 2222222',
    'Pay to DE89370400440532013000, that is de89 3704 0044 0532 0130 00.',
    'Your order 2024-0012345 (20240012345) is on its way.',
    'The fax is 555 010 9999, my own number 0170 9876543 or +49 170 9876543.',
  ]) {
    assert.equal(check(reply), reply)
  }
})

const foreign = [
  ...[
    '+1 900 555 0123',
    '+19005550123',
    '0900 1234567',
    '(555) 123-4567',
    '555-1234',
    '06 12 34 56 78',
    '01 23 45 67 89',
  ],
  ...['030 1234568', '0900 030 1234567', '+44 900 1234567', '9 0 0 1 2 3 4 5 6', '0-9-0-0-1-2-3-4-5', '612 345 678'],
  ...['+٤٩ ٣٠ ٧٦٥٤٣٢١', '０９００ １２３４５６', '0️⃣9️⃣0️⃣0️⃣1️⃣2️⃣3️⃣4️⃣', '+49\u00ad30\u200b999999', '0900·123·456'],
  ...['GB29 NWBK 6016 1331 9268 19', 'gb29nwbk60161331926819', 'DE02 1203 0000 0000 2020 51', 'BE71 0961 2345 6769'],
  ...['12.34 567 890', '€ 20 1234567', '987654321', '2024-0012346', '08.00 1234567', '4111 1111 1111 1111'],
]

test('a strict campaign removes any other number that could be called or paid to', () => {
  for (const number of foreign) {
    const text = check(`You reach us at ${number} every day.`)
    assert.match(text, /^You reach us at (€ )?every day\.$/, `${number} -> ${text}`)
  }
})

test('a campaign that is not strict keeps such numbers', () => {
  const loose = { ...turn, settings: settingsWith({ strict: false }) }
  assert.equal(check('Call +1 900 555 0123.', loose), 'Call +1 900 555 0123.')
})

test('an answer that is nothing but such a number becomes the fallback', () => {
  assert.equal(check('+1 900 555 0123'), 'A colleague will look into it.')
})

test('prices, dates, times, years, amounts and codes of a few digits stay', () => {
  for (const reply of [
    'Open 08:00-18:00, 08.00-18.00 or 9-12 / 13-18, on 15.11.2026, 2026-11-15 08:00, 11/15/2026 and 15.11.26.',
    'From 15.11.2026 - 20.11.2026, Mo 08.00-12.00 / 13.00-18.00, 24/7 since 1987, 2019-2024, summer 2026/27.',
    'It costs 1.299,00 EUR, $1,299.99, €1299, 1 234 567 EUR or 12,5 %; 1000-2000 pieces; 1,234,567 or 1.234.567 people.',
    '2 x 500 ml, 1920x1080, version 1.2.3, 3.14159, 10115 Berlin, room 1204, code SAVE2026, step 1. 2. 3. 4.',
  ]) {
    assert.equal(check(reply), reply)
  }
})

/** Without those of dates and hours: random digits may look like 9-12, 13-18. */
const separators = fc.constantFrom('', ' ', '  ', '\u00a0', ') ', ' (', '*', '·', '\u200b', '\ufe0f')
const digits = (from: number, to: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: from, maxLength: to }).map((all) => all.join(''))

/** The digits with something between some of them. */
const spelled = (number: string, between: string[]) =>
  [...number].map((digit, at) => digit + (at < number.length - 1 ? (between[at % between.length] ?? '') : '')).join('')

test('no unknown number of 9 digits or more gets through, in any spelling', (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  const number = fc.record({
    number: digits(9, 15),
    plus: fc.constantFrom('+', '', '00'),
    between: fc.array(separators, { minLength: 1, maxLength: 5 }),
  })
  const property = fc.property(number, ({ number: given, plus, between }) => {
    const written = plus + spelled(given, between)
    const { text } = removeNumbers(`Call ${written} now`, { ibans: new Set(), numbers: new Set() })
    assert.equal(text, 'Call now', written)
  })
  fc.assert(property, { seed, numRuns: 3_000 })
})

test('a known number stays unchanged, in any spelling', () => {
  const number = fc.record({
    national: digits(7, 11).map((rest) => `3${rest}`),
    between: fc.array(fc.constantFrom('', ' ', '-', '\u00a0'), { minLength: 1, maxLength: 4 }),
    known: fc.constantFrom('+49', '0049', '0'),
    said: fc.constantFrom('+49', '0049', '0'),
  })
  const property = fc.property(number, ({ national, between, known, said }) => {
    const text = `Call ${said}${said === '0' ? '' : ' '}${spelled(national, between)} now`
    assert.deepEqual(removeNumbers(text, numbersOf([`Our number: ${known} ${national}.`])), { text, removed: 0 })
  })
  fc.assert(property, { seed, numRuns: 1_000 })
})

/** An account with the right check digits. */
function ibanOf(country: string, account: string): string {
  const values = [...`${account}${country}00`].map((letter) => Number.parseInt(letter, 36)).join('')
  return `${country}${String(98n - (BigInt(values) % 97n)).padStart(2, '0')}${account}`
}

test('an unknown IBAN never gets through, in groups or in one piece, and a known one does', () => {
  const account = fc.oneof(
    digits(18, 18).map((rest) => ibanOf('DE', rest)),
    digits(14, 14).map((rest) => ibanOf('GB', `NWBK${rest}`)),
    digits(10, 10).map((rest) => ibanOf('NL', `ABNA${rest}`)),
    digits(23, 23).map((rest) => ibanOf('FR', rest)),
  )
  const property = fc.property(
    account,
    fc.constantFrom('', ' ', '-', '\u00a0', '\u200b'),
    fc.boolean(),
    (iban, gap, small) => {
      const grouped = iban.match(/.{1,4}/g)?.join(gap) ?? ''
      const text = `Pay to ${small ? grouped.toLowerCase() : grouped} today, please`
      assert.deepEqual(removeNumbers(text, numbersOf([])), { text: 'Pay to today, please', removed: 1 }, grouped)
      assert.deepEqual(removeNumbers(text, numbersOf([`IBAN: ${iban}`])), { text, removed: 0 })
      assert.deepEqual(removeNumbers(text, numbersOf([`IBAN: ${iban.slice(0, -1)}x`])).removed, 1)
    },
  )
  fc.assert(property, { seed, numRuns: 1_000 })
})

test('what only begins like an IBAN is none', () => {
  for (const text of [
    'am 24 Dezember und danach wieder offen',
    'DE89 3704 0044 0532 0130 01',
    'de 12 monate garantie',
  ]) {
    assert.deepEqual(ibansIn(text), [])
  }
})

test('texts built to slow the search down are still searched to their end', () => {
  for (const part of [
    '1 ',
    '1',
    '+1 ',
    '1.',
    '12.12.2026 - ',
    '9-12 / ',
    'de89 ',
    '1\u20e3',
    '1.000.',
    '€ 1',
    '0 0 ',
  ]) {
    const text = part.repeat(5_000)
    assert.ok(numbersOf([text]).numbers.size >= 0)
    assert.ok(removeNumbers(text.slice(0, 6_000), numbersOf([])).removed >= 0)
  }
})
