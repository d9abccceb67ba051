import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { assertFlat } from '../../helpers/flat-refusals.ts'
import { type Answer, sharedApp, startApp, type TestApp } from '../../helpers/harness.ts'
import { countTraces, incoming, incomingPath } from '../../helpers/message-requests.ts'

test('a message that the database refuses fails alone; the others of its batch are stored', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await onInsert(app, `if new.body = 'poison' then raise check_violation; end if;`)
  const bodies = Array.from({ length: 60 }, (_, n) => (n % 20 === 7 ? 'poison' : `number ${n}`))
  const answers = await Promise.all(
    bodies.map((body, n) => shop.post(incomingPath, incoming({ body, messageSid: `${n}`, fromId: `from ${n % 9}` }))),
  )
  for (const [n, answer] of answers.entries()) {
    if (bodies[n] === 'poison') assertFlat(answer, 500, { label: `${n}` })
    else assert.equal(answer.status, 200, `${n}: ${JSON.stringify(answer.body)}`)
  }
  const kept = await app.db.selectFrom('messages').select(['messageSid', 'id']).execute()
  assert.deepEqual(
    new Map(kept.map(({ messageSid, id }) => [messageSid, id])),
    new Map(answers.flatMap(({ status, body }, n) => (status === 200 ? [[`${n}`, body.messageId]] : []))),
  )
  const { body } = await shop.post(incomingPath, incoming({ body: 'valid', messageSid: '7' }))
  assert.equal(body.success, true, 'a message that failed may be sent again')
})

// F10
test('when every database connection breaks, messages in flight are still stored, once, and so are later ones', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  await sql`create sequence attempts`.execute(app.db)
  // Each sleeps at its first attempt; a rollback does not reset the sequence.
  await onInsert(app, `if new.body = 'slow' and nextval('attempts') % 2 = 1 then perform pg_sleep(20); end if;`)
  for (let round = 0; round < 3; round += 1) {
    const slow = shop.post(incomingPath, incoming({ body: 'slow', messageSid: `slow ${round}` }))
    while ((await cut(app, `and wait_event = 'PgSleep'`)) === 0) await turn()
    await cut(app)
    assert.equal((await slow).status, 200)
    await untilServed(() => shop.post(incomingPath, incoming({ messageSid: `probe ${round}` })))
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => shop.post(incomingPath, incoming({ messageSid: `${round} ${n}` }))),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  }
  const { messages } = await countTraces(app)
  assert.equal(messages, 3 + 3 + 30)
})

/** Repeats a request until it gets 200; before that only 500. A lost connection may be noticed only when it is used. */
async function untilServed(request: () => Promise<Answer>): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const answer = await request()
    if (answer.status === 200) return
    assertFlat(answer, 500)
  }
  assert.fail('no request succeeds any more')
}

async function onInsert({ db }: TestApp, statement: string): Promise<void> {
  await sql`
    create function at_insert() returns trigger language plpgsql as ${sql.lit(`begin ${statement} return new; end`)}
  `.execute(db)
  await sql`create trigger at_insert before insert on messages for each row execute function at_insert()`.execute(db)
}

/** Terminates every other connection to this database that matches, waits for its end, and returns how many. */
async function cut({ db }: TestApp, condition = ''): Promise<number> {
  const { rows } = await sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() ${sql.raw(condition)}
  `.execute(db)
  return rows.length
}
