import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { Client } from 'pg'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { countReports } from '../../../src/app/reports/count-reports.ts'
import { secretKey, sharedApp, type TestApp } from '../../helpers/harness.ts'
import { readCounted, recount } from '../../helpers/report-recount.ts'
import { addAnswer, addContact, addMessage, openReportWorld, timeOf } from '../../helpers/report-world.ts'
import { makeOlder, removeCounted } from '../../helpers/retention.ts'
import { columnsWith } from '../../helpers/words.ts'

/** A shop with some messages of yesterday. */
async function startShop(app: TestApp) {
  const { accountId } = await app.makeAccount()
  const world = openReportWorld(app.db, accountId)
  const [ana, ben] = [await addContact(world), await addContact(world)]
  for (const contactId of [ana, ben]) {
    const channel = contactId === ana ? 'kazoo' : 'web'
    await addMessage(world, { contactId, channel, author: 'contact' })
    await addAnswer(world, contactId, 'fell back')
    world.clock += 4_000
    await addMessage(world, { contactId, channel, author: 'bot', arrivesAfter: 150 })
    await addMessage(world, { contactId, channel, author: 'contact' })
    world.clock += 60_000
  }
  await addMessage(world, { contactId: ben, channel: 'web', author: 'person' })
  return { world, accountId, ana, ben }
}

/** A round of the retention that counts nothing itself. */
const remove = (app: TestApp) => removeCounted(app.db, { messages: 10, answers: 10 })

const countOf = async (app: TestApp, table: 'messages' | 'answers' | 'deliveries') =>
  (await app.db.selectFrom(table).select('accountId').execute()).length

test('nothing is removed before it is counted, and what was counted stays when it is removed', async () => {
  await using app = await sharedApp()
  const { accountId } = await startShop(app)
  await makeOlder(app.db, 20)
  await sql`update deliveries set due_at = null, error_category = 'timeout' where sent_at is null`.execute(app.db)
  for (let round = 0; round < 2; round += 1) await remove(app)
  assert.deepEqual([await countOf(app, 'messages'), await countOf(app, 'answers')], [7, 2])
  await countReports(app.db)
  const before = await readCounted(app.db, accountId)
  assert.deepEqual(before, await recount(app.db, accountId, 'UTC'))
  // One that was given up is sent again; as long as the sums do not know it, its message stays.
  await sql`update deliveries set sent_at = now(), error_category = null where error_category is not null`.execute(
    app.db,
  )
  for (let round = 0; round < 2; round += 1) await remove(app)
  assert.deepEqual([await countOf(app, 'messages'), await countOf(app, 'answers')], [1, 0])
  await countReports(app.db)
  const after = await readCounted(app.db, accountId)
  for (let round = 0; round < 2; round += 1) await remove(app)
  assert.equal(await countOf(app, 'messages'), 0)
  assert.deepEqual(
    Object.values(after).map(({ failed }) => failed),
    [0, 0, 0],
  )
  // A reply to what was removed answers nothing, and a new zone changes only where days begin.
  await countReports(app.db)
  assert.deepEqual(await readCounted(app.db, accountId), after)
  await app.db.updateTable('accounts').set({ timeZone: 'Asia/Kathmandu' }).execute()
  await countReports(app.db)
  const sum = (figures: Record<string, { messagesIn: number; botConversations: number }>) =>
    Object.values(figures).reduce((all, { messagesIn, botConversations }) => all + messagesIn + botConversations, 0)
  assert.equal(sum(await readCounted(app.db, accountId)), sum(after))
})

test('sums of an erased contact stay, without its id and without the name of a channel that only it had', async () => {
  await using app = await sharedApp()
  const { accountId, ana, ben } = await startShop(app)
  await countReports(app.db)
  assert.ok((await columnsWith(app, ['kazoo'])).includes('report_channels.label'))
  const all = async () => Object.entries(await readCounted(app.db, accountId)).filter(([key]) => key.endsWith(' all'))
  const before = (await all()).find(([, { messagesIn }]) => messagesIn === 4)
  await eraseContact({ db: app.db, secretKey }, { accountId, contactId: ana })
  assert.deepEqual(await columnsWith(app, ['kazoo']), [])
  assert.deepEqual(await columnsWith(app, [ana]), ['audit_events.details'])
  assert.ok((await columnsWith(app, [ben])).includes('report_marks.contact_id'), 'another contact keeps its mark')
  await countReports(app.db)
  assert.deepEqual(
    (await all()).find(([, { messagesIn }]) => messagesIn === 4),
    before,
  )
})

test('a message that is committed late is counted, and so is an answer', async () => {
  await using app = await sharedApp()
  const { world, accountId, ana } = await startShop(app)
  world.clock = Date.now()
  await using held = await holdTransaction(app)
  await held.query(`update conversations set last_seq = last_seq + 1, active_at = now(), active_step = activity_step(now())
    where contact_id = '${ana}'`)
  await held.query(`insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel)
    values ('${accountId}', 'msg_late', '${ana}', 4, 'incoming', 'contact', 'text', 'received', 'late', 'web')`)
  await held.query(`insert into answers (account_id, contact_id, from_seq, to_seq, outcome, reason)
    values ('${accountId}', '${ana}', 4, 4, 'handed over', 'requested')`)
  await addAnswer(world, ana, 'offered')
  await countReports(app.db)
  await held.query('commit')
  await countReports(app.db, { now: timeOf(world, 60_000) })
  assert.deepEqual(await readCounted(app.db, accountId), await recount(app.db, accountId, 'UTC'))
})

async function holdTransaction(app: TestApp) {
  const client = new Client(app.database.address)
  await client.connect()
  await client.query('begin')
  return { query: (text: string) => client.query(text), [Symbol.asyncDispose]: () => client.end() }
}

test('a batch that dies at its end has counted nothing, and is counted once by the next', async () => {
  await using app = await sharedApp()
  const { accountId } = await startShop(app)
  await sql`create function die() returns trigger language plpgsql as 'begin raise exception ''killed''; end'`.execute(
    app.db,
  )
  await sql`create trigger dies before insert on report_dirty_days for each statement execute function die()`.execute(
    app.db,
  )
  await assert.rejects(countReports(app.db), /killed/)
  assert.equal(
    (await sql`select from report_marks union all select from report_quarters`.execute(app.db)).rows.length,
    0,
  )
  await sql`drop trigger dies on report_dirty_days`.execute(app.db)
  await Promise.all([countReports(app.db), countReports(app.db), countReports(app.db)])
  await countReports(app.db)
  assert.deepEqual(await readCounted(app.db, accountId), await recount(app.db, accountId, 'UTC'))
})

test('a long conversation, and more conversations than one look finds, are counted to their end', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  const world = openReportWorld(app.db, accountId)
  const long = await addContact(world)
  for (let n = 0; n < 410; n += 1) {
    world.clock += 1_000
    await addMessage(world, {
      contactId: long,
      channel: 'web',
      author: n % 3 === 2 ? 'api' : 'contact',
      arrivesAfter: 20,
    })
  }
  for (let n = 0; n < 220; n += 1) {
    await addMessage(world, { contactId: await addContact(world), channel: 'sms', author: 'contact' })
  }
  await countReports(app.db, { now: timeOf(world, 1_000) })
  const [one] = await app.db
    .selectFrom('reportAccounts')
    .select('caughtUpAt')
    .where('accountId', '=', accountId)
    .execute()
  assert.notEqual(one?.caughtUpAt, null)
  assert.deepEqual(await readCounted(app.db, accountId), await recount(app.db, accountId, 'UTC'))
})
