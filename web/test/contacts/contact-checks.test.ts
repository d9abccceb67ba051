import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAll, checkField } from '../../src/contacts/contact-checks.ts'
import { sayPhone } from '../../src/ui/say-phone.ts'

test('a phone number is shown in groups, and its digits stay as they are', () => {
  for (const [phone, shown] of [
    ['+447700900342', '+44 7700 900342'],
    ['+15551234567', '+1 555 123 4567'],
    ['+34910555013', '+34 910 555 013'],
    ['+35312345678', '+353 1234 5678'],
    ['+1234567', '+1 234567'],
    ['not a number', 'not a number'],
  ] as const) {
    assert.equal(sayPhone(phone), shown)
    assert.equal(sayPhone(phone).replaceAll(' ', ''), phone.replaceAll(' ', ''))
  }
})

test('a field is checked for what its writer can mend, and a contact needs one way to be known', () => {
  for (const good of ['', ' ', '+44 7700 900342', '0044 (0)7700-900342'])
    assert.equal(checkField('phone', good), undefined)
  for (const bad of ['07700 900342', '+44', 'call me', '+44 7700 ext 3']) assert.ok(checkField('phone', bad), bad)
  for (const good of ['', 'ana@example.com', 'Ána@exämple.com']) assert.equal(checkField('email', good), undefined)
  for (const bad of ['ana', 'ana@example', 'a@b@c.de', 'a b@c.de']) assert.ok(checkField('email', bad), bad)
  const blank = { firstName: 'Ana', lastName: '', phone: ' ', email: '' }
  assert.deepEqual(Object.keys(checkAll(blank, false)), ['phone'])
  assert.deepEqual(checkAll(blank, true), {})
})
