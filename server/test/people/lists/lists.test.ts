import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../src/platform/ids.ts'
import { sharedApp, type TestAccount } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { countRows, untilLockWait } from '../../helpers/rows.ts'

async function makeContact(account: TestAccount): Promise<string> {
  const { body } = await account.post('/contacts', { phone: '+15551234567' })
  return body.id
}

test('adding a contact to a list returns list, contact and a confirmation, and stores the membership', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const contactId = await makeContact(shop)

  const { status, body } = await shop.post(`/lists/${shop.listId}/contacts`, { contactId, extra: 'ignored' })

  assert.equal(status, 200)
  assert.deepEqual(body, { success: true, listId: shop.listId, contactId, message: body.message })
  assert.match(body.message, /\w/)
  const members = await app.db.selectFrom('listMembers').select(['accountId', 'listId', 'contactId']).execute()
  assert.deepEqual(members, [{ accountId: shop.accountId, listId: shop.listId, contactId }])
})

test('adding twice gives the same answer and changes nothing', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const contactId = await makeContact(shop)
  const first = await shop.post(`/lists/${shop.listId}/contacts`, { contactId })
  const before = await app.db.selectFrom('listMembers').selectAll().execute()

  const second = await shop.post(`/lists/${shop.listId}/contacts`, { contactId })

  assert.deepEqual([second.status, second.body], [first.status, first.body])
  assert.deepEqual(await app.db.selectFrom('listMembers').selectAll().execute(), before)
})

test('100 parallel adds of one contact make one membership', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const contactId = await makeContact(shop)

  const answers = await Promise.all(
    Array.from({ length: 100 }, () => shop.post(`/lists/${shop.listId}/contacts`, { contactId })),
  )

  for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]?.body])
  assert.deepEqual(await countRows(app), { contacts: 1, members: 1 })
})

test("another account's list or contact gets the same answer as one that does not exist", async () => {
  await using app = await sharedApp()
  const [shop, rival] = [await app.makeAccount(), await app.makeAccount()]
  const [own, foreign] = [await makeContact(shop), await makeContact(rival)]
  const add = async (listId: string, contactId: string) => shop.post(`/lists/${listId}/contacts`, { contactId })

  const noList = await add(newId('lst'), own)
  const noContact = await add(shop.listId, newId('con'))

  assertRefused(noList, 'LIST_NOT_FOUND', { says: /list/ })
  assertRefused(noContact, 'CONTACT_NOT_FOUND', { says: /contact/ })
  assert.deepEqual((await add(rival.listId, own)).body, noList.body)
  assert.deepEqual((await add(rival.listId, foreign)).body, (await add(newId('lst'), newId('con'))).body)
  assert.deepEqual((await add(shop.listId, foreign)).body, noContact.body)
  assert.deepEqual(await countRows(app), { contacts: 2, members: 0 })
})

test('a malformed id gets the same answer as an unknown one', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const contactId = await makeContact(shop)
  const shout = (id: string) => `${id.slice(0, 4)}${id.slice(4).toUpperCase()}`
  const odd = ['x', '1', 'null', '🌱', 'lst_', 'con_', `${contactId}x`, contactId.slice(0, -1), ` ${contactId}`]
  const texts = [...odd, "' or 1=1 --", shout(contactId), `${contactId}\n`, 'a/b', 'x'.repeat(90)]
  for (const text of [...texts, shop.listId, 'x'.repeat(512)]) {
    const answer = await shop.post(`/lists/${shop.listId}/contacts`, { contactId: text })
    assertRefused(answer, 'CONTACT_NOT_FOUND', { label: text })
  }
  for (const text of [...texts, contactId, '\0', '%', shout(shop.listId)]) {
    const answer = await shop.post(`/lists/${encodeURIComponent(text)}/contacts`, { contactId })
    assertRefused(answer, 'LIST_NOT_FOUND', { label: text })
  }
  assert.deepEqual(await countRows(app), { contacts: 1, members: 0 })
})

test('a list id of any length is an unknown list, and requires a key', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const contactId = await makeContact(shop)
  for (const length of [101, 512, 3_000]) {
    const path = `/lists/lst_${'a'.repeat(length - 4)}/contacts`
    assertRefused(await app.call('POST', path, { body: { contactId } }), 'UNAUTHORIZED', { label: `${length} long` })
    assertRefused(await shop.post(path, { contactId }), 'LIST_NOT_FOUND', { label: `${length} long` })
  }
})

test('contactId is required, a string, and not blank; a refused request stores nothing', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const contactId = await makeContact(shop)
  const wrong = [undefined, null, '', ' ', '\t\n', '\u00a0', '\u3000', 1, true, [contactId], { id: contactId }]
  for (const value of wrong) {
    const answer = await shop.post(`/lists/${shop.listId}/contacts`, { contactId: value })
    assertRefused(answer, 'INVALID_REQUEST', { says: /contactId/, label: JSON.stringify(value) })
  }
  assert.deepEqual(await countRows(app), { contacts: 1, members: 0 })
})

for (const [table, code] of [
  ['contacts', 'CONTACT_NOT_FOUND'],
  ['lists', 'LIST_NOT_FOUND'],
] as const) {
  test(`an add during the deletion of its row in ${table} is 404, not 500`, async () => {
    await using app = await sharedApp()
    const shop = await app.makeAccount()
    const contactId = await makeContact(shop)

    const answer = await app.db.transaction().execute(async (tx) => {
      await tx.deleteFrom(table).execute()
      const adding = shop.post(`/lists/${shop.listId}/contacts`, { contactId })
      await untilLockWait(app)
      return { adding } // an object, so that the transaction does not wait for the answer
    })

    assertRefused(await answer.adding, code)
    assert.equal((await countRows(app)).members, 0)
  })
}
