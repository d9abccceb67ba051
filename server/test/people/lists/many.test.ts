import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../src/platform/ids.ts'
import { makeContact, startShop } from '../../helpers/app-contacts.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { insertManyContacts } from '../../helpers/many-contacts.ts'
import type { SignedIn } from '../../helpers/sessions.ts'

async function countOf(browser: SignedIn, listId: string): Promise<number> {
  const { body } = await browser.call('GET', '/api/lists')
  return body.lists.find(({ id }: { id: string }) => id === listId).contacts
}

test('many contacts are put on a list and taken off it, and the answer says what became of them', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  const contactIds: string[] = []
  for (let n = 0; n < 5; n += 1) contactIds.push(await makeContact(browser, { email: `p${n}@example.com` }))
  const path = `/api/lists/${shop.listId}/members`
  const add = (ids: string[]) => browser.call('POST', path, { contactIds: ids })
  assert.deepEqual((await add(contactIds.slice(0, 3))).body, { added: 3, already: 0, missing: 0 })
  const missing = [newId('con'), 'no id at all']
  assert.deepEqual((await add([...contactIds, ...contactIds, ...missing])).body, { added: 2, already: 3, missing: 2 })
  assert.equal(await countOf(browser, shop.listId), 5)
  const remove = (ids: string[]) => browser.call('POST', `${path}/remove`, { contactIds: ids })
  assert.deepEqual((await remove(contactIds.slice(1))).body, { removed: 4 })
  assert.deepEqual((await remove(contactIds)).body, { removed: 1 })
  assert.equal(await countOf(browser, shop.listId), 0)
})

test('all that a search finds are put on a list and taken off it, however many', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  const { body: other } = await browser.call('POST', '/api/lists', { name: 'Other' })
  await insertManyContacts(app, { ...shop, count: 3_500 })
  const post = (path: string, found: object) => browser.call('POST', `/api/lists/${other.id}/members${path}`, { found })
  assert.deepEqual((await post('', { q: 'last34' })).body, { added: 111, already: 0, missing: 0 })
  assert.deepEqual((await post('', {})).body, { added: 3_389, already: 111, missing: 0 })
  assert.deepEqual((await post('/remove', { q: 'last1', listId: other.id })).body, { removed: 1_111 })
  assert.equal(await countOf(browser, other.id), 2_389)
  assert.deepEqual((await post('/remove', { listId: other.id })).body, { removed: 2_389 })
  assert.equal(await countOf(browser, other.id), 0)
  assert.equal(await countOf(browser, shop.listId), 3_500)
})

test("another account's contacts and lists are as unknown as those that do not exist", async () => {
  await using app = await sharedApp()
  const [{ shop, browser }, rival] = [await startShop(app), await startShop(app)]
  const theirs = await makeContact(rival.browser, { email: 'p@example.com' })
  const own = await makeContact(browser, { email: 'p@example.com' })
  const post = (listId: string, body: object, path = '') =>
    browser.call('POST', `/api/lists/${listId}/members${path}`, body)
  assert.deepEqual((await post(shop.listId, { contactIds: [theirs] })).body, { added: 0, already: 0, missing: 1 })
  for (const path of ['', '/remove']) {
    for (const listId of [rival.shop.listId, newId('lst'), 'nonsense']) {
      assert.equal((await post(listId, { contactIds: [own] }, path)).body.error.code, 'LIST_NOT_FOUND')
      assert.equal((await post(shop.listId, { found: { listId } }, path)).body.error.code, 'LIST_NOT_FOUND')
    }
    assert.equal((await post(shop.listId, {}, path)).status, 400)
    assert.equal((await post(shop.listId, { contactIds: [own], found: {} }, path)).status, 400)
  }
  assert.equal((await rival.browser.call('GET', '/api/contacts?limit=1')).body.contacts[0].lists.length, 0)
})
