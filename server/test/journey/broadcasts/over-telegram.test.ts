import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { optOut } from '../../../src/journey/conversations/consent.ts'
import { type ContactId, newId } from '../../../src/platform/ids.ts'
import { isFinished, makeMembers, newsOver, putOnList, startCast, untilCast } from '../../helpers/broadcasts.ts'
import { passTime } from '../../helpers/deliveries.ts'
import { secretKey } from '../../helpers/harness.ts'
import { connectBot, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { beginAll, outgoing, reply } from '../../helpers/providers/conversations.ts'
import { faults, slow } from '../../helpers/providers/telegram-faults.ts'
import { until } from '../../helpers/until.ts'

/** People who have written to a bot, on the account's list. */
async function startAudience(people: number) {
  await using starting = new AsyncDisposableStack()
  const world = starting.use(await startChannelWorld())
  const bot = world.telegram.addBot()
  const channel = await connectBot(world.owner, bot)
  const phones = Array.from({ length: people }, (_, n) => bot.addPerson({ first_name: `Reader ${nameOf(n)}` }))
  const contactIds = (await beginAll(world, phones)) as ContactId[]
  await putOnList(world.app.db, world.shop, contactIds)
  const started = starting.move()
  const over = newsOver(channel.id)
  return { world, bot, channel, phones, contactIds, over, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

const nameOf = (n: number) => String(n).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
const texts = ({ shown }: { shown: { text: string }[] }) => shown.map(({ text }) => text)

test('who has written to the bot gets it once, with their name; who opted out, blocked it, never wrote or was erased is left out, as the preview said', async () => {
  await using audience = await startAudience(6)
  const { world, phones, contactIds, over, channel } = audience
  const { app, shop, owner } = world
  await makeMembers(app.db, shop, 2) // of a custom platform
  const [optedOut, blocked] = [contactIds[1], phones[2]] as [ContactId, (typeof phones)[number]]
  await optOut(app.db, { accountId: shop.accountId, contactId: optedOut })
  blocked.block()
  const stops = () =>
    app.db.selectFrom('contactChannels').select('stopScope').where('stopScope', 'is not', null).execute()
  await until(async () => (await stops()).length === 1, 'it is not known that they blocked it')
  const { body: seen } = await owner.call('POST', '/api/broadcasts/preview', {
    ...{ listId: shop.listId, channelId: channel.id, body: over.body },
  })
  const leftOut = { optedOut: 1, blocked: 1, noId: 2, noAddress: 0, idTaken: 0 }
  const { contacts, messages, trouble, places } = seen
  assert.deepEqual(
    {
      optedOut: seen.optedOut,
      blocked: seen.blocked,
      noId: seen.noId,
      noAddress: seen.noAddress,
      idTaken: seen.idTaken,
    },
    leftOut,
  )
  assert.deepEqual([contacts, trouble, places], [8, null, { least: 1, most: 1, all: 4 }])
  assert.equal(messages[0].body, 'Hello Reader a, we are open.')
  const { body: reach } = await owner.call('GET', `/api/lists/${shop.listId}/reach/${channel.id}`)
  assert.deepEqual(reach, {
    ...{ contacts: 8, optedOut: 1, blocked: 1, noId: 2, idTaken: 0, writesFirstTo: 'nobody', mostPerMinute: 1_200 },
  })
  const id = await startCast(shop, over)
  const { counts, channelId, customChannel } = await untilCast(shop, id, isFinished)
  assert.deepEqual([channelId, customChannel], [channel.id, null])
  assert.deepEqual(counts.leftOut, { ...leftOut, erased: 0, stopped: 0 })
  assert.deepEqual([counts.recipients, counts.sent, counts.failed], [8, 4, 0])
  assert.deepEqual(phones.map(texts), [
    ...[['Hello Reader a, we are open.'], [], [], ['Hello Reader d, we are open.']],
    ...[['Hello Reader e, we are open.'], ['Hello Reader f, we are open.']],
  ])
  const kept = await app.db
    .selectFrom('messages')
    .select(['author', 'broadcastId', 'channel'])
    .where('direction', '=', 'outgoing')
    .execute()
  assert.deepEqual(
    new Set(kept.map((one) => `${one.author} ${one.broadcastId} ${one.channel}`)),
    new Set([`api ${id} ${channel.id}`]),
  )
  phones[0]?.write('Thank you')
  const answered = await untilCast(shop, id, ({ counts: now }) => now.answered === 1)
  assert.equal(answered.counts.sent, 4)
})

test('who blocks the bot, opts out, writes a stop word or is erased between start and turn gets nothing', async () => {
  await using audience = await startAudience(8)
  const { world, phones, contactIds, over } = audience
  const { app, shop } = world
  const { accountId } = shop
  const id = await startCast(shop, { ...over, ratePerMinute: 60 })
  await untilCast(shop, id, ({ counts: { sent } }) => sent === 1)
  const [optedOut, erased] = [contactIds[5], contactIds[6]] as [ContactId, ContactId]
  phones[4]?.block()
  phones[7]?.write('STOP')
  await optOut(app.db, { accountId, contactId: optedOut })
  await eraseContact({ db: app.db, secretKey }, { accountId, contactId: erased })
  const { counts } = await untilCast(shop, id, isFinished)
  assert.deepEqual(counts.leftOut, {
    optedOut: 2,
    blocked: 1,
    noId: 0,
    noAddress: 0,
    idTaken: 0,
    erased: 1,
    stopped: 0,
  })
  assert.deepEqual([counts.sent, counts.failed], [4, 0])
  assert.deepEqual(
    phones.map((person) => person.shown.length),
    [1, 1, 1, 1, 0, 0, 0, 0],
  )
})

test('over a paused channel no message is made; after ten minutes the broadcast is halted, and goes on when both are resumed', async () => {
  await using audience = await startAudience(3)
  const { world, phones, over, channel } = audience
  const { app, shop, owner } = world
  assert.equal((await owner.call('POST', `/api/channels/${channel.id}/pause`)).status, 200)
  const { body: seen } = await owner.call('POST', '/api/broadcasts/preview', {
    ...{ listId: shop.listId, channelId: channel.id, body: over.body },
  })
  assert.equal(seen.trouble, 'channel_paused')
  const id = await startCast(shop, over)
  await untilCast(shop, id, ({ waitingReason }) => waitingReason === 'channel_paused')
  await passTime(app.db, '11 minutes')
  const halted = await untilCast(shop, id, ({ state }) => state === 'paused')
  assert.deepEqual(
    [halted.haltedReason, halted.counts.waiting, (await outgoing(world)).length],
    ['channel_paused', 3, 0],
  )
  assert.equal((await owner.call('POST', `/api/channels/${channel.id}/resume`)).status, 200)
  assert.equal((await owner.call('POST', `/api/broadcasts/${id}/resume`)).status, 200)
  const { counts, haltedReason } = await untilCast(shop, id, isFinished)
  assert.deepEqual([counts.sent, haltedReason], [3, null])
  assert.ok(phones.every((person) => person.shown.length === 1))
})

test('when the token dies the broadcast waits for the channel, and with a new one everybody gets it once', async () => {
  await using audience = await startAudience(6)
  const { world, bot, phones, over, channel } = audience
  const { shop, owner } = world
  const id = await startCast(shop, { ...over, ratePerMinute: 120 })
  await untilCast(shop, id, ({ counts: { sent } }) => sent >= 1)
  bot.revoke()
  await untilCast(shop, id, ({ waitingReason }) => waitingReason === 'channel_attention')
  const { body: before } = await owner.call('GET', `/api/channels/${channel.id}`)
  const credentials = { token: bot.renew() }
  const saved = await owner.call('PATCH', `/api/channels/${channel.id}`, { credentials, version: before.version })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  const { counts } = await untilCast(shop, id, isFinished)
  assert.deepEqual([counts.sent, counts.failed], [6, 0])
  assert.deepEqual(
    phones.map((person) => person.shown.length),
    [1, 1, 1, 1, 1, 1],
  )
})

test('a broadcast over a channel that is removed halts at once, what waits there ends as failed, and it adds up', async () => {
  await using audience = await startAudience(8)
  const { world, over, channel } = audience
  const { telegram, shop, owner } = world
  telegram.plan('sendMessage', slow(1_500), { isDone: true, times: 2 })
  const id = await startCast(shop, { ...over, ratePerMinute: 120 })
  await untilCast(shop, id, ({ counts: { waiting } }) => waiting < 8)
  assert.equal((await owner.call('DELETE', `/api/channels/${channel.id}`)).status, 200)
  const halted = await untilCast(shop, id, ({ state }) => state === 'paused')
  assert.equal(halted.haltedReason, 'channel_removed')
  const made = (await outgoing(world)).length
  await sleep(1_500)
  assert.equal((await outgoing(world)).length, made, 'no more are made')
  const { counts } = await untilCast(shop, id, ({ counts: now }) => now.waiting === 8 - made)
  assert.equal(counts.sent + counts.failed, made)
  assert.equal((await owner.call('POST', `/api/broadcasts/${id}/resume`)).status, 200)
  const again = await untilCast(shop, id, ({ state }) => state === 'paused')
  assert.equal(again.haltedReason, 'channel_removed')
})

test('a message whose answer is lost is never sent again by itself: it counts as failed, in doubt, and the others get theirs', async () => {
  await using audience = await startAudience(5)
  const { world, phones, over } = audience
  const { telegram, shop } = world
  telegram.plan('sendMessage', faults.cut, { isDone: true })
  const id = await startCast(shop, over)
  const { counts, failures } = await untilCast(shop, id, isFinished)
  assert.deepEqual(
    [counts.sent, counts.failed, failures],
    [4, 1, [{ category: 'in_doubt', httpStatus: null, count: 1 }]],
  )
  assert.deepEqual(
    phones.map((person) => person.shown.length),
    [1, 1, 1, 1, 1],
  )
  const asked = await world.app.db
    .selectFrom('conversations')
    .select('contactId')
    .where('waitingReason', 'is not', null)
    .execute()
  assert.deepEqual(asked, [], 'nobody has to look at a conversation for it')
})

test('while the provider is silent few are in doubt and nobody else gets it; when it is back the others get it by themselves', async () => {
  await using audience = await startAudience(30)
  const { world, phones, over } = audience
  const { telegram, shop } = world
  await telegram.goAway()
  const id = await startCast(shop, over)
  await untilCast(shop, id, ({ waitingReason }) => waitingReason === 'endpoint_failing')
  await telegram.comeBack()
  const { counts } = await untilCast(shop, id, isFinished)
  assert.deepEqual([counts.sent, counts.failed], [30, 0], 'what had no connection never left')
  assert.ok(phones.every((person) => person.shown.length === 1))
})

test('what is wrong is refused with a sentence that names it, and starts nothing', async () => {
  await using audience = await startAudience(1)
  const { world, over, channel, bot } = audience
  const { app, shop, owner } = world
  const other = await app.makeAccount()
  const chat = await owner.call('POST', '/api/channels', {
    kind: 'webchat',
    settings: { pages: ['https://shop.example'] },
  })
  assert.equal(chat.status, 200, JSON.stringify(chat.body))
  const removed = await connectBot(owner, world.telegram.addBot())
  await owner.call('DELETE', `/api/channels/${removed.id}`)
  const { id: channelId } = channel
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ customChannel: 'web chat', channelId }, /customChannel.*channelId/],
    [{ channelId: undefined }, /customChannel.*channelId/],
    [{ channelId: null, customChannel: '' }, /customChannel.*channelId/],
    [{ channelId: newId('chn') }, /channelId names no built-in channel/],
    [{ channelId: 'telegram' }, /channelId names no built-in channel/],
    [{ channelId: removed.id }, /disconnected/],
    [{ channelId: chat.body.id }, /website chat/],
    [
      { channelId: undefined, customChannel: channelId },
      /customChannel names a built-in channel; those are used by broadcasts/,
    ],
    [{ channelId, idFrom: 'phone' }, /idFrom belongs to custom channels/],
    [{ channelId, body: 'x '.repeat(25_000) }, /too long: Telegram would show it as \d+ messages/],
  ]
  for (const [more, sentence] of wrong) {
    const answer = await shop.post('/broadcasts', { listId: shop.listId, ...over, ...more })
    assert.deepEqual(
      [answer.status, answer.body.error?.code],
      [400, 'INVALID_REQUEST'],
      JSON.stringify(more).slice(0, 80),
    )
    assert.match(answer.body.error.message, sentence)
  }
  const foreign = await other.post('/broadcasts', { listId: other.listId, ...over })
  assert.match(foreign.body.error.message, /channelId names no built-in channel of this account/)
  const inApp = await owner.call('POST', '/api/broadcasts/preview', { listId: shop.listId, body: 'Hello' })
  assert.match(inApp.body.error.message, /Give either channel, .* or channelId/)
  assert.equal((await owner.call('GET', `/api/lists/${shop.listId}/reach/${newId('chn')}`)).status, 404)
  assert.equal((await app.db.selectFrom('broadcasts').select('id').execute()).length, 0)
  assert.equal(bot.updates.waiting().length, 0)
})

