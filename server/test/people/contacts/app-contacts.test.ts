import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../../src/platform/ids.ts'
import { makeContact as make, startShop } from '../../helpers/app-contacts.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { countRows, holdLock } from '../../helpers/rows.ts'

const marta = { firstName: 'Marta', lastName: 'Lindqvist', phone: '+44 7700 900342', email: 'Marta@Example.com' }

test('a contact is created as the API creates it, and the known number of another spelling gives that contact', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)

  const made = await browser.call('POST', '/api/contacts', { ...marta, firstName: ' Marta ' })

  const { id, createdAt } = made.body.contact
  assert.deepEqual(made.body, {
    isNew: true,
    contact: {
      id,
      name: 'Marta Lindqvist',
      firstName: 'Marta',
      lastName: 'Lindqvist',
      phone: '+447700900342',
      email: 'marta@example.com',
      externalId: null,
      isSimulated: false,
      createdAt,
      optedOutAt: null,
      lists: [],
      addresses: [],
      channel: null,
      lastAt: null,
      addedAt: null,
    },
  })
  const again = await browser.call('POST', '/api/contacts', { firstName: 'Other', phone: '0044 7700 900 342' })
  assert.deepEqual(again.body, { isNew: false, contact: made.body.contact })
  assert.equal((await shop.get('/contacts?email=marta@example.com')).body.contactId, id)
  assert.deepEqual((await browser.call('GET', `/api/contacts/${id}`)).body, made.body.contact)
})

test('a new contact needs a phone number or an e-mail address that can be read, and blank ones count as none', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  for (const [fields, code, says] of [
    [{}, 'PHONE_OR_EMAIL_REQUIRED', /phone and email/],
    [{ firstName: 'Ana', phone: ' ', email: '' }, 'PHONE_OR_EMAIL_REQUIRED', /phone and email/],
    [{ phone: '07700 900342' }, 'INVALID_PHONE', /^phone must/],
    [{ email: 'ana@' }, 'INVALID_EMAIL', /^email must/],
    [{ phone: 15551234567 }, 'INVALID_REQUEST', /phone/],
    [{ firstName: 'x'.repeat(257), email: 'a@b.co' }, 'INVALID_REQUEST', /firstName/],
  ] as const) {
    assertRefused(await browser.call('POST', '/api/contacts', fields), code, { says, label: JSON.stringify(fields) })
  }
  assert.equal((await countRows(app)).contacts, 0)
})

test('a change sets what is given, removes what is blank, and leaves the rest', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const id = await make(browser, marta)
  const change = async (body: object) => (await browser.call('PATCH', `/api/contacts/${id}`, body)).body

  const before = await change({})
  assert.equal(before.firstName, 'Marta')
  assert.deepEqual(await change({ firstName: ' Ana ', phone: '+1 (555) 123-4567' }), {
    ...before,
    name: 'Ana Lindqvist',
    firstName: 'Ana',
    phone: '+15551234567',
  })
  assert.equal((await change({ lastName: '  ' })).lastName, null)
  assert.equal((await change({ phone: null })).phone, null)
  assert.equal((await change({ email: 'NEW@example.com' })).email, 'new@example.com')
})

test('a change that cannot be read or leaves nothing to reach the contact by changes nothing', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  const id = await make(browser, marta)
  const { body: before } = await browser.call('GET', `/api/contacts/${id}`)
  for (const [change, code, says] of [
    [{ firstName: 'X', phone: '123' }, 'INVALID_PHONE', /^phone must/],
    [{ firstName: 'X', email: 'marta' }, 'INVALID_EMAIL', /^email must/],
    [{ phone: '', email: null }, 'PHONE_OR_EMAIL_REQUIRED', /phone and email/],
    [{ lastName: 7 }, 'INVALID_REQUEST', /lastName/],
  ] as const) {
    assertRefused(await browser.call('PATCH', `/api/contacts/${id}`, change), code, { says })
  }
  assert.deepEqual((await browser.call('GET', `/api/contacts/${id}`)).body, before)

  await shop.post(incomingPath, incoming({ fromId: 'u1' }))
  const [known] = (await browser.call('GET', '/api/contacts')).body.contacts
  assert.equal(known.externalId, 'u1')
  assert.deepEqual(known.channel, { label: 'custom', name: 'custom', kind: null, colour: 1 })
  assert.ok(known.lastAt)
  const named = await browser.call('PATCH', `/api/contacts/${known.id}`, { phone: null, email: null, firstName: 'Una' })
  assert.equal(named.body.firstName, 'Una')
})

test("another contact's phone number is a conflict that names who has it", async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  await make(browser, marta)
  const id = await make(browser, { email: 'ana@example.com' })
  const refused = await browser.call('PATCH', `/api/contacts/${id}`, { firstName: 'Ana', phone: '+447700900342' })
  assertRefused(refused, 'CONFLICT', { says: /^Marta Lindqvist has this phone number/ })
  assert.equal((await browser.call('GET', `/api/contacts/${id}`)).body.firstName, null)
})

