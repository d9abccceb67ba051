import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { pino } from 'pino'
import { readHorizon } from '../../../src/app/search/due-store.ts'
import { findLines, readWanted } from '../../../src/app/search/find-messages.ts'
import { backfill, indexNewMessages } from '../../../src/app/search/index-messages.ts'
import { lineOf, needleOf, wordsOf } from '../../../src/app/search/text/words.ts'
import { acrossAccounts, type Db, openDb } from '../../../src/platform/database/db.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { write } from '../../helpers/bots.ts'
import { sharedApp, startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { until } from '../../helpers/until.ts'

async function find(db: Db, accountId: AccountId, q: string, limit = 20): Promise<string[]> {
  const wanted = readWanted(accountId, q)
  return wanted ? (await findLines(db, accountId, wanted, { limit })).lines.map(({ messageId }) => messageId) : []
}

/** All pages of a search that compares few blocks for each; `between` is called after each page. */
async function findByPages(
  db: Db,
  accountId: AccountId,
  q: string,
  { budget, between }: { budget: number; between?: () => Promise<unknown> },
): Promise<string[]> {
  const wanted = readWanted(accountId, q)
  if (!wanted) return []
  const found: string[] = []
  for (let before: string | undefined; ; ) {
    const { lines, next } = await findLines(db, accountId, wanted, { before, limit: 1_000, budget })
    found.push(...lines.map(({ messageId }) => messageId))
    if (next === null) return found
    before = next
    await between?.()
  }
}

/** Every message is read and compared. */
async function scan({ db }: TestApp, accountId: AccountId, q: string): Promise<string[]> {
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'body'])
    .where('accountId', '=', accountId)
    .where('kind', '=', 'text')
    .orderBy('id', 'desc')
    .execute()
  const has = (body: string) => wordsOf(q).every((word) => lineOf(wordsOf(body)).includes(needleOf(word)))
  return rows.filter(({ body }) => has(body)).map(({ id }) => id)
}

const vocabulary =
  'refund Refunds refuse rain İstanbul straße STRASSE José Jose\u0301 הזמנה المنتج 退款 我想退款 👍 a of 4711'.split(
    ' ',
  )

async function writeRandomly(account: TestAccount, count: number, senders = 20): Promise<void> {
  const [seed = 1] = fc.sample(fc.integer({ min: 1 }), 1)
  for (let n = 0; n < count; n += 1) {
    const words = Array.from(
      { length: 1 + ((seed + n) % 5) },
      (_, k) => vocabulary[(seed + n * 7 + k * (n % 11)) % vocabulary.length],
    )
    await write(account, words.join(' '), { fromId: `sender ${n % senders}` })
  }
}

const queries = [...vocabulary, 'refu', 'refund rain', 'ref 471', '退款 👍', 'straß a', 'manifold', 'منتج', 'jos']

async function compare(app: TestApp, { accountId }: TestAccount): Promise<void> {
  for (const q of queries) {
    const expected = readWanted(accountId, q) ? await scan(app, accountId, q) : []
    assert.deepEqual(await find(app.db, accountId, q), expected.slice(0, 20), q)
    assert.deepEqual(await find(app.db, accountId, q, 1_000), expected, q)
    assert.deepEqual((await findByPages(app.db, accountId, q, { budget: 2 })).toSorted().reverse(), expected, q)
  }
}

test('a search finds what a look at every message would find, the newest first, however the messages lie in blocks', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const other = await app.makeAccount()
  for (const count of [3, 1, 60, 1, 1, 150]) {
    await writeRandomly(account, count)
    await writeRandomly(other, 2)
    await indexNewMessages(app.db)
    await compare(app, account)
  }
  await compare(app, other)
  const sealed = await app.db.selectFrom('messageSearch').select('id').where('terms', 'is not', null).execute()
  assert.ok(sealed.length > 4, 'blocks were sealed')
})

test('pages of a search miss no message and have none twice, while new ones come and are added', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  await writeRandomly(account, 150)
  await indexNewMessages(app.db)
  const expected = await scan(app, account.accountId, 'refu')
  let pages = 1
  const between = async () => {
    pages += 1
    await writeRandomly(account, 20)
    await indexNewMessages(app.db)
  }
  const found = await findByPages(app.db, account.accountId, 'refu', { budget: 1, between })
  assert.ok(pages > 3, `${pages} pages`)
  assert.deepEqual(found.toSorted().reverse(), expected)
})

