import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { findDueAccounts } from '../../../src/app/reports/count/due-store.ts'
import { lateSeconds, openPlace } from '../../../src/app/reports/count/round.ts'
import { countReports } from '../../../src/app/reports/count-reports.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { readCounted, recount } from '../../helpers/report-recount.ts'
import {
  addContact,
  addMessage,
  makeActive,
  openReportWorld,
  type ReportWorld,
  settleDelivery,
} from '../../helpers/report-world.ts'

/** Accounts with messages, in the order in which they take turns. */
async function openWorlds(app: TestApp, count: number): Promise<ReportWorld[]> {
  const worlds = await Array.fromAsync({ length: count }, async () => {
    const { accountId } = await app.makeAccount()
    return openReportWorld(app.db, accountId)
  })
  for (const world of worlds) {
    await addMessage(world, { contactId: await addContact(world), channel: 'web', author: 'contact' })
  }
  return worlds.sort((one, other) => (one.accountId < other.accountId ? -1 : 1))
}

const isCounted = async ({ db, accountId }: ReportWorld) =>
  (await db.selectFrom('reportQuarters').select('accountId').where('accountId', '=', accountId).execute()).length > 0

test('a round that is over is continued by the next, after the account that was last', async () => {
  await using app = await sharedApp()
  const worlds = await openWorlds(app, 4)
  const [place, seen]: [ReturnType<typeof openPlace>, boolean[][]] = [openPlace(), []]
  for (let round = 0; round < 4; round += 1) {
    await countReports(app.db, { roundMs: 0, place })
    seen.push(await Promise.all(worlds.map(isCounted)))
    // The first account has more at once, and waits for its turn.
    const [first] = worlds
    if (first) await addMessage(first, { contactId: await addContact(first), channel: 'web', author: 'contact' })
  }
  assert.deepEqual(seen, [
    [true, false, false, false],
    [true, true, false, false],
    [true, true, true, false],
    [true, true, true, true],
  ])
})

test('how far an account is counted stays before a conversation that is not, also in a step that is not over', async () => {
  await using app = await sharedApp()
  const [world] = await openWorlds(app, 1)
  assert.ok(world)
  const { accountId } = world
  const addOne = async () =>
    addMessage(world, { contactId: await addContact(world), channel: 'web', author: 'contact' })
  await Promise.all(Array.from({ length: 549 }, addOne))
  // So long ago that only what is not counted keeps the time from moving on.
  await sql`
    update conversations set active_at = now() - interval '5 minutes', active_step = activity_step(now())
    where account_id = ${accountId}
  `.execute(app.db)
  const seen: unknown[] = []
  for (let round = 0; round < 2; round += 1) {
    await countReports(app.db, { roundMs: 0 })
    const { rows } = await sql`
      select (select count(*)::integer from report_marks where account_id = ${accountId}) as counted,
        counted_to > now() - interval '5 minutes' as is_past
      from report_accounts where account_id = ${accountId}
    `.execute(app.db)
    seen.push(...rows)
  }
  assert.deepEqual(seen, [
    { counted: 500, isPast: false },
    { counted: 550, isPast: true },
  ])
})

test('an account that cannot be counted does not hold up the others', async () => {
  await using app = await sharedApp()
  const worlds = await openWorlds(app, 3)
  await sql`create function die() returns trigger language plpgsql as 'begin raise exception ''broken''; end'`.execute(
    app.db,
  )
  await sql`
    create trigger dies before insert on report_quarters for each row when (new.account_id = ${sql.lit(worlds[0]?.accountId)})
    execute function die()
  `.execute(app.db)
  const place = openPlace()
  await assert.rejects(countReports(app.db, { place }), /broken/)
  await countReports(app.db, { place, roundMs: 0 })
  await countReports(app.db, { place, roundMs: 0 })
  assert.deepEqual(await Promise.all(worlds.map(isCounted)), [false, true, true])
  const before = lateSeconds(place)
  await assert.rejects(countReports(app.db, { place }), /broken/)
  assert.deepEqual([...place.waiting.keys()], [worlds[0]?.accountId])
  assert.ok(before > 0 && lateSeconds(place) > before, 'the time since it was found first')
  await sql`drop trigger dies on report_quarters`.execute(app.db)
  await countReports(app.db, { place })
  assert.equal(lateSeconds(place), 0)
})

