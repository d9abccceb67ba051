import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { countRows, untilLockWait } from '../../helpers/rows.ts'

test('200 parallel creations of one phone in different spellings make one contact', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const spellings = ['+15551234567', '+1 555 123 4567', '001-555-123-4567', '+1 (555) 123.4567']

  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => shop.post('/contacts', { phone: spellings[index % spellings.length] })),
  )

  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 200).length, 199)
  for (const { body } of answers) assert.deepEqual(body, answers[0]?.body)
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, 1)
})

test('a new contact is answered by 201 with exactly the stored fields', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()

  const { status, body } = await shop.post('/contacts', {
    firstName: 'Ana',
    lastName: 'Silva 🌱',
    phone: '+15551234567',
    email: 'ana@example.com',
  })

  assert.equal(status, 201)
  const { id, createdAt, ...rest } = body
  assert.deepEqual(rest, { firstName: 'Ana', lastName: 'Silva 🌱', phone: '+15551234567', email: 'ana@example.com' })
  assert.match(id, /^con_[A-Za-z0-9_-]+$/)
  assert.equal(new Date(createdAt).toISOString(), createdAt)
  assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000)
  const [row, ...others] = await app.db.selectFrom('contacts').selectAll().execute()
  assert.deepEqual(row, {
    ...rest,
    id,
    createdAt: new Date(row?.createdAt ?? 0),
    accountId: shop.accountId,
    externalId: null,
    optedOutAt: null,
    optedOutBy: null,
    isSimulated: false,
    searchText: 'ana silva 🌱\nana@example.com\n\n+15551234567',
  })
  assert.equal(row.createdAt.toISOString(), createdAt)
  assert.deepEqual(others, [])
})

test('null, empty and missing values count as absent and are null in the answer', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const cases = [
    { email: 'a@example.com' },
    { email: 'b@example.com', phone: null, firstName: null, lastName: null },
    { email: 'c@example.com', phone: '', phoneNumber: '', firstName: '', lastName: '' },
  ]
  for (const given of cases) {
    const { status, body } = await shop.post('/contacts', given)
    assert.equal(status, 201)
    const { id, createdAt } = body
    assert.deepEqual(body, { id, firstName: null, lastName: null, phone: null, email: given.email, createdAt })
  }
  const { body } = await shop.post('/contacts', { phone: '+15551234567', email: '' })
  assert.equal(body.email, null)
})

test('a known phone number, in every spelling, returns its contact unchanged with 200', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const first = await shop.post('/contacts', { phone: '+442079460958', firstName: 'Ana' })

  for (const again of [
    { phone: '+442079460958', firstName: 'Bea', lastName: 'Other', email: 'bea@example.com' },
    { phone: '00442079460958' },
    { phone: ' +44 20 7946 0958 ' },
    { phone: '+44 (0)20-7946.0958' },
    { phoneNumber: '+44 20 7946–0958' },
    { phone: '', phoneNumber: '+442079460958' },
    { phone: '+442079460958', phoneNumber: '+15551234567' },
  ]) {
    const { status, body } = await shop.post('/contacts', again)
    assert.deepEqual({ status, body }, { status: 200, body: first.body }, JSON.stringify(again))
  }
  assert.deepEqual(await countRows(app), { contacts: 1, members: 0 })
})

test('an e-mail address is trimmed and lower-cased, and several contacts may share it', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()

  const one = await shop.post('/contacts', { email: '  Ana.Silva+News@Example.COM ' })
  const two = await shop.post('/contacts', { email: 'ana.silva+news@example.com' })

  assert.deepEqual([one.status, two.status], [201, 201])
  assert.equal(one.body.email, 'ana.silva+news@example.com')
  assert.equal(two.body.email, one.body.email)
  assert.notEqual(two.body.id, one.body.id)
})

