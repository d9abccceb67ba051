import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'

test('a lookup returns the contact at the top level and under contact, with success and contactId', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const { body: contact } = await shop.post('/contacts', { phone: '+15551234567', email: 'ana@example.com' })

  for (const query of ['phoneNumber=%2B15551234567', 'email=ana@example.com']) {
    const { status, body } = await shop.get(`/contacts?${query}`)
    assert.equal(status, 200)
    assert.deepEqual(body, { success: true, contactId: contact.id, ...contact, contact })
  }
})

test('the contact that an answer or an event names is found by its id, in its own account alone', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const other = await app.makeAccount()
  const { body: contact } = await shop.post('/contacts', { phone: '+15551234567', firstName: 'Ana' })
  const { status, body } = await shop.get(`/contacts/${contact.id}`)
  assert.deepEqual([status, body], [200, { success: true, contactId: contact.id, ...contact, contact }])

  const { body: sent } = await shop.post('/incoming_custom_channel_message', {
    customData: { messageSid: '1', fromId: 'someone', toId: 'shop', body: 'Hello' },
  })
  const { contactId } = await app.db
    .selectFrom('messages')
    .select('contactId')
    .where('accountId', '=', shop.accountId)
    .where('id', '=', sent.messageId)
    .executeTakeFirstOrThrow()
  assert.equal((await shop.get(`/contacts/${contactId}`)).body.contact.id, contactId)

  assertRefused(await other.get(`/contacts/${contact.id}`), 'CONTACT_NOT_FOUND')
  const unknown = [
    'con_00000000000000000000000000000000',
    'con_1',
    contact.id.toUpperCase(),
    'x',
    '%00',
    '%F0%9F%A6%8A',
  ]
  for (const id of unknown) assertRefused(await shop.get(`/contacts/${id}`), 'CONTACT_NOT_FOUND')
  assertRefused(await app.call('GET', `/contacts/${contact.id}`, {}), 'UNAUTHORIZED')
})

test('a phone number is found in every spelling, also when its plus arrived as a space or not at all', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const { body: contact } = await shop.post('/contacts', { phone: '+15551234567' })
  const spellings = ['+15551234567', '%2B15551234567', '15551234567', '0015551234567', '%20%2015551234567%20']
  const spaced = ['1-555-123-4567', '%2B1%20(555)%20123.4567', '+1+555+123+4567', '1%20555%20123%204567']
  for (const spelling of [...spellings, ...spaced]) {
    const path = `/contacts?phoneNumber=${spelling}` // with the key in the header, the query goes out as written here
    const { status, body } = await app.call('GET', path, { headers: { 'x-api-key': shop.apiKey } })
    assert.deepEqual([status, body.contactId], [200, contact.id], spelling)
  }
})

test('an e-mail address is found without regard to case and outer spaces', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const { body: contact } = await shop.post('/contacts', { email: 'ana+news@example.com' })
  for (const spelling of ['ana%2Bnews@example.com', 'ANA%2BNEWS%40Example.Com', '%20ana%2Bnews@example.com%20']) {
    const { status, body } = await shop.get(`/contacts?email=${spelling}`)
    assert.deepEqual([status, body.contactId], [200, contact.id], spelling)
  }
})

test('an e-mail address with a plus is found, also when the plus was not encoded', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const ids = new Map<string, string>()
  for (const email of ['ana+news@example.com', 'a++b@example.com', '+lead@example.com', 'lead@example.com']) {
    ids.set(email, (await shop.post('/contacts', { email })).body.id)
  }
  const spellings = {
    'ana+news@example.com': [
      'ana+news@example.com',
      'ana%2Bnews@example.com',
      'ana%20news@example.com',
      'ANA+news%40example.com',
    ],
    'a++b@example.com': ['a++b@example.com', 'a%2B+b@example.com'],
    '+lead@example.com': ['%2Blead@example.com'],
    'lead@example.com': ['lead@example.com', '%20lead@example.com'],
  }
  const find = async (spelling: string) => {
    const path = `/contacts?email=${spelling}` // with the key in the header, the query goes out as written here
    return app.call('GET', path, { headers: { 'x-api-key': shop.apiKey } })
  }
  for (const [email, written] of Object.entries(spellings)) {
    for (const spelling of written) {
      const { status, body } = await find(spelling)
      assert.deepEqual([status, body.contactId], [200, ids.get(email)], spelling)
    }
  }
  await app.db.deleteFrom('contacts').where('email', '=', 'lead@example.com').execute()
  assert.equal((await find('+lead@example.com')).body.contactId, ids.get('+lead@example.com'))
  assertRefused(await find('ana++news@example.com'), 'CONTACT_NOT_FOUND')
})

