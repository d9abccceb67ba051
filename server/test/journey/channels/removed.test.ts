import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openClient } from '../../helpers/https-client.ts'
import { connectBot, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { begin, beginAll, outgoing, reply } from '../../helpers/providers/conversations.ts'
import { startEntrance } from '../../helpers/providers/entrance.ts'
import { untilShown } from '../../helpers/providers/telegram.ts'
import { tooMany } from '../../helpers/providers/telegram-faults.ts'
import { until } from '../../helpers/until.ts'

test('of a channel that is removed, twenty messages that wait end in words, its hook is not there, its credentials are gone, and another channel goes on', async () => {
  await using entrance = await startEntrance()
  await using world = await startChannelWorld({ PUBLIC_URL: entrance.url })
  entrance.leadTo(world.app.url)
  const { telegram, owner, app } = world
  const [bot, other] = [telegram.addBot(), telegram.addBot()]
  const { id } = await connectBot(owner, bot)
  await connectBot(owner, other)
  const people = Array.from({ length: 10 }, () => bot.addPerson())
  const contactIds = await beginAll(world, people)
  const ben = other.addPerson()
  const benId = await begin(world, ben)
  const secret = bot.hook.secret()

  telegram.plan('sendMessage', tooMany(3_000), { times: Number.POSITIVE_INFINITY, of: bot })
  for (const contactId of contactIds) await reply(world, contactId, 'Telegram asked to wait')
  const slowed = () =>
    app.db.selectFrom('channelRates').select('pausedUntil').where('pausedUntil', 'is not', null).execute()
  await until(async () => (await slowed()).length > 0, 'Telegram was not asked')
  assert.equal((await owner.call('POST', `/api/channels/${id}/pause`)).status, 200)
  for (const contactId of contactIds) await reply(world, contactId, 'paused, too')
  const asked = telegram.calls.filter(({ method, token }) => method === 'sendMessage' && token === bot.token).length

  const { status, body } = await owner.call('DELETE', `/api/channels/${id}`)
  assert.deepEqual([status, body], [200, { left: null }])
  const removed = async () => (await outgoing(world)).filter(({ errorCategory }) => errorCategory === 'channel_removed')
  await until(async () => (await removed()).length === 20, 'not all of them ended')
  assert.ok(
    (await removed()).every(
      ({ sentAt, dueAt, doubtSince }) => sentAt === null && dueAt === null && doubtSince === null,
    ),
  )
  const askedSince = telegram.calls.filter(
    ({ method, token }) => method === 'sendMessage' && token === bot.token,
  ).length
  assert.deepEqual([askedSince, people.flatMap(({ shown }) => shown)], [asked, []], 'none of them left')
  assert.equal(bot.hook.info().url, '', 'Telegram calls us no more')
  const row = await app.db
    .selectFrom('channels')
    .select(['state', 'credentials'])
    .where('id', '=', id as `chn_${string}`)
    .executeTakeFirst()
  assert.deepEqual(row, { state: 'removed', credentials: null })
  const client = openClient({ certificate: app.certificate })
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret }
  const hook = await client.send(`${app.url}/hooks/telegram/${id}`, {
    method: 'POST',
    headers,
    body: '{"update_id":1}',
  })
  client.close()
  assert.equal(hook.status, 404)

  ben.write('Are you there?')
  const came = () => app.db.selectFrom('messages').select('id').where('body', '=', 'Are you there?').execute()
  await until(async () => (await came()).length === 1, 'the other channel does not receive')
  await reply(world, benId, 'Yes')
  assert.equal((await untilShown(ben, 1))[0]?.text, 'Yes')
})