test('a malformed phone number is INVALID_PHONE, also beside a valid e-mail address', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const bad = [
    '5551234567',
    '15551234567',
    '+9991234567',
    '+0123456789',
    '+155512',
    '+1555123456789012',
    'ring me',
    ' ',
  ]
  for (const phone of [...bad, '+1555CALLNOW', '+15551234567x9', '+15551234567;ext=9', '+', '00', '++15551234567']) {
    assertRefused(await shop.post('/contacts', { phone }), 'INVALID_PHONE', { says: /phone/, label: phone })
    const beside = await shop.post('/contacts', { phoneNumber: phone, email: 'ana@example.com' })
    assertRefused(beside, 'INVALID_PHONE', { says: /phone/, label: phone })
  }
  assert.deepEqual(await countRows(app), { contacts: 0, members: 0 })
})

test('a malformed e-mail address is INVALID_EMAIL, also beside a valid or a known phone number', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await shop.post('/contacts', { phone: '+15551234567' })
  const bad = ['ana', 'ana@', '@example.com', 'ana@example', 'a b@example.com', 'a@b@example.com', 'ana@example..com']
  const dressed = [
    '<ana@example.com>',
    'mailto:ana@example.com',
    'Ana<ana@example.com>',
    'ana@example.com>',
    '"ana"@example.com',
  ]
  const several = [
    'ana@example.com,',
    'ana;bea@example.com',
    'ana@example.com/path',
    '(ana)ana@example.com',
    'ana@[1.2.3.4]',
  ]
  const odd = ['ana@example.com\n.', ' ', `${'a'.repeat(250)}@example.com`]
  for (const email of [...bad, ...dressed, ...several, ...odd]) {
    assertRefused(await shop.post('/contacts', { email }), 'INVALID_EMAIL', { says: /email/, label: email })
    const beside = await shop.post('/contacts', { phone: '+15551234567', email })
    assertRefused(beside, 'INVALID_EMAIL', { says: /email/, label: email })
  }
  assert.deepEqual(await countRows(app), { contacts: 1, members: 0 })
})

test('neither phone nor e-mail is PHONE_OR_EMAIL_REQUIRED', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  for (const given of [{}, { firstName: 'Ana' }, { phone: '', email: null }, { phone: null, phoneNumber: '' }]) {
    const label = JSON.stringify(given)
    assertRefused(await shop.post('/contacts', given), 'PHONE_OR_EMAIL_REQUIRED', { says: /phone.*email/, label })
  }
})

test('unknown extra fields are ignored, and cannot set what the service assigns', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const extra = { id: 'con_mine', createdAt: '2001-01-01T00:00:00Z', accountId: 'acc_other', tags: [{ deep: [1] }] }

  const { status, body } = await shop.post('/contacts', { phone: '+15551234567', ...extra })

  assert.equal(status, 201)
  assert.deepEqual(Object.keys(body).sort(), ['createdAt', 'email', 'firstName', 'id', 'lastName', 'phone'])
  assert.notEqual(body.id, extra.id)
  assert.ok(Date.parse(body.createdAt) > Date.parse('2020-01-01'))
  const rows = await app.db.selectFrom('contacts').select('accountId').execute()
  assert.deepEqual(rows, [{ accountId: shop.accountId }])
})

test('a creation that waited for another one, which is rolled back, creates the contact itself', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const { promise: failing, reject: fail } = Promise.withResolvers<never>()
  const inserted = Promise.withResolvers<void>()
  const other = app.db.transaction().execute(async (tx) => {
    const row = { accountId: shop.accountId, id: 'con_never', phone: '+15551234567' } as const
    await tx.insertInto('contacts').values(row).execute()
    inserted.resolve()
    await failing
  })
  await inserted.promise

  const waiting = shop.post('/contacts', { phone: '+15551234567' })
  await untilLockWait(app)
  fail(new Error('rolled back'))

  await assert.rejects(other, /rolled back/)
  assert.equal((await waiting).status, 201)
})
