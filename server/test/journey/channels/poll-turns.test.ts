import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { openCallProvider } from '../../../src/journey/channels/call.ts'
import { openChannels } from '../../../src/journey/channels/open-channels.ts'
import { pollChannel } from '../../../src/journey/provider-events/poll/poll-channel.ts'
import { claimPolls } from '../../../src/journey/provider-events/poll/poll-store.ts'
import type { TakeIn } from '../../../src/journey/provider-events/take-in.ts'
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
      ...{ origins: readChannelOrigins(`telegram=${telegram.origin}`), publicUrl: undefined, ownUrl: '' },
      ...{
        hint: () => {},
        log: pino({ enabled: false }),
        due: { channelChecks: isDue, channelPolls: isDue, parkedReceipts: isDue },
      },
    },
    { slots: 2, turnMs: 500 },
  )
  // Nobody writes: a channel has its turn once another one has asked for a moment.
  const hurried = () => bots.filter(({ updates }) => updates.polls.waits.includes(2))
  await until(() => hurried().length > 2, 'nobody asks briefly while others wait')
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

test('who leases a channel knows it as it is then: what was remembered of it keeps nobody from fetching', async () => {
  await using telegram = await startTelegram()
  await using app = await startApp({ CHANNEL_ORIGINS: `telegram=${telegram.origin}` })
  const owner = await signIn(app, await app.makeAccount())
  const bot = telegram.addBot()
  const { id } = await connectBot(owner, bot)
  const outbound = openOutbound({ allowed: readAllowedNetworks('127.0.0.0/8', false) })
  const ctx = { db: app.db, secretKey, log: pino({ enabled: false }), hint: () => {} }
  const channels = openChannels(ctx)
  const origins = readChannelOrigins(`telegram=${telegram.origin}`)
  const call = openCallProvider({ outbound, origins, log: ctx.log })
  const [poll] = await claimPolls(app.db, 1)
  assert.ok(poll)
  const ref = { accountId: poll.accountId, id: poll.channelId }
  assert.equal(ref.id, id)
  await sql`insert into installation (secret_key_check, restored_at) values ('none', now())`.execute(app.db)
  assert.equal((await channels.find(ref))?.row.isHeld, true)
  await sql`update installation set restored_at = null`.execute(app.db)
  bot.addPerson().write('Hello')
  const stopping = new AbortController()
  const seen: unknown[] = []
  const takeIn: TakeIn = async (_channel, events) => {
    seen.push(...events)
    stopping.abort()
    return true
  }
  await pollChannel({ ...ctx, channels, call, takeIn }, poll, stopping.signal, async () => 'free')
  assert.equal(seen.length, 1)
  await outbound.close()
})

test('a channel whose credentials were replaced while a request with the old ones was refused is fetched from at once', async () => {
  await using telegram = await startTelegram()
  await using app = await startApp({ CHANNEL_ORIGINS: `telegram=${telegram.origin}` })
  const owner = await signIn(app, await app.makeAccount())
  const bot = telegram.addBot()
  await connectBot(owner, bot)
  const outbound = openOutbound({ allowed: readAllowedNetworks('127.0.0.0/8', false) })
  const ctx = { db: app.db, secretKey, log: pino({ enabled: false }), hint: () => {} }
  const [poll] = await claimPolls(app.db, 1)
  assert.ok(poll)
  const body = Buffer.from('{"ok":false,"error_code":401,"description":"Unauthorized"}')
  const call = async () => {
    await sql`update channels set version = version + 1`.execute(app.db)
    return { status: 401, headers: {}, body }
  }
  const takeIn: TakeIn = async () => true
  await pollChannel(
    { ...ctx, channels: openChannels(ctx), call, takeIn },
    poll,
    new AbortController().signal,
    async () => 'free',
  )
  const { rows } = await sql<{ isDue: boolean }>`select due_at <= now() as is_due from channel_polls`.execute(app.db)
  assert.deepEqual(rows, [{ isDue: true }])
  await outbound.close()
})
