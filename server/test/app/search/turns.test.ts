import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { findLines, readWanted } from '../../../src/app/search/find-messages.ts'
import { backfill, indexNewMessages } from '../../../src/app/search/index-messages.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import type { NotedConversations } from '../../../src/platform/notify/noted-conversations.ts'
import { write } from '../../helpers/bots.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'

/** Conversations with messages that are not in the search yet. */
async function addBacklog(
  { db }: TestApp,
  accountId: AccountId,
  { conversations, messages = 1, characters = 0 }: Backlog,
): Promise<void> {
  const contactId = sql`'con_' || lpad(to_hex(n), 32, '0')`
  await db.transaction().execute(async (tx) => {
    await sql`
      insert into contacts (account_id, id, external_id)
      select ${accountId}, ${contactId}, 'sender ' || n from generate_series(1, ${sql.lit(conversations)}) as n
    `.execute(tx)
    await sql`
      insert into conversations (account_id, contact_id, last_seq, active_at, active_step)
      select ${accountId}, ${contactId}, ${sql.lit(messages)}, now(), activity_step(now())
      from generate_series(1, ${sql.lit(conversations)}) as n
    `.execute(tx)
    await sql`
      insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body)
      select ${accountId}, 'msg_' || replace(gen_random_uuid()::text, '-', ''), ${contactId}, seq, 'incoming', 'contact',
        'text', 'received', 'refund ' || n || repeat(' x', ${sql.lit(characters / 2)})
      from generate_series(1, ${sql.lit(conversations)}) as n, generate_series(1, ${sql.lit(messages)}) as seq
    `.execute(tx)
  })
}

type Backlog = { conversations: number; messages?: number; characters?: number }

async function countFound({ db }: TestApp, accountId: AccountId, q = 'refund'): Promise<number> {
  const wanted = readWanted(accountId, q)
  assert.ok(wanted)
  return (await findLines(db, accountId, wanted, { limit: 10_000, budget: 10_000 })).lines.length
}

test('an account whose backlog takes many rounds delays another by a batch only, also when that gets messages later', async () => {
  await using app = await sharedApp()
  const large = await app.makeAccount()
  const small = await app.makeAccount()
  await addBacklog(app, large.accountId, { conversations: 1_750 })
  const shortRound = { roundMs: 0 }
  for (const [n, inSearch] of [500, 1_000, 1_500].entries()) {
    await write(small, `refund ${n}`, { fromId: 'ana' })
    await indexNewMessages(app.db, shortRound)
    assert.equal(await countFound(app, small.accountId), n + 1)
    assert.equal(await countFound(app, large.accountId), inSearch)
  }
  await indexNewMessages(app.db, shortRound)
  assert.equal(await countFound(app, large.accountId), 1_750)
})

test('of an account that is noted as a whole, what a round did not reach stays noted, also what it did not look for', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  await addBacklog(app, accountId, { conversations: 1_750 })
  const all = new Map([[accountId, undefined]])
  const notes: Parameters<NotedConversations['note']>[] = []
  const note: NotedConversations['note'] = (...words) => void notes.push(words)
  const noted = { take: () => all, note, noteAll: () => {}, stop: () => {} }
  for (const inSearch of [500, 1_000]) {
    await indexNewMessages(app.db, { noted, conversations: 1_000, roundMs: 0 })
    assert.equal(await countFound(app, accountId), inSearch)
    assert.deepEqual(notes.splice(0), [[accountId, undefined]])
  }
  await indexNewMessages(app.db, { noted, conversations: 500 })
  assert.equal(await countFound(app, accountId), 1_750)
  assert.deepEqual(notes, [])
})

test('a round without a limit adds all that is due, of conversations with many messages too', async () => {
  await using app = await sharedApp()
  const accounts = [await app.makeAccount(), await app.makeAccount()]
  for (const { accountId } of accounts) await addBacklog(app, accountId, { conversations: 120, messages: 60 })
  await indexNewMessages(app.db)
  for (const { accountId } of accounts) assert.equal(await countFound(app, accountId), 7_200)
})

test('of long messages few are read at once, and all are added in their turn', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  await addBacklog(app, accountId, { conversations: 4, messages: 10, characters: 60_000 })
  const counts: number[] = []
  const pause = async () => void counts.push(await countFound(app, accountId))
  await indexNewMessages(app.db, { pause })
  // Some 1 MiB at a time: 18 messages of 60,000 bytes. First it looks for accounts.
  assert.deepEqual(counts, [0, 18, 36, 40])

  await sql`delete from message_search`.execute(app.db)
  await sql`update search_marks set backfill_seq = seq`.execute(app.db)
  await sql`insert into search_backfills values (${accountId}, 'msg_g')`.execute(app.db)
  for (const count of [18, 36, 40]) {
    assert.equal(await backfill(app.db), accountId)
    assert.equal(await countFound(app, accountId), count)
  }
  assert.equal(await backfill(app.db), undefined)
})

test('what is compared never begins after a conversation that is behind, however many rounds it takes', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  await sql`insert into installation (secret_key_check) values ('none')`.execute(app.db)
  await addBacklog(app, accountId, { conversations: 750 })
  // So long ago that only what is behind keeps the time from moving on, and in a step that is not over.
  await sql`
    update conversations set active_at = now() - interval '5 minutes', active_step = activity_step(now())
    where account_id = ${accountId}
  `.execute(app.db)
  const isPast = async () => {
    const { rows } = await sql<{ isPast: boolean }>`
      select searched_to > (select min(active_at) from conversations) as is_past from installation
    `.execute(app.db)
    return rows[0]?.isPast
  }
  for (const expected of [500, 750]) {
    await indexNewMessages(app.db, { roundMs: 0 })
    assert.equal(await countFound(app, accountId), expected)
    assert.equal(await isPast(), false)
  }
  await indexNewMessages(app.db)
  assert.equal(await isPast(), true)
})

test('accounts with old messages take turns: one that has few of them need not wait for one with many', async () => {
  await using app = await sharedApp()
  const made = [await app.makeAccount(), await app.makeAccount()].map(({ accountId }) => accountId)
  const [first, second] = made.sort() as [AccountId, AccountId]
  await addBacklog(app, first, { conversations: 600 })
  await addBacklog(app, second, { conversations: 10 })
  await sql`insert into search_marks select account_id, contact_id, last_seq, last_seq from conversations`.execute(
    app.db,
  )
  await sql`insert into search_backfills select account_id, 'msg_g' from (select distinct account_id from conversations) as c`.execute(
    app.db,
  )
  assert.equal(await backfill(app.db), first)
  assert.equal(await backfill(app.db, first), second)
  assert.deepEqual([await countFound(app, first), await countFound(app, second)], [500, 10])
  assert.equal(await backfill(app.db, second), first)
  assert.equal(await backfill(app.db, first), undefined)
  assert.equal(await countFound(app, first), 600)
})

test('a stop waits for the batch in flight only, and what is left is added after the next start', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  await addBacklog(app, accountId, { conversations: 1_000 })
  const stopping = new AbortController()
  await indexNewMessages(app.db, { stopping: stopping.signal, pause: async () => stopping.abort() })
  assert.ok((await countFound(app, accountId)) < 1_000)
  await indexNewMessages(app.db)
  assert.equal(await countFound(app, accountId), 1_000)
})
