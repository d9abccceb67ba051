import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fillIn } from '../../../src/answers/engines/common/fill-in.ts'

const nobody = { firstName: null, settings: { businessName: null } }
const both = { firstName: 'Ana', settings: { businessName: 'Juniper & Oak' } }

test('placeholders are filled in', () => {
  assert.equal(fillIn('Hello {{firstName}}, how are you?', both), 'Hello Ana, how are you?')
  assert.equal(fillIn('Welcome to {{businessName}}, {{ firstName }}!', both), 'Welcome to Juniper & Oak, Ana!')
  assert.equal(fillIn('No names here.', both), 'No names here.')
})

test('a placeholder without a value is removed together with the words that led to it', () => {
  assert.equal(fillIn('Hello {{firstName}}, how are you?', nobody), 'Hello, how are you?')
  assert.equal(fillIn('Hello, {{firstName}}!', nobody), 'Hello!')
  assert.equal(fillIn('{{firstName}}, thank you.', nobody), 'Thank you.')
  assert.equal(fillIn('Hi {{firstName}} and welcome.', nobody), 'Hi and welcome.')
  assert.equal(fillIn('Welcome to {{businessName}}!', nobody), 'Welcome!')
  assert.equal(fillIn('At {{businessName}} we like wood.', nobody), 'We like wood.')
  assert.equal(fillIn('The {{businessName}} team', nobody), 'The team')
  assert.equal(fillIn('Orders arrive in 2 days, {{firstName}}.', nobody), 'Orders arrive in 2 days.')
})

test('only two placeholders are known; any other stays as it is written', () => {
  assert.equal(fillIn('{{secretKey}} {{lastName}} {{FIRSTNAME}}', both), '{{secretKey}} {{lastName}} {{FIRSTNAME}}')
})

test('a first name cannot bring a link, a placeholder or a sentence into our text', () => {
  for (const firstName of [
    'www.evil.example',
    'Ana {{businessName}}',
    'a'.repeat(41),
    'Ana\u202e',
    '$&',
    '<b>',
    '7',
    'Call 030 12',
    'evil.c0m',
    ' ',
  ]) {
    assert.equal(fillIn('Hi {{firstName}}!', { ...both, firstName }), 'Hi!', firstName)
  }
  for (const firstName of ['Jean-Luc', "O'Neil", 'María José', '李', 'J. R.', 'Ana2', 'R2D2', 'Tester 2024']) {
    assert.equal(fillIn('Hi {{firstName}}!', { ...both, firstName }), `Hi ${firstName}!`)
  }
})

test('a text without brackets is never changed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      if (!text.includes('{{')) assert.equal(fillIn(text, nobody), text)
    }),
  )
})
