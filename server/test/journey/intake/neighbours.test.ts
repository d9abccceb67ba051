import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { startApp, type TestApp } from '../../helpers/harness.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { untilLockWait } from '../../helpers/rows.ts'

test('a file that is being written delays only its own conversation', async () => {
  await using app = await startApp()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  await sql`create table released ()`.execute(app.db)
  await sql`
    create function slow() returns trigger language plpgsql as
    $$ begin while not exists (select from released) loop perform pg_sleep(0.02); end loop; return new; end $$
  `.execute(app.db)
  await sql`create trigger slow before insert on media_chunks for each row execute function slow()`.execute(app.db)
  const mediaContentType = 'application/octet-stream'
  const mediaUrl = `data:${mediaContentType};base64,${randomBytes(1_000).toString('base64')}`

  const file = shop.post(incomingPath, incoming({ mediaUrl, mediaContentType }))
  await untilOneSleeps(app)
  const next = shop.post(incomingPath, incoming({ messageSid: 'next', body: 'Did you get my file?' }))
  await sleep(100) // the database has it by now
  const others = await Promise.all(
    Array.from({ length: 5 }, (_, n) => other.post(incomingPath, incoming({ messageSid: `${n}` }))),
  )
  for (const { status } of others) assert.equal(status, 200, "another account's messages waited for a file")

  await sql`insert into released default values`.execute(app.db)
  for (const { status } of [await file, await next]) assert.equal(status, 200)
})

test('when a conversation is locked beyond the lock timeout, only its own messages fail', async () => {
  await using app = await startApp()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  await shop.post(incomingPath, incoming())
  const unaffected = await app.db.transaction().execute(async (tx) => {
    await tx.selectFrom('conversations').selectAll().forUpdate().execute()
    const first = shop.post(incomingPath, incoming({ messageSid: 'stuck 1' }))
    await untilLockWait(app)
    // The next messages are one batch, with one in it that must wait for the lock too.
    const second = Array.from({ length: 20 }, (_, n) =>
      shop.post(incomingPath, incoming({ messageSid: `stuck 2 ${n}` })),
    )
    const others = Array.from({ length: 5 }, (_, n) => [
      other.post(incomingPath, incoming({ messageSid: `${n}` })),
      shop.post(incomingPath, incoming({ messageSid: `${n}`, fromId: 'eva' })),
    ])
    for (const { status } of await Promise.all([first, ...second])) assert.equal(status, 500)
    return Promise.all(others.flat())
  })
  assert.deepEqual(
    unaffected.map(({ status }) => status),
    unaffected.map(() => 200),
  )
})

async function untilOneSleeps({ db }: TestApp): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'
    `.execute(db)
    if (rows.length > 0) return
  }
}
