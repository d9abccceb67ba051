import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { listCampaigns, noteTrouble } from '../../../src/answers/campaigns/store.ts'
import { findAccount } from '../../../src/business/accounts/store.ts'
import { setRecharge } from '../../../src/business/credits/recharge.ts'
import { pauseReceiver } from '../../../src/journey/delivery/transports/webhook/webhooks.ts'
import { alertsOf, startAlerting } from '../../helpers/alerts.ts'
import { charge, creditsPath, makeSubaccount } from '../../helpers/credits.ts'
import { passTime, saveUrl } from '../../helpers/deliveries.ts'
import { signIn } from '../../helpers/sessions.ts'

type World = Awaited<ReturnType<typeof startAlerting>>

const eventsOf = async ({ told }: Pick<World, 'told'>) => (await told()).map(({ event }) => event)

test('a receiver that fails for ten minutes is told once, and that it works again; then the next time', async () => {
  await using world = await startAlerting()
  const { app, account, look, lookBeside } = world
  await saveUrl(app, account, 'http://127.0.0.1:9/replies')
  const set = (change: ReturnType<typeof sql>) => sql`update receivers set ${change} where id = 'reply'`.execute(app.db)
  await set(sql`failures_in_row = 3, failing_since = now() - interval '9 minutes'`)
  await look()
  assert.deepEqual(await eventsOf(world), [])
  await passTime(app.db, '61 seconds')
  await Promise.all([look(), lookBeside(), look()])
  assert.deepEqual(await eventsOf(world), ['receiver.failing'])
  await passTime(app.db, '3 hours')
  await look()
  assert.deepEqual(await eventsOf(world), ['receiver.failing'])

  await set(sql`failures_in_row = 0, failing_since = null`) // another address was saved: that proves nothing
  await look()
  await passTime(app.db, '2 minutes')
  await look()
  assert.deepEqual(await eventsOf(world), ['receiver.failing'])
  await set(sql`last_success_at = now()`)
  await Promise.all([look(), lookBeside()])
  assert.deepEqual(await eventsOf(world), ['receiver.failing', 'receiver.recovered'])
  const [failing, recovered] = await world.told()
  assert.match(
    failing?.text ?? '',
    /^The server that takes replies has been failing since .* UTC\. .*settings\/webhook$/,
  )
  assert.match(recovered?.text ?? '', /works again/)
  assert.deepEqual(failing?.details.host, '127.0.0.1:9')

  await set(sql`failures_in_row = 3, failing_since = now() - interval '11 minutes'`)
  await look()
  assert.equal((await eventsOf(world)).length, 3)
})

test('a receiver that failed again after a success that nobody saw is told again after ten minutes', async () => {
  await using world = await startAlerting()
  const { app, account, look } = world
  await saveUrl(app, account, 'http://127.0.0.1:9/replies')
  await sql`update receivers set failing_since = now() - interval '11 minutes' where id = 'reply'`.execute(app.db)
  await look()
  await passTime(app.db, '30 minutes')
  await sql`update receivers set failing_since = now() - interval '12 minutes' where id = 'reply'`.execute(app.db)
  await look()
  assert.deepEqual(await eventsOf(world), ['receiver.failing', 'receiver.failing'])
})

test("the alert address's own failure tells nobody there, and a paused one is told what still lasts when it is resumed", async () => {
  await using world = await startAlerting()
  const { app, account, look } = world
  const receiver = { accountId: account.accountId, receiverId: 'alert' as const }
  await sql`update receivers set failing_since = now() - interval '1 day', failures_in_row = 20`.execute(app.db)
  await look()
  assert.deepEqual(await eventsOf(world), [])
  await saveUrl(app, account, 'http://127.0.0.1:9/replies')
  await pauseReceiver(app.db, receiver, { isPaused: true })
  await sql`update receivers set failing_since = now() - interval '1 day' where id = 'reply'`.execute(app.db)
  await look()
  assert.deepEqual(await eventsOf(world), [])
  await pauseReceiver(app.db, receiver, { isPaused: false })
  await look()
  assert.deepEqual(await eventsOf(world), ['receiver.failing'])
})