test('an id is filled where there is none, without white space around it, and a known number changes nobody', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const id = await make(browser, marta)
  const again = await browser.call('POST', '/api/contacts', { phone: marta.phone, externalId: 'u7' })
  assert.deepEqual([again.body.isNew, again.body.contact.externalId], [false, null])
  const edit = (body: object) => browser.call('PATCH', `/api/contacts/${id}`, body)
  assert.equal((await edit({ externalId: ' ' })).body.externalId, null)
  assert.equal((await edit({ externalId: ' u7 ' })).body.externalId, 'u7')
  assertRefused(await edit({ externalId: 'u8' }), 'ID_TAKEN', { says: /^This contact has another ID/ })

  const other = { email: 'ana@example.com', externalId: 'u7' }
  assertRefused(await browser.call('POST', '/api/contacts', other), 'ID_TAKEN', {
    says: /^Marta Lindqvist has this ID/,
  })
  const ana = await make(browser, { email: 'ana@example.com' })
  const taken = await browser.call('PATCH', `/api/contacts/${ana}`, { firstName: 'Ana', externalId: 'u7' })
  assertRefused(taken, 'ID_TAKEN', { says: /^Marta Lindqvist has this ID/ })
  assert.equal((await browser.call('GET', `/api/contacts/${ana}`)).body.firstName, null)
})

test('two edits at once: different fields are both kept, and one identifier stays', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const id = await make(browser, marta)
  const edit = (body: object) => browser.call('PATCH', `/api/contacts/${id}`, body)
  {
    await using held = await holdLock(app, 'contacts', id)
    const edits = [edit({ firstName: 'Ana' }), edit({ lastName: 'Novak' })]
    await held.untilWaiting(2)
    await held.release()
    assert.deepEqual(
      (await Promise.all(edits)).map(({ status }) => status),
      [200, 200],
    )
  }
  const { body } = await browser.call('GET', `/api/contacts/${id}`)
  assert.deepEqual([body.firstName, body.lastName], ['Ana', 'Novak'])

  await using held = await holdLock(app, 'contacts', id)
  const removals = [edit({ phone: null }), edit({ email: null })]
  await held.untilWaiting(2)
  await held.release()
  const statuses = (await Promise.all(removals)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 400])
})

test('of two contacts that get one phone number at once, one has it and the other is a conflict', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const ids = await Promise.all(['a', 'b', 'c', 'd'].map((name) => make(browser, { email: `${name}@example.com` })))
  const edits = ids.map((id) => browser.call('PATCH', `/api/contacts/${id}`, { phone: '+15551234567' }))
  const statuses = (await Promise.all(edits)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 409, 409, 409])
})

test('a number that comes back with an edit brings back the opt-out of the person who was erased', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  const id = await make(browser, marta)
  await app.db.updateTable('contacts').set({ optedOutAt: new Date(), optedOutBy: 'contact' }).execute()
  assert.ok((await browser.call('GET', `/api/contacts/${id}`)).body.optedOutAt)
  assert.deepEqual((await browser.call('DELETE', `/api/contacts/${id}`)).body, { messages: 0 })
  const other = await make(browser, { email: 'ana@example.com' })
  const { body } = await browser.call('PATCH', `/api/contacts/${other}`, { phone: marta.phone })
  assert.ok(body.optedOutAt)
  assert.equal((await shop.get('/contacts?email=ana@example.com')).status, 200)
})

test('an edit is made as a whole or not at all, and so is a new contact with the opt-out that it brings back', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  const id = await make(browser, { ...marta, externalId: 'm-1' })
  await app.db.updateTable('contacts').set({ optedOutAt: new Date(), optedOutBy: 'contact' }).execute()
  await browser.call('DELETE', `/api/contacts/${id}`)
  const ana = await make(browser, { firstName: 'Ana', email: 'ana@example.com' })
  await sql`alter table contacts add constraint fails check (opted_out_by <> 'returned')`.execute(app.db)
  const edit = await browser.call('PATCH', `/api/contacts/${ana}`, { firstName: 'Anna', externalId: 'm-1' })
  const made = await browser.call('POST', '/api/contacts', { phone: '+447700900001', email: marta.email })
  const byApi = await shop.post('/contacts', { phone: marta.phone })
  assert.deepEqual([edit.status, made.status, byApi.status], [500, 500, 500])
  const contacts = await app.db.selectFrom('contacts').select(['firstName', 'externalId', 'phone']).execute()
  assert.deepEqual(contacts, [{ firstName: 'Ana', externalId: null, phone: null }])
})

test("another account's contact is as unknown as one that does not exist, and its number is free here", async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const { shop: rival, browser: theirs } = await startShop(app)
  const foreign = await make(theirs, marta)
  for (const id of [foreign, newId('con'), 'x', rival.listId, '%00']) {
    assertRefused(await browser.call('GET', `/api/contacts/${id}`), 'CONTACT_NOT_FOUND', { label: id })
    assertRefused(await browser.call('PATCH', `/api/contacts/${id}`, { firstName: 'X' }), 'CONTACT_NOT_FOUND')
    assertRefused(await browser.call('PATCH', `/api/contacts/${id}`, {}), 'CONTACT_NOT_FOUND')
    assertRefused(await browser.call('DELETE', `/api/contacts/${id}`), 'CONTACT_NOT_FOUND')
  }
  assertRefused(await browser.call('GET', `/api/contacts?listId=${rival.listId}`), 'LIST_NOT_FOUND')
  assert.deepEqual((await browser.call('GET', '/api/contacts')).body, { contacts: [], next: null, total: 0 })
  await make(browser, marta)
  assert.equal((await theirs.call('GET', `/api/contacts/${foreign}`)).body.firstName, 'Marta')
})
