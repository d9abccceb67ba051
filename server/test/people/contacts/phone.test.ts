import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { getCountries, getCountryCallingCode } from 'libphonenumber-js'
import { parsePhone, parsePhoneInQuery } from '../../../src/people/contacts/phone.ts'

/** Printed with every run; set FUZZ_SEED to it to repeat a failure. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

const callingCodes = [...new Set(getCountries().map((country) => getCountryCallingCode(country)))]
const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength })

/** Numbers in the form in which they are stored. */
const stored = fc
  .tuple(fc.constantFrom(...callingCodes), digits(3, 12))
  .map(([code, rest]) => parsePhone(`+${code}${rest}`))
  .filter((phone) => phone !== undefined)

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.tuple(fc.constantFrom('+', '00', '', ' +'), digits(0, 20)).map(([prefix, rest]) => prefix + rest),
  fc.string({ unit: fc.constantFrom(...'+0123456789 .-()/x#;,'), maxLength: 24 }).map((text) => `+${text}`),
)

const separator = fc.constantFrom('', '', '', ' ', '.', '-', '(', ')', '  ', '\u00a0', '–', '‑', ' - ')

test('parsing is idempotent: any parsed number parses as itself', (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  const isIdempotent = fc.property(anyText, (text) => {
    for (const phone of [parsePhone(text), parsePhoneInQuery(text)]) {
      if (phone === undefined) continue
      assert.match(phone, /^\+[1-9]\d{6,14}$/)
      assert.equal(parsePhone(phone), phone)
      assert.equal(parsePhoneInQuery(phone), phone)
    }
  })
  fc.assert(isIdempotent, { seed, numRuns: 3_000 })
})

test('every spelling of a number parses to the same number', (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  const same = fc.property(stored, fc.array(separator, { minLength: 15, maxLength: 15 }), (phone, between) => {
    const spelled = [...phone.slice(1)].map((digit, index) => `${digit}${between[index]}`).join('')
    for (const text of [`+${spelled}`, `00${spelled}`, ` +${spelled}`, `+ ${spelled}`]) {
      assert.equal(parsePhone(text), phone, JSON.stringify(text))
      assert.equal(parsePhoneInQuery(text), phone, JSON.stringify(text))
    }
    assert.equal(parsePhoneInQuery(spelled), phone)
    assert.equal(parsePhoneInQuery(` ${spelled}`), phone)
    assert.equal(parsePhone(spelled), undefined)
  })
  fc.assert(same, { seed, numRuns: 1_000 })
})

test('a known calling code and 7 to 15 digits in all are accepted, also in ranges that are not assigned', () => {
  const accepted = ['+15551234567', '+10000000000', '+11234567890', '+1234567890', '+19999999999', '+5511999999999']
  for (const phone of [...accepted, '+1555123', '+155512345678901', '+4912345', '+491234567890123', '+390612345678']) {
    assert.equal(parsePhone(phone), phone)
    assert.equal(parsePhoneInQuery(phone.slice(1)), phone)
  }
  for (const code of callingCodes) {
    const phone = `+${code}${'555123456789'.slice(0, 11 - code.length)}`
    assert.ok(parsePhone(phone) !== undefined, phone)
  }
})

test('6 digits are too few, and 16 too many', () => {
  for (const code of callingCodes) {
    for (const length of [6, 16]) {
      const phone = `+${code}${'5'.repeat(length - code.length)}`
      assert.equal(parsePhone(phone), undefined, phone)
      assert.equal(parsePhoneInQuery(phone.slice(1)), undefined, phone)
    }
  }
})

test('a trunk zero after the country code is dropped', () => {
  assert.equal(parsePhone('+44 (0)20 7946 0958'), '+442079460958')
  assert.equal(parsePhone('+49 (0) 30 123456'), '+4930123456')
  assert.equal(parsePhone('+39 06 1234 5678'), '+390612345678') // in Italy the zero is part of the number
})

test('a number without a known calling code is refused', () => {
  const unknown = ['+999', '+0', '+00', '+210', '+28', '+83', '+89', '+969', '+000', '+384', '+425', '+671', '+698']
  for (const code of unknown) {
    const phone = `${code}${'123456789'.slice(0, 11 - code.length)}`
    assert.equal(parsePhone(phone), undefined, phone)
    assert.equal(parsePhoneInQuery(phone), undefined, phone)
  }
  for (const national of ['5551234567', '15551234567', '020 7946 0958', '(555) 123-4567']) {
    assert.equal(parsePhone(national), undefined, national)
  }
})

test('a text with letters, an extension or other characters is refused', () => {
  const texts = ['', ' ', '+', '00', '+-', 'phone', '+1555CALLNOW', '+1 555 123 4567 x9', '+1 555 123 4567 ext. 9']
  const signs = [
    '+15551234567#9',
    '+15551234567;ext=9',
    '+15551234567,9',
    'tel:+15551234567',
    '++15551234567',
    '+1+5551234567',
  ]
  const others = [
    '+1555*1234567',
    '+1555/1234567',
    '١٥٥٥١٢٣٤٥٦٧',
    '+１５５５１２３４５６７',
    '+1555\x001234567',
    '+1555e1234567',
  ]
  for (const text of [...texts, ...signs, ...others, '+15551234567\n+15551234568', `+1${' '.repeat(60)}`]) {
    assert.equal(parsePhone(text), undefined, text)
    assert.equal(parsePhoneInQuery(text), undefined, text)
  }
})
