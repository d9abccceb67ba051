import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openPlace } from '../../../src/app/reports/count/round.ts'
import { countReports } from '../../../src/app/reports/count-reports.ts'
import type { Listener } from '../../../src/platform/notify/listen.ts'
import { openNotedConversations } from '../../../src/platform/notify/noted-conversations.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { addContact, addMessage, openReportWorld } from '../../helpers/report-world.ts'

const silent: Listener = { listen: () => () => {}, notify: async () => {}, stop: async () => {} }

const countedOf = async ({ db }: TestApp) =>
  (await db.selectFrom('reportQuarters').select('accountId').distinct().execute()).map(({ accountId }) => accountId)

test('accounts are counted that were noted lately, and all when everything is looked through', async () => {
  await using app = await sharedApp()
  const worlds = await Array.fromAsync({ length: 2 }, async () => {
    const { accountId } = await app.makeAccount()
    return openReportWorld(app.db, accountId)
  })
  const [noted, place] = [openNotedConversations(silent), openPlace()]
  noted.take() // from now on it is noted what to look at
  for (const world of worlds) {
    await addMessage(world, { contactId: await addContact(world), channel: 'web', author: 'contact' })
  }
  const [one, other] = worlds.map(({ accountId }) => accountId)
  assert.ok(one && other)
  await countReports(app.db, { noted, place })
  assert.deepEqual(await countedOf(app), [])
  noted.note(one, undefined)
  await countReports(app.db, { noted, place })
  assert.deepEqual(await countedOf(app), [one])
  noted.noteAll()
  await countReports(app.db, { noted, place })
  assert.deepEqual((await countedOf(app)).sort(), [one, other].sort())
})

test('what a round has found and not reached is counted by the next ones, however long that takes', async () => {
  await using app = await sharedApp()
  for (let n = 0; n < 3; n += 1) {
    const { accountId } = await app.makeAccount()
    const world = await openReportWorld(app.db, accountId)
    await addMessage(world, { contactId: await addContact(world), channel: 'web', author: 'contact' })
  }
  const [noted, place] = [openNotedConversations(silent), openPlace()]
  for (let round = 1; round <= 3; round += 1) {
    await countReports(app.db, { noted, place, roundMs: 0 })
    place.noted.clear() // as if they had been noted long ago
    assert.equal((await countedOf(app)).length, round)
  }
})

test('a quiet account does not pass again what was active before', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  const world = await openReportWorld(app.db, accountId)
  await addMessage(world, { contactId: await addContact(world), channel: 'web', author: 'contact' })
  await countReports(app.db)
  await sql`update report_accounts set counted_to = '-infinity'`.execute(app.db)
  await countReports(app.db)
  const { rows } = await sql<{ isRecent: boolean }>`
    select counted_to >= now() - interval '3 minutes' as is_recent from report_accounts
  `.execute(app.db)
  assert.deepEqual(rows, [{ isRecent: true }])
})
