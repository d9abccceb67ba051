import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { backfill, indexNewMessages } from '../../../src/app/search/index-messages.ts'
import { contactOf, write } from '../../helpers/bots.ts'
import { secretKey, startApp, type TestApp } from '../../helpers/harness.ts'
import { until } from '../../helpers/until.ts'

async function linesOf({ db }: TestApp, contactId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from message_search, unnest(contact_ids) as k (id) where k.id = ${contactId}
  `.execute(db)
  return rows[0]?.n ?? 0
}

async function startWorld(messages: number) {
  const app = await startApp()
  const account = await app.makeAccount()
  for (let n = 0; n < messages; n += 1) {
    await write(account, `xylophone ${n}`, { fromId: 'ana' })
    await write(account, `marimba ${n}`, { fromId: 'ben' })
  }
  const [ana, ben] = [await contactOf(app, 'ana'), await contactOf(app, 'ben')]
  const erase = () => eraseContact({ db: app.db, secretKey }, { accountId: account.accountId, contactId: ana })
  return { app, ana, ben, erase, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

/** Lets nobody write to a table until it is released. */
async function hold({ db }: TestApp, table: string) {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const done = db.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(table)} in share mode`.execute(tx)
    held.resolve()
    await released.promise
  })
  await held.promise
  return async () => {
    released.resolve()
    await done
  }
}

/** A statement on this table waits for a lock. */
const untilWaiting = ({ db }: TestApp, word: string) =>
  until(async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${word}%`}
    `.execute(db)
    return rows.length > 0
  }, 'nothing waits')

test('erasing a contact removes its messages from the search, from open and from sealed blocks, and keeps the others', async () => {
  await using world = await startWorld(40)
  const { app, ana, ben, erase } = world
  await indexNewMessages(app.db)
  assert.deepEqual([await linesOf(app, ana), await linesOf(app, ben)], [40, 40])
  await erase()
  assert.deepEqual([await linesOf(app, ana), await linesOf(app, ben)], [0, 40])
  const { rows } = await sql`select from message_search where texts like '%xylophone%'`.execute(app.db)
  assert.equal(rows.length, 0)
  await indexNewMessages(app.db)
  assert.equal(await linesOf(app, ana), 0)
})

test('a contact that is erased while its messages are being added does not come back', async () => {
  await using world = await startWorld(40)
  const { app, ana, ben, erase } = world
  const release = await hold(app, 'search_marks')
  const adding = indexNewMessages(app.db).catch(() => indexNewMessages(app.db))
  await untilWaiting(app, 'search_marks')
  const erasing = erase()
  await release()
  await Promise.all([adding, erasing])
  await indexNewMessages(app.db)
  assert.deepEqual([await linesOf(app, ana), await linesOf(app, ben)], [0, 40])
})

test('a backfill and an erasure at the same time leave nothing of the contact', async () => {
  await using world = await startWorld(40)
  const { app, ana, ben, erase } = world
  await sql`insert into search_marks select account_id, contact_id, last_seq, last_seq from conversations`.execute(
    app.db,
  )
  await sql`insert into search_backfills select id, 'msg_g' from accounts`.execute(app.db)
  const release = await hold(app, 'message_search')
  const adding = backfill(app.db).catch(() => backfill(app.db))
  await untilWaiting(app, 'message_search')
  const erasing = erase()
  await release()
  await Promise.all([adding, erasing])
  while (await backfill(app.db));
  assert.deepEqual([await linesOf(app, ana), await linesOf(app, ben)], [0, 40])
  const { rows } = await sql`select from search_marks where contact_id = ${ana}`.execute(app.db)
  assert.equal(rows.length, 0)
})