test('a message that nobody answers is counted without reading or writing those that wait already', async () => {
  await using app = await sharedApp()
  const [world] = await openWorlds(app, 1)
  assert.ok(world)
  const contactId = await addContact(world)
  const ask = async () => {
    await addMessage(world, { contactId, channel: 'web', author: 'contact' })
    world.clock += 15 * 60_000
    await makeActive(world)
  }
  for (let n = 0; n < 20; n += 1) await ask()
  const waiting = () =>
    sql<{ quarter: Date; ctid: string; xmin: string }>`
      select quarter, ctid::text, xmin::text from report_waiting where contact_id = ${contactId} order by quarter
    `.execute(app.db)
  await countReports(app.db)
  const { rows: before } = await waiting()
  assert.equal(before.length, 20)
  await ask()
  await countReports(app.db)
  const { rows: after } = await waiting()
  assert.deepEqual([after.slice(0, 20), after.length], [before, 21])
  await addMessage(world, { contactId, channel: 'web', author: 'person' })
  await makeActive(world)
  await countReports(app.db)
  assert.deepEqual((await waiting()).rows, [])
  assert.deepEqual(await readCounted(app.db, world.accountId), await recount(app.db, world.accountId, 'UTC'))
})

test('a delivery that was given up makes no account due, and is counted when it arrives after all', async () => {
  await using app = await sharedApp()
  const [world] = await openWorlds(app, 1)
  assert.ok(world)
  await addMessage(world, { contactId: await addContact(world), channel: 'web', author: 'api' })
  await settleDelivery(world, 0, 'failed')
  await countReports(app.db)
  const due = await findDueAccounts(app.db, new Date().toISOString())
  assert.ok(!due.some(({ accountId }) => accountId === world.accountId))
  for (const state of ['open', 'failed', 'sent'] as const) {
    await settleDelivery(world, 0, state)
    await countReports(app.db, { roundMs: 0 })
    assert.deepEqual(await readCounted(app.db, world.accountId), await recount(app.db, world.accountId, 'UTC'), state)
  }
})

test('more deliveries than one look takes are all looked at, in pieces, by one round after the other', async () => {
  await using app = await sharedApp()
  const [world] = await openWorlds(app, 1)
  assert.ok(world)
  const contactId = await addContact(world)
  for (let n = 0; n < 5; n += 1) await addMessage(world, { contactId, channel: 'web', author: 'api' })
  // As many as three looks, of which the last ones arrive.
  await sql`
    insert into deliveries (account_id, id, contact_id, outgoing_seq, payload, due_at, receiver_id, author)
    select ${world.accountId}, 'msg_' || n, ${contactId}, 100 + n, '{}', now(), 'reply', 'api' from generate_series(10000, 15000) n
  `.execute(app.db)
  await countReports(app.db)
  await sql`
    insert into report_deliveries (account_id, contact_id, message_id, channel, created_at, is_failed)
    select ${world.accountId}, ${contactId}, 'msg_' || n, 1, now(), false from generate_series(10000, 15000) n
  `.execute(app.db)
  await sql`update deliveries set sent_at = now(), due_at = null where id in ('msg_14999', 'msg_15000')`.execute(app.db)
  const place = openPlace()
  const sent = async () => {
    await countReports(app.db, { place, roundMs: 0 })
    const { rows } = await sql<{ sent: number }>`select sum(sent)::integer as sent from report_quarters`.execute(app.db)
    return rows[0]?.sent
  }
  assert.deepEqual([await sent(), await sent(), await sent(), await sent()], [0, 0, 2, 2])
})
