import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { readChannelOrigins } from '../../../src/platform/config/channel-origins.ts'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { startChannels } from '../../../src/start-channels.ts'
import { secretKey, startApp } from '../../helpers/harness.ts'
import { connectBot } from '../../helpers/providers/channel-world.ts'
import { startTelegram } from '../../helpers/providers/telegram.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

test('where there are more channels than a process fetches from at a time, each of them has its turn, and nothing is kept twice', async () => {
  await using telegram = await startTelegram()
  await using app = await startApp({ CHANNEL_ORIGINS: `telegram=${telegram.origin}` })
  const owner = await signIn(app, await app.makeAccount())
  const bots = Array.from({ length: 5 }, () => telegram.addBot())
  for (const bot of bots) await connectBot(owner, bot)
  const people = bots.map((bot) => bot.addPerson())
  const outbound = openOutbound({ allowed: readAllowedNetworks('127.0.0.0/8', false) })
  const isDue = async () => true
  const channels = startChannels(
    {
      ...{ db: app.db, secretKey, outbound, instruments: app.instruments },
      ...{ origins: readChannelOrigins(`telegram=${telegram.origin}`), publicUrl: undefined },
      ...{ hint: () => {}, log: pino({ enabled: false }), due: { channelChecks: isDue, channelPolls: isDue } },
    },
    { slots: 2, turnMs: 500 },
  )
  let rounds = 0
  const areAllKept = () => bots.every(({ updates }) => updates.waiting().every(({ update_id }) => update_id > 100_001))
  await until(async () => {
    rounds += 1
    for (const person of people) person.write(`Hello ${rounds}`)
    await sleep(50)
    return areAllKept()
  }, 'a channel had no turn')
  await channels.stop()
  await outbound.close()
  const kept = await app.db
    .selectFrom('messages')
    .select(['contactId', 'body'])
    .where('direction', '=', 'incoming')
    .execute()
  assert.equal(new Set(kept.map(({ contactId }) => contactId)).size, bots.length)
  assert.equal(new Set(kept.map(({ contactId, body }) => `${contactId} ${body}`)).size, kept.length)
  for (const { updates } of bots) assert.equal(updates.polls.most, 1)
})
