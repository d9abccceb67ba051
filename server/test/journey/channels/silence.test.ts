import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { saveUrl } from '../../helpers/deliveries.ts'
import { type ChannelWorld, connectBot, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { beginAll, outgoing, reply, untilSent } from '../../helpers/providers/conversations.ts'
import type { Bot, Person } from '../../helpers/providers/telegram.ts'
import { faults, slow } from '../../helpers/providers/telegram-faults.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

/** A connected bot that these many people have written to. */
async function startBot(world: ChannelWorld, people: number) {
  const bot: Bot = world.telegram.addBot()
  const channel = await connectBot(world.owner, bot)
  const phones = Array.from({ length: people }, () => bot.addPerson())
  return { bot, channel, phones, contactIds: await beginAll(world, phones) }
}

const slowBots = 5

test('while a provider takes ten seconds to answer, what goes elsewhere leaves as quickly as ever', async (t) => {
  await using world = await startChannelWorld()
  await using _second = await world.startSecond()
  await using receiver = await startReceiver()
  await saveUrl(world.app, world.shop, receiver.url)
  const quick = await startBot(world, 1)
  for (let n = 0; n < slowBots; n += 1) {
    const { bot, contactIds } = await startBot(world, 20)
    world.telegram.plan('sendMessage', slow(10_000), { isDone: true, times: 1_000, of: bot })
    await Promise.all(contactIds.map((contactId) => reply(world, contactId, 'slow')))
  }
  const took: { custom: number[]; channel: number[] } = { custom: [], channel: [] }
  const custom = async (n: number) => {
    const began = performance.now()
    const customData = { fromId: `person ${n}`, customChannel: 'chat', body: `custom ${n}` }
    assert.equal((await world.shop.post('/send_custom_channel_message', { customData })).status, 200)
    await until(() => receiver.requests.some(({ body }) => body.includes(`"custom ${n}"`)), 'it did not come')
    took.custom.push(performance.now() - began)
  }
  const overChannel = async (n: number) => {
    const began = performance.now()
    await reply(world, quick.contactIds[0] ?? '', `quick ${n}`)
    await until(() => quick.phones[0]?.shown.some(({ text }) => text === `quick ${n}`) === true, 'it did not come')
    took.channel.push(performance.now() - began)
  }
  const all: Promise<void>[] = []
  for (let n = 0; n < 100; n += 1) {
    all.push(custom(n))
    if (n % 12 === 0) all.push(overChannel(n)) // a message a second to one person
    await sleep(100)
  }
  await Promise.all(all)
  const slowest = { custom: Math.max(...took.custom), channel: Math.max(...took.channel) }
  t.diagnostic(
    `slowest ${Math.round(slowest.custom)} ms to the webhook, ${Math.round(slowest.channel)} ms over a channel`,
  )
  assert.ok(slowest.custom <= 1_000, `${slowest.custom} ms to the webhook`)
  assert.ok(slowest.channel <= 1_000, `${slowest.channel} ms over another channel`)
})

test('of what waits for a provider that has fallen silent, only what was under way is in doubt, and the rest leaves once and in order', async (t) => {
  const inFlight = 2 * 16
  await using world = await startChannelWorld({}, 3_000)
  await using _second = await world.startSecond()
  const { phones, contactIds } = await startBot(world, 40)
  const speaksAgain = [
    world.telegram.plan('sendMessage', faults.silence, { times: Number.POSITIVE_INFINITY }),
    world.telegram.plan('getMe', faults.silence, { times: Number.POSITIVE_INFINITY }),
  ]
  for (let n = 0; n < 5; n += 1) {
    await Promise.all(contactIds.map((contactId) => reply(world, contactId, String(n))))
  }
  await sleep(20_000)
  for (const speak of speaksAgain) speak()
  const began = performance.now()
  await untilSent(world, 200)
  const took = Math.round((performance.now() - began) / 1_000)
  const rows = await outgoing(world)
  const inDoubt = rows.filter(({ resentAt }) => resentAt !== null).length
  t.diagnostic(`${inDoubt} of 200 were in doubt; all had left ${took} s after it spoke again`)
  assert.ok(inDoubt <= inFlight + 10, `${inDoubt} were in doubt`)
  const texts = (person: Person) => person.shown.map(({ text }) => text)
  for (const person of phones) assert.deepEqual(texts(person), ['0', '1', '2', '3', '4'])
})
