import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@patchbay/contract/limits.ts'
import { startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { countRows } from '../../helpers/rows.ts'

type World = { app: TestApp; shop: TestAccount; contactId: string } & AsyncDisposable

/** An account with one contact and one list, which no refused request may change. */
async function startWorld(): Promise<World> {
  const app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  const { body } = await shop.post('/contacts', { phone: '+442079460958', email: 'known@example.com' })
  return { app, shop, contactId: body.id, [Symbol.asyncDispose]: app[Symbol.asyncDispose] }
}

async function assertNothingStored({ app }: World): Promise<void> {
  assert.deepEqual(await countRows(app), { contacts: 1, members: 0 })
}

/** Each string field with its path, the rest of a request that would be served, and its limit in characters. */
function fieldsOf({ shop, contactId }: World) {
  const contact = { phone: '+15551234567' }
  return [
    { path: '/contacts', field: 'firstName', rest: contact, longest: limits.nameCharacters },
    { path: '/contacts', field: 'lastName', rest: contact, longest: limits.nameCharacters },
    { path: '/contacts', field: 'phone', rest: { email: 'ana@example.com' }, longest: limits.phoneCharacters },
    { path: '/contacts', field: 'phoneNumber', rest: contact, longest: limits.phoneCharacters },
    { path: '/contacts', field: 'email', rest: contact, longest: limits.idCharacters },
    { path: `/lists/${shop.listId}/contacts`, field: 'contactId', rest: { contactId }, longest: limits.idCharacters },
  ]
}

test('a value of the wrong type is refused in every field, with its name, and never coerced', async () => {
  await using world = await startWorld()
  const wrong: unknown[] = [0, 15551234567, -1.5, true, false, [], ['+15551234567'], {}, { toString: 'x' }, [null]]
  for (const { path, field, rest } of fieldsOf(world)) {
    for (const value of field === 'contactId' ? [...wrong, null] : wrong) {
      const answer = await world.shop.post(path, { ...rest, [field]: value })
      const label = `${field}: ${JSON.stringify(value)}`
      assertRefused(answer, 'INVALID_REQUEST', { says: new RegExp(`^${field} must be a string`), label })
    }
  }
  await assertNothingStored(world)
})

test('a missing required field is refused, with its name', async () => {
  await using world = await startWorld()
  const { shop } = world
  const path = `/lists/${shop.listId}/contacts`
  for (const body of [{}, { contactid: world.contactId }, { contact: world.contactId }, { id: world.contactId }]) {
    assertRefused(await shop.post(path, body), 'INVALID_REQUEST', { says: /contactId/, label: JSON.stringify(body) })
  }
  assertRefused(await shop.post('/contacts', {}), 'PHONE_OR_EMAIL_REQUIRED', { says: /phone.*email/ })
  assertRefused(await shop.get('/contacts'), 'PHONE_OR_EMAIL_REQUIRED', { says: /phoneNumber.*email/ })
  await assertNothingStored(world)
})

test('NUL and lone surrogates are refused in every field, with its name, also in unknown fields', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  const escapes = ['\\u0000', 'a\\u0000b', '\\ud83c', '\\udf31', 'a\\udf31\\ud83cb', '\\uD83C\\u0041']
  const unknown = [
    { path: '/contacts', field: 'tags.0', text: (value: string) => `{"phone":"+15551234567","tags":["${value}"]}` },
    { path: '/contacts', field: 'A field name', text: (value: string) => `{"phone":"+15551234567","${value}":1}` },
    { path: '/contacts', field: 'a.b', text: (value: string) => `{"phone":"+15551234567","a":{"b":"${value}"}}` },
  ]
  const known = fieldsOf(world).map(({ path, field, rest }) => ({
    path,
    field,
    text: (value: string) =>
      `${JSON.stringify({ ...rest, [field]: undefined }).replace('}', '')},"${field}":"${value}"}`.replace('{,', '{'),
  }))
  for (const { path, field, text } of [...known, ...unknown]) {
    for (const value of escapes) {
      const answer = await app.call('POST', path, { key: shop.apiKey, raw: text(value) })
      const says = new RegExp(field.replace('.0', '.*0'))
      assertRefused(answer, 'INVALID_REQUEST', { says, label: text(value) })
    }
  }
  await assertNothingStored(world)
})

