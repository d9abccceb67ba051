import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { changeCampaign } from '../../../src/answers/campaigns/save.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import {
  conversation,
  defaultCampaign,
  makeTurnsDue,
  outcomes,
  startModel,
  untilAnswered,
  write,
} from '../../helpers/bots.ts'
import { passTime } from '../../helpers/deliveries.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { startModelBot } from '../../helpers/model-bot.ts'
import { json } from '../../helpers/model-server.ts'
import { startShared } from '../../helpers/shared-processes.ts'
import { until } from '../../helpers/until.ts'

for (const [input, output, kept] of [
  [3e9, 12.5, [2_147_483_647, 13]],
  [-7, 1e300, [0, 2_147_483_647]],
] as const) {
  test(`a model server that counts ${input} and ${output} tokens gets one request, and its answer is sent`, async () => {
    await using world = await startModelBot(() => ({ text: json('It is red.', []), usage: [input, output] }))
    const { server, app, account } = world
    await write(account, 'Is it red?')
    await untilAnswered(app)
    assert.deepEqual(await conversation(app), ['contact: Is it red?', 'bot: It is red.'])
    assert.equal(server.asked.length, 1)
    const counted = await app.db.selectFrom('answers').select(['inputTokens', 'outputTokens']).execute()
    assert.deepEqual(counted.map(Object.values), [kept])
  })
}

test('a turn that cannot be settled is handed over to a person after three attempts; others are answered', async () => {
  await using world = await startModelBot(() => json('It is red.', []))
  const { server, app, account } = world
  await refuse(app.db, 'answers', sql`new.outcome = 'answered' and ${isOf('ana')}`)
  await write(account, 'Is it red?')
  await write(account, 'Is it red?', { fromId: 'ben' })
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), ['contact: Is it red?', 'bot: A person comes.'])
  assert.deepEqual(await conversation(app, 'ben'), ['contact: Is it red?', 'bot: It is red.'])
  assert.deepEqual((await outcomes(app)).toSorted(), ['answered, the model answers', 'handed over, engine_error'])
  assert.equal(server.asked.length, 3 + 1)
})

test('a turn ends even when the handover text cannot be stored', async () => {
  await using world = await startModelBot(() => json('It is red.', []))
  const { server, app, account } = world
  await refuse(app.db, 'messages', sql`new.direction = 'outgoing' and ${isOf('ana')}`)
  await write(account, 'Is it red?')
  await untilAnswered(app)
  assert.deepEqual(await outcomes(app), ['handed over, engine_error'])
  assert.equal(server.asked.length, 3)
  const [state] = await app.db.selectFrom('conversations').select(['handler', 'waitingReason']).execute()
  assert.deepEqual(state, { handler: 'person', waitingReason: 'engine_error' })
})

// F22
test('a message that crashes every process that works on it is handed over to a person after three crashes', async () => {
  await using shared = await startShared()
  await using model = await startModel()
  const { db, api, start, ctx } = shared
  await changeCampaign(ctx, await defaultCampaign(shared, shared), { ...model.file, handoverText: 'A person comes.' })
  assert.equal((await api.post(incomingPath, incoming({ body: 'poison' }))).status, 200)
  await db.updateTable('turns').set({ attempts: 2 }).execute() // two have been killed already
  const worker = await start('worker')
  await makeTurnsDue(db)
  await model.next()
  worker.child.kill('SIGKILL')
  await worker.exited
  await passTime(db, '31 s') // its lease
  await start('worker')
  await until(async () => (await outcomes({ db })).length > 0, 'the turn did not end')
  assert.deepEqual(await outcomes({ db }), ['handed over, engine_error'])
  assert.deepEqual(await conversation({ db }), ['contact: poison', 'bot: A person comes.'])
  assert.equal(model.asked.length, 1, 'no fourth process calls the model')
})

/** For a trigger: the row belongs to this contact. */
function isOf(fromId: string): RawBuilder<unknown> {
  return sql`exists (select from contacts where id = new.contact_id and external_id = ${sql.lit(fromId)})`
}

async function refuse(db: Db, table: string, when: RawBuilder<unknown>): Promise<void> {
  await sql`
    create function refuse_it() returns trigger language plpgsql as
    $$ begin if ${when} then raise exception 'refused by the test'; end if; return new; end $$
  `.execute(db)
  await sql`create trigger refuse_it before insert on ${sql.table(table)} for each row execute function refuse_it()`.execute(
    db,
  )
}