test('on a channel of 5 messages a second a broadcast takes 4 of them at most, and a reply beside it leaves within two seconds', async (t) => {
  await using audience = await startAudience(40)
  const { world, phones, contactIds, over, channel } = audience
  const { app, shop, telegram } = world
  await app.db.updateTable('channels').set({ perSecond: 5 }).execute()
  await sleep(600) // a channel is read again twice a second
  const id = await startCast(shop, over)
  await untilCast(shop, id, ({ counts: { sent } }) => sent >= 2)
  const waits: number[] = []
  const shownTo = (n: number, text: string) => phones[n] && texts(phones[n]).includes(text)
  for (let n = 0; n < 12; n += 1) {
    const began = performance.now()
    await reply(world, contactIds[n] ?? '', `Reply ${n}`)
    await until(() => shownTo(n, `Reply ${n}`) === true, 'the reply did not leave')
    waits.push(performance.now() - began)
  }
  const { counts } = await untilCast(shop, id, isFinished)
  assert.equal(counts.sent, 40)
  const parts = await app.db
    .selectFrom('deliveryParts as p')
    .innerJoin('messages as m', (join) =>
      join.onRef('m.accountId', '=', 'p.accountId').onRef('m.id', '=', 'p.deliveryId'),
    )
    .select(['p.begunAt', 'm.broadcastId'])
    .where('p.channelId', '=', channel.id as `chn_${string}`)
    .execute()
  const begun = parts.map(({ begunAt, broadcastId }) => ({ at: begunAt?.getTime() ?? 0, isCast: broadcastId !== null }))
  const mostIn = (times: number[], ms: number) =>
    Math.max(...times.map((at) => times.filter((o) => o >= at && o < at + ms).length))
  const all = mostIn(
    begun.map(({ at }) => at),
    1_000,
  )
  const cast = begun.flatMap(({ at, isCast }) => (isCast ? [at] : []))
  assert.ok(all <= 5, `${all} in one second`)
  assert.ok(mostIn(cast, 5_000) <= 21, `${mostIn(cast, 5_000)} of the broadcast in five seconds`)
  assert.ok(Math.max(...waits) < 2_000, `a reply waited ${Math.max(...waits)} ms`)
  t.diagnostic(`replies waited ${Math.round(Math.max(...waits))} ms at most; ${telegram.calls.length} calls`)
})

test('in a restored copy a broadcast waits, and is halted when somebody says that its channel goes on: who had got it nobody knows', async () => {
  await using audience = await startAudience(4)
  const { world, over, phones, channel } = audience
  const { app, shop, owner } = world
  const id = await startCast(shop, { ...over, ratePerMinute: 30 })
  await untilCast(shop, id, ({ counts: { sent } }) => sent === 1)
  await sql`insert into installation (secret_key_check, restored_at) values ('none', now())`.execute(app.db)
  await untilCast(shop, id, ({ waitingReason }) => waitingReason === 'restored_copy')
  const shown = phones.map((person) => person.shown.length)
  assert.equal((await owner.call('POST', `/api/channels/${channel.id}/resume`)).status, 200)
  const halted = await untilCast(shop, id, ({ state }) => state === 'paused')
  assert.equal(halted.haltedReason, 'restored_copy')
  assert.deepEqual(
    phones.map((person) => person.shown.length),
    shown,
  )
  assert.equal((await owner.call('POST', `/api/broadcasts/${id}/resume`)).status, 200)
  await untilCast(shop, id, ({ counts: { sent } }) => sent >= 2)
})