test('a bot whose trouble lasts for a minute is told once, and when it has answered again; a change of its settings proves nothing', async () => {
  await using world = await startAlerting()
  const { app, account, look } = world
  const [bot = assert.fail()] = await listCampaigns(app.db, account.accountId)
  const trouble = (text: string | null) => noteTrouble(app.db, bot, text)
  await trouble('The provider answered 401: see https://evil.example/<b>')
  await look()
  await trouble(null)
  await look()
  await passTime(app.db, '2 minutes')
  await look()
  assert.deepEqual(await eventsOf(world), [], 'it was over within the minute')
  await trouble('The provider answered 401: see https://evil.example/<b>')
  await look()
  await passTime(app.db, '61 seconds')
  await look()
  for (const text of [null, 'Again', null, 'Again']) {
    await trouble(text) // it comes and goes
    await look()
    await passTime(app.db, '10 seconds')
  }
  assert.deepEqual(await eventsOf(world), ['bot.trouble'])
  const [told] = await world.told()
  assert.match(told?.text ?? '', /cannot answer: The provider answered 401: see https: evil example b https:\/\/chat/)
  await trouble(null)
  await look()
  await passTime(app.db, '2 minutes')
  await look()
  assert.deepEqual(await eventsOf(world), ['bot.trouble'])
  await sql`insert into answers (account_id, contact_id, from_seq, to_seq, outcome, reason, campaign_id, message_id)
    values (${account.accountId}, 'con_1', 1, 1, 'answered', 'answered', ${bot.id}, 'msg_1')`.execute(app.db)
  await look()
  assert.deepEqual(await eventsOf(world), ['bot.trouble', 'bot.recovered'])
})

test('what an account does not want is not told, and neither is another account', async () => {
  await using world = await startAlerting()
  const { app, account, look } = world
  const other = await app.makeAccount()
  for (const one of [account, other]) await saveUrl(app, one, 'http://127.0.0.1:9/replies')
  await sql`insert into alert_settings (account_id, conditions) values (${account.accountId}, '{waiting}')`.execute(
    app.db,
  )
  await sql`update receivers set failing_since = now() - interval '1 day' where id = 'reply'`.execute(app.db)
  await look()
  assert.deepEqual([await world.told(), await alertsOf(app, other.accountId)], [[], []])
})

async function startSub() {
  const world = await startAlerting()
  const { app } = world
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId)
  await saveUrl(app, sub, 'http://127.0.0.1:9/alerts', 'alert')
  const grant = async (amount: number) => {
    const headers = { 'x-api-key': agency.apiKey }
    const { status } = await app.call('POST', creditsPath, { headers, body: { email: sub.email, amount } })
    assert.equal(status, 200)
  }
  const below = async () => (await alertsOf(app, sub.accountId)).map(({ event, details }) => [event, details.balance])
  return { ...world, sub, grant, below }
}

test('credits that stay below the threshold for a minute are told once, and again after they were above for however short', async () => {
  await using world = await startSub()
  const { app, sub, grant, below, look, lookBeside } = world
  await setRecharge(app.db, await findAccount(app.db, sub.accountId), { threshold: 10, amount: 50 })
  await grant(12)
  await look()
  await charge(app.db, sub.accountId, 3)
  await look()
  await grant(50) // as an agency does that recharges by itself
  await look()
  await passTime(app.db, '2 minutes')
  await look()
  assert.deepEqual(await below(), [])

  await charge(app.db, sub.accountId, 50)
  await look()
  await passTime(app.db, '61 seconds')
  await Promise.all([look(), lookBeside(), look()])
  assert.deepEqual(await below(), [['credits.low', 9]])
  for (let n = 0; n < 3; n += 1) {
    await charge(app.db, sub.accountId, 1)
    await passTime(app.db, '5 minutes')
    await look()
  }
  assert.equal((await below()).length, 1)
  await grant(100)
  await charge(app.db, sub.accountId, 100) // between two looks
  await look()
  await passTime(app.db, '61 seconds')
  await Promise.all([look(), lookBeside()])
  assert.deepEqual(await below(), [
    ['credits.low', 9],
    ['credits.low', 6],
  ])
})

