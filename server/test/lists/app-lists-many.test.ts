import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summarizeLists } from '../../src/lists/store.ts'
import { startApp } from '../helpers/harness.ts'
import { insertManyContacts } from '../helpers/many-contacts.ts'
import { scannedTables } from '../helpers/plans.ts'

test("lists are counted without reading other accounts' members and without reading contacts from end to end", async () => {
  await using app = await startApp()
  const [shop, large] = [await app.makeAccount(), await app.makeAccount()]
  await insertManyContacts(app, { ...shop, count: 1_000 })
  await insertManyContacts(app, { ...large, count: 9_000 })
  const scanned = await scannedTables(app, async (db) => {
    const [list] = await summarizeLists(db, shop.accountId)
    assert.deepEqual([list?.contacts, list?.optedOut], [1_000, 10])
  })
  assert.deepEqual(
    scanned.filter((table) => ['contacts', 'list_members'].includes(table)),
    [],
  )
})