test('of several contacts with one e-mail address the oldest is found', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const ids = []
  for (const firstName of ['one', 'two', 'three']) {
    const { body } = await shop.post('/contacts', { email: 'team@example.com', firstName })
    ids.push(body.id)
  }
  assert.equal((await shop.get('/contacts?email=team@example.com')).body.id, ids[0])

  const longAgo = new Date('2001-01-01T00:00:00Z')
  await app.db.updateTable('contacts').set({ createdAt: longAgo }).where('id', '=', ids[2]).execute()

  const { body } = await shop.get('/contacts?email=team@example.com')
  assert.deepEqual([body.id, body.createdAt], [ids[2], longAgo.toISOString()])
})

test('a lookup takes phoneNumber or email: both, neither or one twice is 400', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await shop.post('/contacts', { phone: '+15551234567', email: 'ana@example.com' })
  const refused = [
    ['phoneNumber=15551234567&email=ana@example.com', 'INVALID_REQUEST', /phoneNumber.*email/],
    ['', 'PHONE_OR_EMAIL_REQUIRED', /phoneNumber.*email/],
    ['phoneNumber=&email=', 'PHONE_OR_EMAIL_REQUIRED', /phoneNumber.*email/],
    ['phone=15551234567', 'PHONE_OR_EMAIL_REQUIRED', /phoneNumber.*email/],
    ['phoneNumber=15551234567&phoneNumber=15551234567', 'INVALID_REQUEST', /phoneNumber/],
    ['phoneNumber=&phoneNumber=15551234567', 'INVALID_REQUEST', /phoneNumber/],
    ['email=ana@example.com&email=bea@example.com', 'INVALID_REQUEST', /email/],
  ] as const
  for (const [query, code, says] of refused) {
    assertRefused(await shop.get(`/contacts?${query}`), code, { says, label: query })
  }
  for (const query of [
    'phoneNumber=15551234567&email=',
    'phoneNumber=&email=ana@example.com',
    'email=ana@example.com&x=1',
  ]) {
    assert.equal((await shop.get(`/contacts?${query}`)).status, 200, query)
  }
})

test('a lookup without a match is the same 404, also for a malformed value', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await shop.post('/contacts', { phone: '+15551234567', email: 'ana@example.com' })
  const values = [
    '%2B15557654321',
    'bea@example.com',
    'nonsense',
    '+',
    '%2B%2B1',
    '9991234567',
    '%00',
    'a%00@example.com',
  ]
  const odd = ['%F0%28', '%zz', '%ED%A0%80', '🌱', "'%20or%201=1%20--", '%25', '_@_._', 'null', `${'9'.repeat(5_000)}`]
  for (const value of [...values, ...odd]) {
    for (const name of ['phoneNumber', 'email', 'fromId']) {
      const answer = await shop.get(`/contacts?${name}=${value}`)
      assertRefused(answer, 'CONTACT_NOT_FOUND', { label: `${name}=${value}` })
      assert.equal(answer.body.error.message, 'There is no such contact.')
    }
  }
})

test('an id on the external platform is filled by POST and found by GET, never overwritten and never given twice', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const make = (fields: object) => account.post('/contacts', fields)
  const find = (query: string) => account.get(`/contacts?${query}`)
  const { body: known } = await make({ phone: '+447700900001' })
  const filled = await make({ phone: '+447700900001', fromId: ' Ana 1 ', firstName: 'Other' })
  assert.deepEqual([filled.status, filled.body], [200, known], 'the answer keeps its shape, and nothing else changes')
  assert.equal((await find(`fromId=${encodeURIComponent(' Ana 1 ')}`)).body.contactId, known.id)
  assert.equal((await find('fromId=Ana+1')).status, 404, 'it is compared exactly')
  assert.equal((await make({ phone: '+447700900001', fromId: ' Ana 1 ' })).status, 200)
  for (const fields of [
    { phone: '+447700900001', fromId: 'another' },
    { phone: '+447700900002', fromId: ' Ana 1 ' },
    { email: 'bo@example.com', fromId: ' Ana 1 ' },
    { phone: '+447700900001', fromId: 'x'.repeat(513) },
    { fromId: 'alone', phone: null },
  ]) {
    const { status, body } = await make(fields)
    assert.deepEqual([status, /fromId|phone and email/.test(body.error.message)], [400, true], JSON.stringify(body))
  }
  for (const fromId of [' ', '\t\n']) assert.equal((await make({ phone: '+447700900001', fromId })).status, 200)
  const blank = await make({ email: 'di@example.com', fromId: '  ' })
  const { externalId } = await app.db
    .selectFrom('contacts')
    .select('externalId')
    .where('id', '=', blank.body.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual([blank.status, externalId], [201, null], 'a blank one counts as not given')
  const made = await make({ email: 'cy@example.com', fromId: 'cy' })
  assert.equal(made.status, 201)
  assert.equal((await find('fromId=cy')).body.contact.email, 'cy@example.com')
  assert.equal((await find('fromId=cy&email=cy@example.com')).status, 400)
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, 3)
})
