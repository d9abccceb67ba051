import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChannelDelivery, ChannelInUse, RawEventPage } from '@patchbay/contract/app/channels.ts'
import type { DeliveryPage } from '@patchbay/contract/app/webhook.ts'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import { keepRaw } from '../../../src/journey/provider-events/event-store.ts'
import { incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { connectBot, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { untilShown } from '../../helpers/providers/telegram.ts'
import { addMember, type SignedIn, signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

async function read<Body>(who: SignedIn, path: string): Promise<Body> {
  const { status, body } = await who.call('GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** A bot to which Ana has written, and to whom a person of the shop has answered. */
async function startChat() {
  const world = await startChannelWorld()
  const bot = world.telegram.addBot()
  const channel = await connectBot(world.owner, bot)
  const ana = bot.addPerson({ first_name: 'Ana' })
  await world.app.db.updateTable('accounts').set({ botActive: false }).execute() // a slow machine lets it answer first
  ana.write('Hello')
  const findContact = async () => (await world.app.db.selectFrom('contacts').select('id').execute())[0]?.id
  await until(async () => (await findContact()) !== undefined, 'the message did not come')
  const contactId = await findContact()
  const answer = async (body: string) => {
    const clientId = `client-id-${crypto.randomUUID()}`
    const { status } = await world.owner.call('POST', `/api/conversations/${contactId}/replies`, { body, clientId })
    assert.equal(status, 200)
  }
  await world.owner.call('POST', `/api/conversations/${contactId}/takeover`, {})
  return { ...world, bot, channel, ana, answer, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

test('a channel is listed with what went over it today, what was taken last and what waits', async () => {
  await using chat = await startChat()
  const { owner, channel, ana, answer } = chat
  await answer('Hello Ana')
  await untilShown(ana, 1)
  const listed = async () => (await read<{ channels: ChannelInUse[] }>(owner, '/api/channels')).channels[0]
  await until(async () => {
    const use = (await listed())?.use
    return use?.today.in === 1 && use.today.out === 1 && use.lastOutAt !== null
  }, 'it is not counted')
  assert.equal((await listed())?.use.waiting, 0)
  await owner.call('POST', `/api/channels/${channel.id}/pause`, {})
  await answer('And this')
  await until(async () => (await listed())?.use.waiting === 1, 'what waits is not counted')
  const one = await read<ChannelInUse>(owner, `/api/channels/${channel.id}`)
  assert.deepEqual([one.use.waiting, one.use.colour, one.use.slowedUntil, one.use.silentSince], [1, 1, null, null])
})

test('custom channels are one entry with the address of their receiver, and none where there are none', async () => {
  await using chat = await startChat()
  const { owner, shop } = chat
  type List = { custom: { names: string[]; host: string | null; state: string; use: { today: { in: number } } } | null }
  assert.equal((await read<List>(owner, '/api/channels')).custom, null)
  const saved = await owner.call('PUT', '/api/webhook', { url: 'https://127.0.0.1:9/replies?key=1' })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  assert.equal((await shop.post(incomingPath, incoming({ fromId: 'bo', channel: 'Kiosk' }))).status, 200)
  // A label has a colour from the time on when somebody first sees it.
  await read(owner, '/api/conversations')
  const custom = async () => (await read<List>(owner, '/api/channels')).custom
  await until(async () => (await custom())?.use.today.in === 1, 'it is not counted', 15_000)
  const { names, host } = (await custom()) ?? {}
  assert.deepEqual({ names, host }, { names: ['Kiosk'], host: '127.0.0.1:9' })
})

test('the rail is told of channels that need somebody, and of none that works or is paused', async () => {
  await using chat = await startChat()
  const { app, owner, channel } = chat
  const inNeed = async () => (await read<{ channelsInNeed: object[] }>(owner, '/api/counts')).channelsInNeed
  await owner.call('POST', `/api/channels/${channel.id}/pause`, {})
  assert.deepEqual(await inNeed(), [])
  chat.bot.revoke()
  await owner.call('POST', `/api/channels/${channel.id}/check`, {})
  assert.deepEqual(await inNeed(), [{ id: channel.id, name: channel.name, isHeld: false }])
  const other = await signIn(app, await app.makeAccount())
  assert.deepEqual((await read<{ channelsInNeed: object[] }>(other, '/api/counts')).channelsInNeed, [])
})

test('the log of a channel has its messages and no others, with attempts and what was sent', async () => {
  await using chat = await startChat()
  const { app, owner, shop, channel, ana, answer } = chat
  await answer('First')
  await untilShown(ana, 1)
  ana.block(false)
  await answer('Second')
  assert.equal((await shop.post(sendPath, outgoing({ fromId: 'bo', customChannel: 'Kiosk' }))).status, 200)
  type Page = Static<typeof DeliveryPage>
  const page = (query = '') => read<Page>(owner, `/api/channels/${channel.id}/deliveries${query}`)
  await until(async () => (await page('?filter=failed')).deliveries.length === 1, 'it did not fail')
  const texts = async (query?: string) => (await page(query)).deliveries.map(({ text }) => text)
  assert.deepEqual(await texts(), ['Second', 'First'])
  assert.deepEqual(await texts('?filter=sent'), ['First'])
  assert.deepEqual(await texts('?filter=waiting'), [])
  assert.deepEqual(await texts('?q=ana'), ['Second', 'First'])
  assert.deepEqual(await texts('?q=somebody'), [])
  const [failed] = (await page('?filter=failed')).deliveries
  const detail = await read<ChannelDelivery>(owner, `/api/channels/${channel.id}/deliveries/${failed?.id}`)
  assert.deepEqual(
    detail.attempts.map(({ url, fault }) => [url, fault?.detail]),
    [['api.telegram.org sendMessage', 'Forbidden: bot was blocked by the user']],
  )
  assert.deepEqual(
    detail.parts.map(({ n, text, code, acceptedAt }) => ({ n, text, code, acceptedAt })),
    [{ n: 1, text: 'Second', code: '403', acceptedAt: null }],
  )
  ana.unblock()
  await owner.call('POST', `/api/channels/${channel.id}/pause`, {})
  ana.write('I am back')
  const isBack = app.db.selectFrom('messages').select('id').where('body', '=', 'I am back')
  await until(async () => (await isBack.execute()).length > 0, 'it did not come')
  await answer('Third')
  await until(async () => (await texts('?filter=waiting')).length === 1, 'what is held back does not wait')
  const [held] = (await page('?filter=waiting')).deliveries
  await until(async () => (await page('?filter=waiting')).deliveries[0]?.status === 'Failed', 'it is not held back')
  assert.deepEqual([await texts('?filter=waiting'), await texts('?filter=failed')], [['Third'], ['Second']])
  for (const q of ['ana', held?.id]) {
    assert.deepEqual(
      [await texts(`?filter=waiting&q=${q}`), await texts(`?filter=failed&q=${q}`)].flat(),
      q === 'ana' ? ['Third', 'Second'] : ['Third'],
    )
  }
  const { rows } = await sql<{ id: string }>`select id from deliveries where receiver_id = 'reply'`.execute(app.db)
  const notIts = await owner.call('GET', `/api/channels/${channel.id}/deliveries/${rows[0]?.id ?? 'msg_0'}`)
  assert.equal(notIts.status, 404)
})

test('what could not be read is shown to owners as it came, newest first in pages, and what is of no concern is counted', async () => {
  await using chat = await startChat()
  const { app, shop, owner, channel, bot } = chat
  const ref = { accountId: shop.accountId, id: channel.id as `chn_${string}` }
  for (let n = 1; n <= 51; n += 1) await keepRaw(app.db, ref, { why: 'unknown', raw: { n, long: 'x'.repeat(9_000) } })
  bot.addPerson().send({ chat: { id: -5, type: 'group', title: 'All of us' }, text: 'Hello' })
  const path = `/api/channels/${channel.id}/events`
  await until(
    async () => (await read<Static<typeof RawEventPage>>(owner, path)).counted.length === 1,
    'the group was not counted',
  )
  const { events, next, counted } = await read<Static<typeof RawEventPage>>(owner, path)
  assert.deepEqual([events.length, counted[0]?.times], [50, 1])
  assert.ok(events[0]?.body.startsWith('{"n":51,'))
  assert.deepEqual([events[0]?.body.length, events[0]?.characters], [8_000, 9_018])
  const second = await read<Static<typeof RawEventPage>>(owner, `${path}?before=${encodeURIComponent(next ?? '')}`)
  assert.deepEqual([second.events.length, second.events[0]?.body.slice(0, 7), second.next], [1, '{"n":1,', null])
  assert.equal((await owner.call('GET', `${path}?before=nonsense`)).status, 400)
  const userId = await addMember(app, shop.accountId, 'mia@example.com')
  const member = await signIn(app, { ...shop, userId })
  assert.equal((await member.call('GET', path)).status, 403)
  assert.equal((await member.call('GET', `/api/channels/${channel.id}/deliveries`)).status, 200)
})
