import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { summarizeLists } from '../../../src/people/lists/store.ts'
import { sharedApp, startApp } from '../../helpers/harness.ts'
import { insertManyContacts } from '../../helpers/many-contacts.ts'
import { readsOf, stopAutovacuum } from '../../helpers/plans.ts'
import { signIn } from '../../helpers/sessions.ts'

const tables = ['contacts', 'list_members']

test('lists are counted without reading their members, and without reading contacts from end to end', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  const [shop, large] = [await app.makeAccount(), await app.makeAccount()]
  await insertManyContacts(app, { ...shop, count: 1_000 })
  await insertManyContacts(app, { ...large, count: 9_000 })
  const reads = await readsOf(app, async (db) => {
    const [list] = await summarizeLists(db, shop.accountId)
    assert.deepEqual([list?.contacts, list?.optedOut], [1_000, 10])
  })
  const mostRows = 100
  assert.deepEqual(
    reads.filter(({ table, isWhole, rows }) => tables.includes(table) && (isWhole || rows > mostRows)),
    [],
  )
})

test('the count of a list is that of its members, whoever adds, removes, erases and deletes at once', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  const made = await Promise.all([1, 2].map((n) => browser.call('POST', '/api/lists', { name: `List ${n}` })))
  const [first, second] = made.map(({ body }) => body.id)
  const ids = (await insertManyContacts(app, { ...shop, count: 40 })).slice(0, 24)
  const change = (method: string, list: string, id: string) => browser.call(method, `/api/contacts/${id}/lists/${list}`)
  await Promise.all(
    ids.flatMap((id) => [change('PUT', first, id), change('PUT', first, id), change('PUT', second, id)]),
  )
  await Promise.all([
    ...ids.slice(0, 8).map((id) => change('DELETE', first, id)),
    ...ids.slice(4, 12).map((id) => browser.call('DELETE', `/api/contacts/${id}`)),
    browser.call('DELETE', `/api/lists/${second}`),
  ])
  const counted = (await browser.call('GET', '/api/lists')).body.lists
  assert.deepEqual(
    counted.map(({ id, contacts }: { id: string; contacts: number }) => [id, contacts]),
    [
      [shop.listId, 32],
      [first, 12],
    ],
  )
  for (const { id, contacts } of counted) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::integer as n from list_members where list_id = ${id}`.execute(app.db)
    assert.equal(contacts, rows[0]?.n)
  }
})
