import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { importKnowledge } from '../../../src/answers/knowledge/entries/import.ts'
import { takeOver } from '../../../src/journey/conversations/take-over.ts'
import type { Db, Tx } from '../../../src/platform/database/db.ts'
import type { CampaignId } from '../../../src/platform/ids.ts'
import {
  contactOf,
  conversation,
  defaultCampaign,
  makeCampaign,
  makeTurnsDue,
  outcomes,
  startModel,
  write,
} from '../../helpers/bots.ts'
import { startDelivering } from '../../helpers/deliveries.ts'
import type { TestAccount, TestApp } from '../../helpers/harness.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { until } from '../../helpers/until.ts'

/** An app with two accounts; the first one's model answers when the test says so. */
async function startWorld() {
  const started = new AsyncDisposableStack()
  const model = started.use(await startModel())
  const app = started.use(await startDelivering())
  const [account, neighbour] = [await app.makeAccount(), await app.makeAccount()]
  const { campaignId } = await makeCampaign(app, account, { ...model.file, isDefault: true })
  const campaign = { accountId: account.accountId, campaignId }
  return { model, app, account, neighbour, campaign, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/** Locks rows while `work` runs. */
async function whileLocked(db: Db, rows: RawBuilder<unknown>, work: (tx: Tx) => Promise<void>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    const { rows: locked } = await rows.execute(tx)
    assert.ok(locked.length > 0, 'no row is locked')
    await work(tx)
  })
}

let sids = 0

/** A message that owes no answer, in a conversation that does. */
async function react(account: TestAccount, fromId: string): Promise<number> {
  sids += 1
  const { status } = await account.post(incomingPath, {
    messageType: 'reaction',
    ...incoming({ messageSid: `reaction ${sids}`, body: '+1', fromId }),
  })
  return status
}

/** Waits until no turn is left. */
const untilNothingIsOwed = ({ db }: TestApp) =>
  until(async () => (await db.selectFrom('turns').select('accountId').execute()).length === 0, 'answers are still owed')

test('during a long import, its campaign answers and messages are taken in', async () => {
  await using world = await startWorld()
  const { model, app, account, campaign } = world
  const entries = [{ questions: ['Is it red?'], answer: 'Yes.' }]
  await importKnowledge(app.db, campaign, entries)
  await write(account, 'Which colour?')
  await makeTurnsDue(app.db)
  const question = await model.next()

  await whileLocked(app.db, sql`select from entry_texts for update`, async () => {
    const more = importKnowledge(app.db, campaign, [
      { questions: ['Is it blue?'], answer: 'No.' },
      { questions: ['Is it red?'], answer: 'It is.' },
    ])
    await untilImportWaits(app)
    question.answer('It is red.')
    await untilNothingIsOwed(app)
    await write(account, 'Thank you for that')
    more.catch(() => {}) // it may have waited too long
  })
  assert.equal((await conversation(app))[1], 'bot: It is red.')
})

test('a locked campaign delays no incoming message, and its answers are sent afterwards', async () => {
  await using world = await startWorld()
  const { model, app, account, neighbour, campaign } = world
  await write(account, 'Which colour?')
  await makeTurnsDue(app.db)
  const question = await model.next()
  const before = await rollbacks(app)
  await whileLocked(app.db, sql`select from campaigns where id = ${campaign.campaignId} for update`, async () => {
    question.answer('It is red.')
    await until(async () => (await rollbacks(app)) > before, 'the bot never tried to settle the answer')
    for (let n = 0; n < 30; n += 1) {
      const [own, other] = await Promise.all([react(account, 'ana'), react(neighbour, 'ana')])
      assert.deepEqual([own, other], [200, 200])
      assert.deepEqual(await waitersHoldingConversations(app), [], 'somebody waits while holding a conversation')
    }
  })
  await untilNothingIsOwed(app)
  assert.deepEqual(await outcomes(app), ['answered, the model answers'])
})

test('a locked balance delays no incoming message while answers are held, charged and taken over', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  await sql`update accounts set kind = 'subaccount', agency_id = (
    select id from accounts where id <> ${account.accountId} limit 1
  ) where id = ${account.accountId}`.execute(app.db)
  await sql`insert into balances (account_id, balance, version) values (${account.accountId}, 1000000, 0)`.execute(
    app.db,
  )
  await write(account, 'Are you there?', { fromId: 'zoe' })
  await makeTurnsDue(app.db)
  ;(await model.next()).answer('I am.') // after its first answer a provider gets more than one request at a time
  await untilNothingIsOwed(app)
  const balances = sql`select from balances for update`
  for (const fromId of ['ana', 'eva']) await write(account, 'Which colour?', { fromId })
  await makeTurnsDue(app.db)
  const questions = [await model.next(), await model.next()]
  await whileLocked(app.db, balances, async () => {
    for (const question of questions) question.answer('It is red.')
    await write(account, 'And how large?', { fromId: 'ben' })
    await makeTurnsDue(app.db)
    const taken = takeOver(app.db, { accountId: account.accountId, contactId: await contactOf(app, 'eva') })
    taken.catch(() => {}) // it may have waited too long
    for (let n = 0; n < 30; n += 1) {
      for (const fromId of ['ana', 'ben', 'eva']) assert.equal(await react(account, fromId), 200)
    }
  })
  questions.push(await model.next())
  questions.at(-1)?.answer('As large as you like.')
  await untilNothingIsOwed(app)
  assert.equal((await conversation(app, 'ana')).filter((text) => text.startsWith('bot')).length, 1)
})

test('parallel imports run one after the other, and each increments the version', async () => {
  await using world = await startWorld()
  const { app, campaign } = world
  const file = Array.from({ length: 600 }, (_, n) => ({ questions: [`Question ${n}?`], answer: 'Yes.' }))
  const imported = await Promise.all([file, file, file].map((entries) => importKnowledge(app.db, campaign, entries)))
  assert.deepEqual(
    imported.map(({ added }) => added).toSorted((a, b) => a - b),
    [0, 0, 600],
  )
  const { knowledgeVersion } = await app.db
    .selectFrom('campaigns')
    .select('knowledgeVersion')
    .where('id', '=', campaign.campaignId)
    .executeTakeFirstOrThrow()
  assert.ok(knowledgeVersion >= 3, `${knowledgeVersion}`)
  await assert.rejects(
    importKnowledge(app.db, { ...campaign, campaignId: 'cmp_none' as CampaignId }, file),
    /no such campaign/,
  )
  assert.ok(await defaultCampaign(app, campaign))
})

async function untilImportWaits({ db }: TestApp): Promise<void> {
  await until(async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%entry_texts%'
    `.execute(db)
    return rows.length > 0
  }, 'the import does not wait')
}

/** How many transactions were rolled back; the database says so a second later. */
async function rollbacks({ db }: TestApp): Promise<bigint> {
  const { rows } = await sql<{ n: string }>`
    select xact_rollback as n from pg_stat_database where datname = current_database()
  `.execute(db)
  return BigInt(rows[0]?.n ?? 0)
}

/** Statements that wait for a campaign or a balance in a transaction that holds a conversation. */
async function waitersHoldingConversations({ db }: TestApp): Promise<unknown[]> {
  const { rows } = await sql`
    select a.query from pg_stat_activity a
    where a.datname = current_database() and a.wait_event_type = 'Lock' and a.query like '%campaigns%'
      and exists (
        select from pg_locks l where l.pid = a.pid and l.relation = 'conversations'::regclass and l.mode = 'RowShareLock'
      )
  `.execute(db)
  return rows
}
