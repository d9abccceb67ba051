import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { ContactId } from '../../../src/platform/ids.ts'
import { makeTurnsDue, untilAnswered } from '../../helpers/bots.ts'
import { fail } from '../../helpers/model-server.ts'
import { startStrangers } from '../../helpers/strangers.ts'
import { until } from '../../helpers/until.ts'

type World = Awaited<ReturnType<typeof startStrangers>>

const open = 'When are you open?'
const known = 'From nine to five.'

/** Never the same twice, which would be left to a person. */
function certainly(): string {
  said += 1
  return `Certainly, ${said.toString(36)}.`
}
let said = 0
const ofModel = /^bot: Certainly, /

/** How often each engine has answered, and the last decisions. */
async function answersBy({ db }: World): Promise<Record<string, number>> {
  const rows = await db.selectFrom('answers').select(['engine']).where('messageId', 'is not', null).execute()
  const count: Record<string, number> = {}
  for (const { engine } of rows) count[engine ?? 'none'] = (count[engine ?? 'none'] ?? 0) + 1
  return count
}

async function takenToday({ db, channelId }: World): Promise<number> {
  const row = await db
    .selectFrom('chatDays')
    .select('modelAnswers')
    .where('channelId', '=', channelId)
    .executeTakeFirst()
  return row?.modelAnswers ?? 0
}

/** What was said to them last, and what their conversation waits for. */
async function last({ db }: World, contactId: ContactId) {
  const { rows } = await sql<{ said: string; waiting: string | null }>`
    select m.author || ': ' || m.body as said, c.waiting_reason as waiting
    from messages m join conversations c on c.contact_id = m.contact_id
    where m.contact_id = ${contactId} order by m.seq desc limit 1
  `.execute(db)
  return rows[0]
}

test('a thousand questions of fifty browsers ask the model as often as the day allows and no more, and are all answered', async () => {
  await using world = await startStrangers(certainly, { caps: { modelAnswersADay: 100 } })
  const { app, model } = world
  await world.grant(1_000)
  const browsers = Array.from({ length: 50 }, (_, n) => `browser ${n}`)
  for (let round = 0; round < 2; round += 1) {
    // What is asked in a row is one turn.
    await Promise.all(
      browsers.map(async (who) => {
        for (let n = 0; n < 10; n += 1) await world.write(who, open)
      }),
    )
    await untilAnswered(app)
  }
  assert.equal(await takenToday(world), 100)
  assert.ok(model.asked.length <= 100 && model.asked.length >= 50, `${model.asked.length} questions to the model`)
  const { builtin = 0, ...others } = await answersBy(world)
  assert.ok(builtin > 0, `${builtin} answers from the entries`)
  const charged = Object.values(others).reduce((sum, n) => sum + n, 0)
  assert.ok(charged <= 100 && charged > 50)
  assert.deepEqual(await world.balance(), [1_000 - 2 * charged, 0])
  const bodies = await world.db.selectFrom('messages').select('body').where('author', '=', 'bot').execute()
  assert.ok(bodies.every(({ body }) => body === known || ofModel.test(`bot: ${body}`)))
})

test('one browser gets thirty answers of a model in a day, a customer a hundred, and then what the entries say', async () => {
  await using world = await startStrangers(certainly)
  await world.grant(1_000)
  const hadBefore = async (contactId: ContactId, answers: number) => {
    await sql`
      insert into answers select (a).* from (
        select jsonb_populate_record(a, jsonb_build_object(
          'from_seq', -n, 'to_seq', -n, 'created_at', now() - interval '1 hour'
        )) as a
        from answers a cross join generate_series(1, ${answers}) as n where a.contact_id = ${contactId}
      ) as copies
    `.execute(world.db)
  }
  for (const [who, most] of [
    ['browser ana', 30],
    ['member ben', 100],
  ] as const) {
    const contactId = await world.write(who, open)
    await untilAnswered(world.app)
    await hadBefore(contactId, most - 2)
    for (const expected of [ofModel, new RegExp(`^bot: ${known}$`)]) {
      await world.write(who, open)
      await untilAnswered(world.app)
      assert.match((await last(world, contactId))?.said ?? '', expected, who)
    }
    await world.db.updateTable('answers').set({ createdAt: sql`created_at - interval '1 day'` }).execute()
    await world.write(who, open)
    await untilAnswered(world.app)
    assert.match((await last(world, contactId))?.said ?? '', ofModel, 'a day later')
  }
})

test('where a model may not be asked, entries answer for nothing, and a person is waited for instead of silence', async () => {
  await using world = await startStrangers(certainly, { settings: { fallbackText: null, greetingText: null } })
  const { app, model } = world
  const isFreeOnly = true
  const ask = async (who: string, body: string, over: object = {}) => {
    const contactId = await world.write(who, body, { isFreeOnly, ...over })
    await untilAnswered(app)
    return last(world, contactId)
  }
  assert.deepEqual(await ask('ana', open), { said: `bot: ${known}`, waiting: null }, 'without a credit')
  assert.deepEqual(await ask('ben', 'Do you have blue tyres in my size?'), {
    said: 'contact: Do you have blue tyres in my size?',
    waiting: 'daily_limit',
  })
  assert.equal((await ask('cy', 'Hello'))?.waiting, 'daily_limit')
  const file = { reference: { id: 'f' }, contentType: 'image/png', fileName: 'a.png', sizeBytes: 10, isTooLarge: true }
  assert.equal((await ask('eve', '', { file }))?.waiting, 'file_only')
  assert.equal((await ask('dan', 'I want to talk to a person'))?.waiting, 'requested')
  // One of a burst is enough.
  await world.write('fay', open)
  assert.equal((await ask('fay', open))?.said, `bot: ${known}`)
  assert.equal(model.asked.length, 0)
  assert.equal(await takenToday(world), 0)
  await world.grant(100)
  assert.match((await ask('ana', open, { isFreeOnly: false }))?.said ?? '', ofModel)
  assert.deepEqual(await world.balance(), [98, 0])
})

test('what was not asked takes no place: for want of credits, or by a rule; a failed try does', async () => {
  let isBroken = true
  await using world = await startStrangers(() => (isBroken ? fail(500) : certainly()))
  await world.write('ana', 'I want to talk to a person')
  await untilAnswered(world.app)
  const ben = await world.write('ben', open)
  const parked = async () => {
    await makeTurnsDue(world.db)
    return (await world.db.selectFrom('turns').select('parkedUnits').execute())[0]?.parkedUnits != null
  }
  await until(parked, 'the turn does not wait for credits')
  assert.equal(await takenToday(world), 0)
  await world.grant(10)
  await until(() => world.model.asked.length === 2, 'the model was not asked, and once more')
  assert.equal(await takenToday(world), 1)
  isBroken = false
  await untilAnswered(world.app)
  assert.match((await last(world, ben))?.said ?? '', ofModel)
  assert.equal(await takenToday(world), 2)
  assert.deepEqual(await world.balance(), [8, 0])
})
