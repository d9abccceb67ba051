import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openPlace } from '../../../src/app/reports/count/round.ts'
import { countReports } from '../../../src/app/reports/count-reports.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import type { Listener } from '../../../src/platform/notify/listen.ts'
import { openNotedConversations } from '../../../src/platform/notify/noted-conversations.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { readCounted, recount } from '../../helpers/report-recount.ts'
import { addContact, addMessage, makeActive, openReportWorld, type ReportWorld } from '../../helpers/report-world.ts'

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

/** An account with conversations of one message each, of which the first was counted before. */
async function openCounted(app: TestApp, conversations: number): Promise<{ world: ReportWorld; named: ContactId[] }> {
  const { accountId } = await app.makeAccount()
  const world = openReportWorld(app.db, accountId)
  await addMessage(world, { contactId: await addContact(world), channel: 'web', author: 'contact' })
  await countReports(app.db)
  const named = await Array.fromAsync({ length: conversations }, () => addContact(world))
  for (const contactId of named) await addMessage(world, { contactId, channel: 'web', author: 'contact' })
  return { world, named }
}

const markedOf = async ({ db }: TestApp) =>
  new Set((await db.selectFrom('reportMarks').select('contactId').execute()).map(({ contactId }) => contactId))

test('conversations that were named are counted without looking for others, and those when everything is looked through', async () => {
  await using app = await sharedApp()
  const { world, named } = await openCounted(app, 3)
  const [one, other, unsaid] = named
  assert.ok(one && other && unsaid)
  const [noted, place] = [openNotedConversations(silent), openPlace()]
  noted.take()
  noted.note(world.accountId, [one])
  noted.note(world.accountId, [other])
  await countReports(app.db, { noted, place })
  const marked = await markedOf(app)
  assert.deepEqual(
    [one, other, unsaid].map((id) => marked.has(id)),
    [true, true, false],
  )
  await makeActive(world)
  noted.noteAll()
  await countReports(app.db, { noted, place })
  assert.ok((await markedOf(app)).has(unsaid))
  assert.deepEqual(await readCounted(app.db, world.accountId), await recount(app.db, world.accountId, 'UTC'))
})

test('an account that is counted for the first time is looked through, whatever was named', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  const world = openReportWorld(app.db, accountId)
  const contacts = [await addContact(world), await addContact(world)]
  for (const contactId of contacts) await addMessage(world, { contactId, channel: 'web', author: 'contact' })
  const [noted, place] = [openNotedConversations(silent), openPlace()]
  noted.take()
  noted.note(accountId, contacts.slice(0, 1))
  await countReports(app.db, { noted, place })
  assert.deepEqual(await markedOf(app), new Set(contacts))
})

test('what was named and cannot be counted is counted later: another process has the account, the round is over, or it fails', async () => {
  await using app = await sharedApp()
  const { world, named } = await openCounted(app, 1_100)
  const { accountId } = world
  const [noted, place] = [openNotedConversations(silent), openPlace()]
  noted.take()
  noted.note(accountId, named)
  const left = async () => new Set(named).difference(await markedOf(app)).size
  await app.db.transaction().execute(async (tx) => {
    await sql`select from report_accounts where account_id = ${accountId} for update`.execute(tx)
    await countReports(app.db, { noted, place })
  })
  assert.equal(await left(), 1_100)
  await sql`alter table report_marks add constraint fails check (seq < 1) not valid`.execute(app.db)
  await assert.rejects(countReports(app.db, { noted, place }), /fails/)
  await sql`alter table report_marks drop constraint fails`.execute(app.db)
  for (const expected of [600, 100, 0]) {
    await countReports(app.db, { noted, place, roundMs: 0 })
    assert.equal(await left(), expected)
  }
  assert.deepEqual(place.changed, new Map())
  assert.deepEqual(await readCounted(app.db, accountId), await recount(app.db, accountId, 'UTC'))
})

test('what is named and has nothing new to count, such as a conversation that was assigned, writes nothing', async () => {
  await using app = await sharedApp()
  const { world, named } = await openCounted(app, 1)
  const [noted, place] = [openNotedConversations(silent), openPlace()]
  noted.take()
  noted.note(world.accountId, named)
  await countReports(app.db, { noted, place })
  const read = () => sql<{ xmin: string }>`select xmin::text from report_accounts`.execute(app.db)
  const { rows: before } = await read()
  await sql`create function die() returns trigger language plpgsql as 'begin raise exception ''written''; end'`.execute(
    app.db,
  )
  await sql`create trigger dies before update on report_marks for each row execute function die()`.execute(app.db)
  noted.note(world.accountId, named)
  await countReports(app.db, { noted, place })
  assert.deepEqual([(await read()).rows, place.changed.size], [before, 0])
})