test('a character written as escape sequences is stored as the character', async () => {
  await using world = await startWorld()
  const raw = '{"email":"ana@example.com","firstName":"\\ud83c\\udf31","lastName":"\\u0041\\n\\u0007"}'
  const { status, body } = await world.app.call('POST', '/contacts', { key: world.shop.apiKey, raw })
  assert.deepEqual([status, body.firstName, body.lastName], [201, '🌱', 'A\n\u0007'])
})

test('a field over its length limit is refused, with its name, and one at the limit is accepted', async () => {
  await using world = await startWorld()
  const { shop } = world
  for (const { path, field, rest, longest } of fieldsOf(world)) {
    for (const letter of ['1', '🌱']) {
      const over = await shop.post(path, { ...rest, [field]: letter.repeat(longest + 1) })
      assertRefused(over, 'INVALID_REQUEST', { says: new RegExp(`^${field}\\b.*${longest}`), label: field })
    }
    const huge = await shop.post(path, { ...rest, [field]: 'x'.repeat(200_000) })
    assertRefused(huge, 'INVALID_REQUEST', { says: new RegExp(field), label: field })
  }
  await assertNothingStored(world)

  const longest = '🌱'.repeat(limits.nameCharacters)
  const { status, body } = await shop.post('/contacts', {
    email: 'b@example.com',
    firstName: longest,
    lastName: longest,
  })
  assert.deepEqual([status, body.firstName, body.lastName], [201, longest, longest])
  const padded = await shop.post('/contacts', { phone: `+1555123${' '.repeat(limits.phoneCharacters - 12)}4567` })
  assert.deepEqual([padded.status, padded.body.phone], [201, '+15551234567'])
})

test('field names such as __proto__ and constructor are ordinary unknown fields, and change no prototype', async () => {
  await using world = await startWorld()
  const { app, shop, contactId } = world
  const before = Object.getOwnPropertyNames(Object.prototype).sort()
  const list = `/lists/${shop.listId}/contacts`
  const bodies = [
    ['/contacts', '{"__proto__":{"phone":"+15551234567","polluted":true}}', 'PHONE_OR_EMAIL_REQUIRED'],
    ['/contacts', '{"constructor":{"prototype":{"polluted":true,"email":"a@example.com"}}}', 'PHONE_OR_EMAIL_REQUIRED'],
    [
      '/contacts',
      '{"toString":1,"valueOf":null,"hasOwnProperty":"x","__defineGetter__":[]}',
      'PHONE_OR_EMAIL_REQUIRED',
    ],
    ['/contacts', '{"phone":{"__proto__":{"length":5}}}', 'INVALID_REQUEST'],
    ['/contacts', '{"phone":{"toString":"+15551234567"}}', 'INVALID_REQUEST'],
    [list, `{"__proto__":{"contactId":"${contactId}"}}`, 'INVALID_REQUEST'],
    [list, `{"constructor":{"contactId":"${contactId}"},"toString":"x"}`, 'INVALID_REQUEST'],
    [list, '{"contactId":"__proto__"}', 'CONTACT_NOT_FOUND'],
    [list, '{"contactId":"constructor"}', 'CONTACT_NOT_FOUND'],
    ['/lists/__proto__/contacts', `{"contactId":"${contactId}"}`, 'LIST_NOT_FOUND'],
    ['/lists/constructor/contacts', `{"contactId":"${contactId}"}`, 'LIST_NOT_FOUND'],
  ] as const
  for (const [path, raw, code] of bodies) {
    assertRefused(await app.call('POST', path, { key: shop.apiKey, raw }), code, { label: raw })
  }
  for (const query of [
    '__proto__=1',
    '__proto__[email]=a@b.c',
    'constructor=1&toString=2',
    'constructor.prototype.x=1',
  ]) {
    assertRefused(await shop.get(`/contacts?${query}`), 'PHONE_OR_EMAIL_REQUIRED', { label: query })
  }
  await assertNothingStored(world)

  const raw = '{"phone":"+15551234567","__proto__":{"firstName":"x"},"constructor":1,"toString":[]}'
  const { status, body } = await app.call('POST', '/contacts', { key: shop.apiKey, raw })
  assert.deepEqual([status, body.firstName], [201, null])
  assert.deepEqual(Object.getOwnPropertyNames(Object.prototype).sort(), before)
})
