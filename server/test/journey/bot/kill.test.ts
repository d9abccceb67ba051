// Runs alone: takes long, it kills workers under load

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { changeCampaign } from '../../../src/answers/campaigns/save.ts'
import { reply } from '../../../src/journey/conversations/take-over.ts'
import { type Db, openDb } from '../../../src/platform/database/db.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { contactOf, defaultCampaign, makeTurnsDue, startModel, untilAnswered } from '../../helpers/bots.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { passTime } from '../../helpers/deliveries.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import type { ServerProcess } from '../../helpers/server-process.ts'
import { startShared } from '../../helpers/shared-processes.ts'
import { until } from '../../helpers/until.ts'

const rounds = Number(process.env.KILL_ROUNDS ?? 1)

/** Processes that share one database, and a model that answers when the test says so. */
async function startWithModel() {
  const shared = await startShared()
  const model = shared.started.use(await startModel())
  await changeCampaign(shared.ctx, await defaultCampaign(shared, shared), model.file)
  return { ...shared, model }
}

test('when workers are killed while they answer, no message is left unanswered or answered twice, none after a takeover', async () => {
  await using world = await startWithModel()
  const { db, accountId, api, start, model } = world
  const answering = answerAll(model)
  const workers = [await start('worker'), await start('worker')]
  for (let round = 0; round < rounds; round += 1) {
    const writing = writeAll(api, { contacts: 24, messages: 4, round })
    using _hurrying = setInterval(() => void makeTurnsDue(db).catch(() => {}), 100)
    await sleep(300)
    const victim = workers.shift()
    victim?.child.kill('SIGKILL')
    workers.push(await start('worker'))
    await takeOverSome(db, accountId, [`${round} 3`, `${round} 7`, `${round} 11`])
    await writing
    await untilNothingIsOwed(db)
  }
  answering.abort()
  await assertAnswersHold(db)
})

test('a worker that was suspended longer than its lease does not answer what another has answered', async () => {
  await using world = await startWithModel()
  const { db, api, start, model } = world
  const suspended = await start('worker')
  assert.equal((await api.post(incomingPath, incoming())).status, 200)
  await makeTurnsDue(db)
  const first = await model.next()
  suspended.child.kill('SIGSTOP')
  await start('worker')
  await passTime(db, '31 s')
  const second = await model.next()
  second.answer('By the second.')
  await untilAnswered({ db }) // no time passes: it would be the second's lease that runs out
  first.answer('By the first.')
  suspended.child.kill('SIGCONT')
  await sleep(1_500)
  const replies = await db.selectFrom('messages').select('body').where('author', '=', 'bot').execute()
  assert.deepEqual(replies, [{ body: 'By the second.' }])
  await assertAnswersHold(db)
})

test('the check finds an answer given twice, one missing, and one after a takeover', async () => {
  await using database = await makeDatabase()
  const db = openDb(database.address, pino({ enabled: false }), 2)
  const message = (seq: number, author: string) =>
    sql`
    insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body)
    values ('acc_1', ${`msg_${seq}`}, 'con_1', ${seq}, ${author === 'contact' ? 'incoming' : 'outgoing'}, ${author}, 'text',
      ${author === 'contact' ? 'received' : null}, 'x')`.execute(db)
  await message(1, 'contact')
  await assert.rejects(assertAnswersHold(db), /unanswered/)
  const answer = (from: number, to: number, id: string) =>
    sql`
    insert into answers (account_id, contact_id, from_seq, to_seq, outcome, reason, message_id)
    values ('acc_1', 'con_1', ${from}, ${to}, 'answered', '', ${id})`.execute(db)
  await message(2, 'bot')
  await answer(1, 1, 'msg_2')
  await assertAnswersHold(db)
  await message(3, 'person')
  await message(4, 'bot')
  await answer(2, 3, 'msg_4')
  await assert.rejects(assertAnswersHold(db), /after a takeover/)
  await sql`delete from messages where author = 'person'`.execute(db)
  await message(5, 'bot')
  await assert.rejects(assertAnswersHold(db), /twice/)
  await db.destroy()
})

/** Answers every model request after a moment, each time with another text. */
function answerAll(model: Awaited<ReturnType<typeof startModel>>): AbortController {
  const stopping = new AbortController()
  void (async () => {
    for (let n = 1; !stopping.signal.aborted; n += 1) {
      const question = await model.next(300).catch(() => undefined)
      setTimeout(() => question?.answer(`Answer number ${n}.`), Math.random() * 200)
    }
  })()
  return stopping
}

async function writeAll(
  api: ServerProcess,
  { contacts, messages, round }: { contacts: number; messages: number; round: number },
): Promise<void> {
  const one = async (contact: number) => {
    for (let n = 0; n < messages; n += 1) {
      const name = { fromId: `${round} ${contact}`, messageSid: `${round} ${contact} ${n}`, body: `Question ${n}` }
      assert.equal((await api.post(incomingPath, incoming(name))).status, 200)
      await sleep(Math.random() * 400)
    }
  }
  await Promise.all(Array.from({ length: contacts }, (_, contact) => one(contact)))
}

async function takeOverSome(db: Db, accountId: AccountId, names: string[]): Promise<void> {
  const contacts = db.selectFrom('contacts').select('id').where('externalId', 'in', names)
  await until(async () => (await contacts.execute()).length === names.length, 'they have not written')
  for (const name of names) {
    const contactId = await contactOf({ db }, name)
    await reply({ db, wakeDelivery: () => {} }, { accountId, contactId }, { body: 'A person is here.' })
  }
}

/** Includes turns of a killed process: its leases are made to expire. */
async function untilNothingIsOwed(db: Db): Promise<void> {
  const giveUpAt = performance.now() + 40_000
  await sleep(1_000)
  await passTime(db, '31 s')
  for (;;) {
    const owed = await db.selectFrom('turns').selectAll().execute()
    if (owed.length === 0) return
    if (performance.now() > giveUpAt) throw new Error(`answers are still owed: ${JSON.stringify(owed.slice(0, 3))}`)
    await sleep(50)
  }
}

/** Asserts the invariants that hold once no turn is left. */
async function assertAnswersHold(db: Db): Promise<void> {
  const find = async (query: ReturnType<typeof sql<{ id: string }>>) =>
    (await query.execute(db)).rows.map(({ id }) => id)
  const unanswered = await find(sql`
    select m.id from messages m
    where m.direction = 'incoming' and m.kind = 'text' and not exists (
      select from answers a
      where a.account_id = m.account_id and a.contact_id = m.contact_id and m.seq between a.from_seq and a.to_seq
    ) and not exists (
      select from messages p
      where p.account_id = m.account_id and p.contact_id = m.contact_id and p.author = 'person' and p.seq > m.seq
    )`)
  assert.deepEqual(unanswered, [], 'unanswered')
  const twice = await find(sql`
    select a.from_seq || ' and ' || b.from_seq as id
    from answers a join answers b on b.account_id = a.account_id and b.contact_id = a.contact_id
      and b.from_seq > a.from_seq and b.from_seq <= a.to_seq
    union all
    select id from messages m where m.author = 'bot' and not exists (
      select from answers a where a.account_id = m.account_id and a.contact_id = m.contact_id and a.message_id = m.id
    )`)
  assert.deepEqual(twice, [], 'answered twice')
  const after = await find(sql`
    select b.id from messages b join messages p
      on p.account_id = b.account_id and p.contact_id = b.contact_id and p.author = 'person' and p.seq < b.seq
    where b.author = 'bot'`)
  assert.deepEqual(after, [], 'after a takeover')
}
