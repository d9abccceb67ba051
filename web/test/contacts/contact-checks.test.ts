import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkContact } from '../../src/contacts/contact-checks.ts'
import { formatPhone } from '../../src/ui/format-phone.ts'

test('a phone number is shown in groups, and its digits stay as they are', () => {
  for (const [phone, shown] of [
    ['+447700900342', '+44 7700 900342'],
    ['+15551234567', '+1 555 123 4567'],
    ['+34910555013', '+34 910 555 013'],
    ['+35312345678', '+353 1234 5678'],
    ['+1234567', '+1 234567'],
    ['not a number', 'not a number'],
  ] as const) {
    assert.equal(formatPhone(phone), shown)
    assert.equal(formatPhone(phone).replaceAll(' ', ''), phone.replaceAll(' ', ''))
  }
})

test('a field is checked for what its writer can mend, and a contact needs one way to be known', () => {
  const check = (given: { phone?: string; email?: string }) => checkContact({ phone: '', email: '', ...given }, true)
  for (const phone of ['', ' ', '+44 7700 900342', '0044 (0)7700-900342'])
    assert.equal(check({ phone }).phone, undefined)
  for (const phone of ['07700 900342', '+44', 'call me', '+44 7700 ext 3']) assert.ok(check({ phone }).phone, phone)
  for (const email of ['', 'ana@example.com', 'Ána@exämple.com']) assert.equal(check({ email }).email, undefined)
  for (const email of ['ana', 'ana@example', 'a@b@c.de', 'a b@c.de']) assert.ok(check({ email }).email, email)
  const blank = { phone: ' ', email: '' }
  assert.ok(checkContact(blank, false).phone)
  assert.equal(checkContact(blank, true).phone, undefined)
})
