import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type ChannelWorld, connectBot, readChannel, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { type Person, untilShown } from '../../helpers/providers/telegram.ts'
import { until } from '../../helpers/until.ts'

/** From now on this database is a copy of a backup. */
const restore = ({ app }: ChannelWorld) =>
  sql`insert into installation (secret_key_check, restored_at) values ('none', now())`.execute(app.db)

async function untilContact({ app }: ChannelWorld, { chatId }: Person): Promise<string> {
  const find = () =>
    app.db.selectFrom('contactAddresses').select('contactId').where('address', '=', String(chatId)).executeTakeFirst()
  await until(async () => (await find()) !== undefined, 'the message did not come')
  return (await find())?.contactId ?? ''
}

let replies = 0

async function reply({ owner }: ChannelWorld, contactId: string, body: string): Promise<void> {
  replies += 1
  const given = { body, clientId: `client-id-in-a-copy-${replies}` }
  assert.equal((await owner.call('POST', `/api/conversations/${contactId}/replies`, given)).status, 200)
}

const deliveries = async ({ app }: ChannelWorld) => {
  const rows = await app.db
    .selectFrom('deliveries as d')
    .innerJoin('messages as m', (join) => join.onRef('m.accountId', '=', 'd.accountId').onRef('m.id', '=', 'd.id'))
    .select(['m.body', 'd.errorCategory', 'd.sentAt'])
    .orderBy('m.createdAt')
    .execute()
  return rows.map(({ body, errorCategory, sentAt }) => [body, errorCategory, sentAt !== null])
}

/** What a bot was told, besides being asked for news. */
const told = ({ telegram }: ChannelWorld, token: string) =>
  telegram.calls.filter((call) => call.token === token && call.method !== 'getUpdates')

test('an owner says for all channels of a copy that they go on: what was said in the copy leaves, what waited before does not, and a pause stays', async () => {
  await using world = await startChannelWorld()
  const { telegram, owner, app } = world
  const [bot, pausedBot] = [telegram.addBot(), telegram.addBot()]
  const [channel, paused] = [await connectBot(owner, bot), await connectBot(owner, pausedBot)]
  const [ana, ben] = [bot.addPerson(), bot.addPerson()]
  for (const person of [ana, ben]) person.write('Hello')
  const [anaId, benId] = [await untilContact(world, ana), await untilContact(world, ben)]
  for (const id of [channel.id, paused.id]) await owner.call('POST', `/api/channels/${id}/pause`)
  await reply(world, anaId, 'It waited')
  await restore(world)
  // As if nobody had paused it: that was to let a message wait.
  for (const table of ['channels', 'receivers']) {
    await sql`update ${sql.table(table)} set paused_at = null where id = ${channel.id}`.execute(app.db)
  }
  await reply(world, anaId, 'Said in the copy')
  await reply(world, benId, 'To you, too')
  await sleep(1_500)
  const before = [told(world, bot.token).length, told(world, pausedBot.token).length]
  const { status, body } = await owner.call('POST', '/api/channels/resume')
  assert.deepEqual(
    [status, body.channels.map(({ isHeld }: { isHeld: boolean }) => isHeld)],
    [200, [false, false]],
    JSON.stringify(body),
  )
  await Promise.all([untilShown(ana, 1), untilShown(ben, 1)])
  assert.deepEqual(
    [ana, ben].map(({ shown }) => shown.map(({ text }) => text)),
    [['Said in the copy'], ['To you, too']],
  )
  await until(async () => (await deliveries(world)).filter(([, , isSent]) => isSent).length === 2, 'it is not settled')
  assert.deepEqual(await deliveries(world), [
    ['It waited', 'in_doubt', false],
    ['Said in the copy', null, true],
    ['To you, too', null, true],
  ])
  assert.ok(before[0] !== undefined && told(world, bot.token).length > before[0])
  assert.notEqual((await readChannel(owner, paused.id)).paused, null, 'what a person paused stays paused')
  const acts = await app.db
    .selectFrom('auditEvents')
    .select(['act', 'details'])
    .where('act', '=', 'channel resumed')
    .execute()
  assert.deepEqual(
    acts.map(({ details }) => (details as { restored?: string }).restored),
    ['yes', 'yes'],
  )
  const again = await owner.call('POST', '/api/channels/resume')
  assert.equal(again.status, 200)
  const after = await app.db.selectFrom('auditEvents').select('act').where('act', '=', 'channel resumed').execute()
  assert.equal(after.length, 2, 'said twice, it is done once')
})

test('what was asked before the backup is for people in a copy, also where its bot has answered meanwhile; what was asked since is answered', async () => {
  await using world = await startChannelWorld()
  const { telegram, owner, app } = world
  const bot = telegram.addBot()
  const channel = await connectBot(owner, bot)
  const [ana, ben] = [bot.addPerson(), bot.addPerson()]
  await sql`update accounts set bot_active = false`.execute(app.db)
  for (const person of [ana, ben]) person.write('Hello')
  const [anaId, benId] = [await untilContact(world, ana), await untilContact(world, ben)]
  await sql`update accounts set bot_active = true`.execute(app.db)
  const owe = (contactId: string, due: string) =>
    sql`
      insert into turns (account_id, contact_id, first_at, due_at, from_seq, last_seq)
      select account_id, id, now() - interval '1 s', now() + ${due}::interval, 1, 1 from contacts where id = ${contactId}
    `.execute(app.db)
  await owe(anaId, '1 hour')
  await owe(benId, '0')
  await restore(world)
  await until(async () => (await deliveries(world)).length === 1, 'the bot of the copy did not answer')
  await owner.call('POST', '/api/channels/resume')
  assert.deepEqual(await deliveries(world), [
    ['I am the automatic assistant.\n\nHello! How can I help you?', 'in_doubt', false],
  ])
  const { rows: turns } = await sql`select from turns`.execute(app.db)
  assert.equal(turns.length, 0)
  const waiting = await app.db.selectFrom('conversations').select('waitingReason').execute()
  assert.deepEqual(waiting, [{ waitingReason: 'in_doubt' }, { waitingReason: 'in_doubt' }])
  const cleo = bot.addPerson()
  cleo.write('Hello')
  await untilShown(cleo, 1)
  assert.deepEqual([ana.shown, ben.shown], [[], []])
  assert.equal((await readChannel(owner, channel.id)).isHeld, false)
})
