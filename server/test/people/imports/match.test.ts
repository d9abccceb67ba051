import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ContactText, contactTextNames, contactTexts } from '@patchbay/contract/contact-texts.ts'
import type { Contact } from '../../../src/people/imports/contact-store.ts'
import type { GivenRow } from '../../../src/people/imports/file/read-row.ts'
import { suggestMapping } from '../../../src/people/imports/file/suggest-mapping.ts'
import { Matching } from '../../../src/people/imports/match.ts'
import { newId } from '../../../src/platform/ids.ts'

const noTexts = Object.fromEntries(contactTexts.map((name) => [name, null])) as Record<ContactText, null>
const blank = { ...noTexts, phone: null, email: null, externalId: null }
const row = (given: Partial<GivenRow>): GivenRow => ({ ...blank, contactId: null, ...given })
const contact = (given: Partial<Contact>): Contact => ({ ...blank, id: newId('con'), ...given })

test('a row is matched by external id, then phone number, then the oldest with its e-mail address', () => {
  const [a, b, c, d] = [
    contact({ externalId: 'x', email: 'shared@example.com' }),
    contact({ phone: '+1' }),
    contact({ email: 'shared@example.com', externalId: 'y' }),
    contact({ email: 'shared@example.com' }),
  ]
  const matching = new Matching([a, b, c, d], { overwrites: false })
  const idOf = (given: Partial<GivenRow>) => {
    const outcome = matching.find(row(given))
    return outcome && 'now' in outcome ? outcome.now.id : outcome
  }
  assert.equal(idOf({ externalId: 'x' }), a.id)
  assert.equal(idOf({ externalId: 'new', phone: '+1' }), b.id)
  assert.equal(idOf({ phone: '+1', email: 'shared@example.com' }), b.id)
  assert.equal(idOf({ email: 'shared@example.com' }), a.id, 'the oldest')
  assert.equal(
    idOf({ externalId: 'new', email: 'shared@example.com' }),
    d.id,
    'none that the platform knows by another id',
  )
  assert.equal(idOf({ contactId: c.id, email: 'shared@example.com' }), c.id, 'our own id is the surest')
  assert.equal(idOf({ externalId: 'new', email: 'new@example.com' }), undefined)
})

test('a row that points to two contacts is an error that names the field, and changes nothing', () => {
  const [a, b] = [contact({ externalId: 'x', phone: '+1' }), contact({ phone: '+2' })]
  const matching = new Matching([a, b], { overwrites: true })
  const fieldOf = (given: Partial<GivenRow>) => {
    const outcome = matching.apply(row(given))
    return 'reason' in outcome ? outcome.field : outcome.kind
  }
  assert.equal(fieldOf({ externalId: 'x', phone: '+2' }), 'phone')
  assert.equal(fieldOf({ externalId: 'z', phone: '+1' }), 'externalId')
  assert.equal(fieldOf({ contactId: b.id, externalId: 'x' }), 'externalId')
  assert.deepEqual(matching.written(), [])
})

test('rows about one person end in one contact, whichever way they name them', () => {
  const matching = new Matching([], { overwrites: false })
  const outcomes = [
    row({ phone: '+1', firstName: 'Ana' }),
    row({ phone: '+1', email: 'a@example.com' }),
    row({ email: 'a@example.com', lastName: 'Lima', externalId: 'x' }),
    row({ externalId: 'x' }),
  ].map((one) => matching.apply(one))
  assert.deepEqual(
    outcomes.map((outcome) => ('kind' in outcome ? outcome.kind : outcome.reason)),
    ['added', 'changed', 'changed', 'same'],
  )
  const written = matching.written().map(({ now: { id: _, ...now } }) => now)
  assert.deepEqual(written, [
    { ...noTexts, firstName: 'Ana', lastName: 'Lima', phone: '+1', email: 'a@example.com', externalId: 'x' },
  ])
})

test('every text of a contact is recognized by its name, as in our own export', () => {
  const headers = contactTexts.map((name) => contactTextNames[name])
  assert.deepEqual(suggestMapping(headers, []), contactTexts)
})

test('columns are suggested by their headers in several languages, and by their cells', () => {
  const of = (headers: string, cells = '') => suggestMapping(headers.split(','), [cells.split(',')]).join(',')
  assert.equal(of('given_name,mobile,mail,loyalty_no'), 'firstName,phone,email,none')
  assert.equal(of('Vorname,Nachname,Telefon,E-Mail-Adresse'), 'firstName,lastName,phone,email')
  assert.equal(of('Prénom,Nom de famille,Téléphone,Courriel'), 'firstName,lastName,phone,email')
  assert.equal(of('Nombre,Apellidos,Móvil,Correo electrónico'), 'firstName,lastName,phone,email')
  assert.equal(of('Name,First name,Phone,Mobile'), 'none,firstName,phone,none')
  assert.equal(of('Full name,Contact ID,External ID'), 'name,contactId,externalId')
  assert.equal(of('a,b,c', 'x,+447700900077,x@example.com'), 'none,phone,email')
})