test("an account's own threshold counts before its agency's, and without any it is that nothing is left", async () => {
  await using world = await startSub()
  const { app, sub, grant, below, look } = world
  const lookTwice = async () => {
    await look()
    await passTime(app.db, '61 seconds')
    await look()
  }
  await grant(2)
  await lookTwice()
  assert.deepEqual(await below(), [])
  await charge(app.db, sub.accountId, 2)
  await lookTwice()
  assert.deepEqual(await below(), [['credits.low', 0]])
  await sql`insert into alert_settings (account_id, credits_below) values (${sub.accountId}, 50000)`.execute(app.db)
  await grant(6)
  await lookTwice()
  await charge(app.db, sub.accountId, 2)
  await lookTwice()
  assert.deepEqual(await below(), [
    ['credits.low', 0],
    ['credits.low', 4],
  ])
})

test('a broadcast that the service had to stop is told each time it stops, and not one that somebody paused', async () => {
  await using world = await startAlerting()
  const { app, account, look, lookBeside } = world
  await sql`insert into broadcasts (account_id, id, name, list_id, list_name, channel, body, rate_per_minute, state)
    values (${account.accountId}, 'brd_1', 'Spring <b>sale</b>', 'lst_1', 'All', 'custom', 'Hello', 60, 'paused')`.execute(
    app.db,
  )
  const halt = (at: ReturnType<typeof sql>) =>
    sql`update broadcasts set halted_at = ${at}, halted_reason = case when ${at} is not null then 'endpoint_failing' end`.execute(
      app.db,
    )
  await look()
  assert.deepEqual(await eventsOf(world), [])
  await halt(sql`now()`)
  await Promise.all([look(), lookBeside(), look()])
  await passTime(app.db, '5 minutes')
  await look()
  assert.deepEqual(await eventsOf(world), ['broadcast.halted'])
  const [told] = await world.told()
  assert.match(told?.text ?? '', /^The broadcast Spring b sale b stopped: the receiver of replies has been failing/)
  await halt(sql`null::timestamptz`)
  await look()
  await halt(sql`now()`)
  await look()
  assert.deepEqual(await eventsOf(world), ['broadcast.halted', 'broadcast.halted'])
})

test('a channel that has needed somebody for ten minutes is told once, and that it works again; not one that was removed', async () => {
  await using world = await startAlerting()
  const { app, account, look, lookBeside } = world
  await sql`insert into channels (account_id, id, kind, provider_key, name, address, settings)
    values (${account.accountId}, 'chn_1', 'telegram', '1', 'Spring <b>sale</b>', '@shop', '{}')`.execute(app.db)
  const set = (state: string, reason: string | null, since: string | null) =>
    sql`update channels set state = ${state}, attention_reason = ${reason}, attention_since = now() - ${since}::interval,
      removed_at = case when ${state} = 'removed' then now() end`.execute(app.db)
  await set('attention', 'credentials', '9 minutes')
  await look()
  assert.deepEqual(await eventsOf(world), [])
  await passTime(app.db, '61 seconds')
  await Promise.all([look(), lookBeside(), look()])
  await passTime(app.db, '3 hours')
  await look()
  assert.deepEqual(await eventsOf(world), ['channel.attention'])
  const owner = await signIn(app, account)
  const { body } = await owner.call('GET', '/api/alerts/state')
  assert.deepEqual(
    body.troubles.map(({ condition, subject, name }: Record<string, string>) => [condition, subject, name]),
    [['channel', 'chn_1', 'Spring <b>sale</b>']],
  )
  await set('working', null, null)
  await look()
  await passTime(app.db, '2 minutes')
  await Promise.all([look(), lookBeside()])
  assert.deepEqual(await eventsOf(world), ['channel.attention', 'channel.recovered'])
  const [told, over] = await world.told()
  assert.match(
    told?.text ?? '',
    /^The channel Spring b sale b needs somebody since .*: its provider does not take .*channels\/chn_1$/,
  )
  assert.deepEqual([told?.details.reason, over?.details.channelId], ['credentials', 'chn_1'])
  assert.match(over?.text ?? '', /^The channel Spring b sale b works again\./)
  await set('attention', 'other reader', '11 minutes')
  await look()
  await set('removed', null, null)
  await passTime(app.db, '1 day')
  await look()
  assert.deepEqual(
    (await eventsOf(world)).slice(2),
    ['channel.attention'],
    'nobody says of a removed one that it works',
  )
})