test('messages from before there was a search are added to it, once, beside new ones', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  await writeRandomly(account, 520, 5)
  // What the migration does.
  await sql`
    insert into search_marks select account_id, contact_id, last_seq, last_seq from conversations
  `.execute(app.db)
  await sql`insert into search_backfills values (${account.accountId}, 'msg_g')`.execute(app.db)
  await writeRandomly(account, 30, 8)
  await indexNewMessages(app.db)
  assert.ok(await backfill(app.db))
  await writeRandomly(account, 10, 8)
  while (await backfill(app.db));
  await indexNewMessages(app.db)
  await compare(app, account)
  const { rows } = await sql<{
    n: number
  }>`select sum(cardinality(message_ids))::integer as n from message_search`.execute(app.db)
  assert.equal(rows[0]?.n, 560)
})

test('two processes at once add each message once', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([writeRandomly(account, 40), indexNewMessages(app.db), indexNewMessages(app.db)])
  }
  await indexNewMessages(app.db)
  await compare(app, account)
  const { rows } = await sql<{
    n: number
  }>`select sum(cardinality(message_ids))::integer as n from message_search`.execute(app.db)
  assert.equal(rows[0]?.n, 200)
})

test('a process that is killed in a batch leaves nothing of it, and the next adds all of it', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  await writeRandomly(account, 100)
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = app.db.transaction().execute(async (tx) => {
    await sql`lock table search_marks in share mode`.execute(tx)
    held.resolve()
    await release.promise
  })
  await held.promise
  // The batch has written its blocks, and waits to write its marks.
  const another = acrossAccounts(openDb(app.database.address, pino({ enabled: false }), 2))
  const outcome = indexNewMessages(another).then(
    () => 'done',
    () => 'killed',
  )
  await until(async () => {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
    `.execute(app.db)
    return rows.length > 0
  }, 'it does not wait')
  release.resolve()
  await holding
  assert.equal(await outcome, 'killed')
  await another.destroy()
  assert.deepEqual(await app.db.selectFrom('messageSearch').select('id').execute(), [])
  await indexNewMessages(app.db)
  await compare(app, account)
})

test('a message that is committed late is added all the same: conversations are compared since before its transaction began', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  await write(account, 'refund one', { fromId: 'ana' })
  await write(account, 'refund two', { fromId: 'ben' })
  await indexNewMessages(app.db)
  const written = Promise.withResolvers<string>()
  const release = Promise.withResolvers<void>()
  const late = app.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ at: string }>`
      with c as (
        update conversations set last_seq = last_seq + 1, active_at = now(), active_step = activity_step(now())
        where contact_id = (select id from contacts where external_id = 'ana') returning account_id, contact_id, last_seq
      )
      insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body)
      select account_id, 'msg_' || repeat('0', 32), contact_id, last_seq, 'incoming', 'contact', 'text', 'received', 'refund late'
      from c returning now()::text as at
    `.execute(tx)
    written.resolve(rows[0]?.at ?? '')
    await release.promise
  })
  const beganAt = Date.parse(await written.promise)
  await write(account, 'refund three', { fromId: 'ben' })
  await indexNewMessages(app.db)
  assert.ok(
    Date.parse(await readHorizon(app.db, 0)) <= beganAt,
    'the horizon is after the beginning of an open transaction',
  )
  release.resolve()
  await late
  assert.ok(Date.parse(await readHorizon(app.db, 0)) > beganAt)
  await indexNewMessages(app.db)
  assert.equal((await find(app.db, account.accountId, 'refund')).length, 4)
  assert.deepEqual(await find(app.db, account.accountId, 'late'), [`msg_${'0'.repeat(32)}`])
})

test('another account finds nothing, even where its hashes are the same', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const stranger = await app.makeAccount()
  await writeRandomly(account, 100)
  await indexNewMessages(app.db)
  const wanted = readWanted(account.accountId, 'refund')
  assert.ok(wanted)
  assert.notEqual((await findLines(app.db, account.accountId, wanted, { limit: 20 })).lines.length, 0)
  assert.deepEqual((await findLines(app.db, stranger.accountId, wanted, { limit: 20 })).lines, [])
})
