import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../src/platform/ids.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { countRows, untilLockWait } from '../../helpers/rows.ts'
import { signIn } from '../../helpers/sessions.ts'

async function startShop(app: TestApp) {
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  const { contact } = (await browser.call('POST', '/api/contacts', { email: 'ana@example.com' })).body
  return { shop, browser, contactId: contact.id as string, member: `/api/contacts/${contact.id}/lists/${shop.listId}` }
}

test('a list is created, renamed and deleted, and its contacts stay', async () => {
  await using app = await sharedApp()
  const { shop, browser, contactId } = await startShop(app)

  const { body: made } = await browser.call('POST', '/api/lists', { name: ' Spring ' })
  assert.deepEqual(made, { id: made.id, name: 'Spring', contacts: 0, optedOut: 0, createdAt: made.createdAt })
  assert.equal((await shop.post(`/lists/${made.id}/contacts`, { contactId })).status, 200)
  const { body: renamed } = await browser.call('PATCH', `/api/lists/${made.id}`, { name: 'Summer' })
  assert.deepEqual(renamed, { ...made, name: 'Summer', contacts: 1 })
  await app.db.updateTable('contacts').set({ optedOutAt: new Date(), optedOutBy: 'contact' }).execute()
  const { lists } = (await browser.call('GET', '/api/lists')).body
  assert.deepEqual(lists, [
    { id: shop.listId, name: 'Customers', contacts: 0, optedOut: 0, createdAt: lists[0].createdAt },
    { ...renamed, optedOut: 1 },
  ])

  assert.deepEqual((await browser.call('DELETE', `/api/lists/${made.id}`)).body, { done: true })
  assertRefused(await browser.call('DELETE', `/api/lists/${made.id}`), 'LIST_NOT_FOUND')
  assertRefused(await shop.post(`/lists/${made.id}/contacts`, { contactId }), 'LIST_NOT_FOUND')
  assert.deepEqual(await countRows(app), { contacts: 1, members: 0 })
})

test('a name that is blank or too long is refused, and the list keeps its own', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  for (const name of [undefined, null, '', '  ', 'x'.repeat(257), 1]) {
    assertRefused(await browser.call('POST', '/api/lists', { name }), 'INVALID_REQUEST', { says: /name/ })
    assertRefused(await browser.call('PATCH', `/api/lists/${shop.listId}`, { name }), 'INVALID_REQUEST')
  }
  const { lists } = (await browser.call('GET', '/api/lists')).body
  assert.deepEqual(
    lists.map(({ name }: { name: string }) => name),
    ['Customers'],
  )
})

test('adding and removing a member twice is the same as once', async () => {
  await using app = await sharedApp()
  const { browser, member } = await startShop(app)
  for (const [method, members] of [
    ['PUT', 1],
    ['PUT', 1],
    ['DELETE', 0],
    ['DELETE', 0],
  ] as const) {
    assert.deepEqual((await browser.call(method, member)).body, { done: true })
    assert.equal((await countRows(app)).members, members)
  }
})

test("another account's list and contact are as unknown as those that do not exist", async () => {
  await using app = await sharedApp()
  const { shop, browser, contactId } = await startShop(app)
  const rival = await startShop(app)
  await rival.browser.call('PUT', rival.member)
  for (const method of ['PUT', 'DELETE']) {
    for (const listId of [rival.shop.listId, newId('lst'), 'x', '%00']) {
      assertRefused(await browser.call(method, `/api/contacts/${contactId}/lists/${listId}`), 'LIST_NOT_FOUND')
    }
    for (const id of [rival.contactId, newId('con'), 'x']) {
      assertRefused(await browser.call(method, `/api/contacts/${id}/lists/${shop.listId}`), 'CONTACT_NOT_FOUND')
    }
    const both = `/api/contacts/${rival.contactId}/lists/${rival.shop.listId}`
    assertRefused(await browser.call(method, both), 'LIST_NOT_FOUND')
  }
  for (const listId of [rival.shop.listId, newId('lst'), 'x']) {
    assertRefused(await browser.call('PATCH', `/api/lists/${listId}`, { name: 'Mine' }), 'LIST_NOT_FOUND')
    assertRefused(await browser.call('DELETE', `/api/lists/${listId}`), 'LIST_NOT_FOUND')
  }
  const { lists } = (await rival.browser.call('GET', '/api/lists')).body
  assert.deepEqual([lists.length, lists[0].name, lists[0].contacts], [1, 'Customers', 1])
})

test('an add while the list is being deleted is refused and leaves no member', async () => {
  await using app = await sharedApp()
  const { browser, member } = await startShop(app)
  const { adding } = await app.db.transaction().execute(async (tx) => {
    await tx.deleteFrom('lists').execute()
    const adding = browser.call('PUT', member)
    await untilLockWait(app)
    return { adding }
  })
  assertRefused(await adding, 'LIST_NOT_FOUND')
  assert.equal((await countRows(app)).members, 0)
})

test('lists deleted and filled at once end without members of a list that is gone, and without an error of ours', async () => {
  await using app = await sharedApp()
  const { browser, contactId } = await startShop(app)
  for (let round = 0; round < 5; round += 1) {
    const { id } = (await browser.call('POST', '/api/lists', { name: 'Short' })).body
    const adds = Array.from({ length: 8 }, () => browser.call('PUT', `/api/contacts/${contactId}/lists/${id}`))
    const removed = browser.call('DELETE', `/api/lists/${id}`)
    assert.equal((await removed).status, 200)
    for (const { status } of await Promise.all(adds)) assert.ok(status === 200 || status === 404, String(status))
  }
  assert.equal((await countRows(app)).members, 0)
})
