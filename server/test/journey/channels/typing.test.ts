import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openKeepTyping } from '../../../src/journey/channels/keep-typing.ts'
import { newId } from '../../../src/platform/ids.ts'
import type { Answer } from '../../../src/platform/outbound/call.ts'
import { conversation, makeTurnsDue, startModel, untilAnswered, write } from '../../helpers/bots.ts'
import { secretKey } from '../../helpers/harness.ts'
import { silentLog } from '../../helpers/knowledge.ts'
import { startTalk, type Talk } from '../../helpers/providers/talk.ts'
import { untilShown } from '../../helpers/providers/telegram.ts'
import { faults, tooMany } from '../../helpers/providers/telegram-faults.ts'
import { makeChat } from '../../helpers/strangers.ts'
import { until } from '../../helpers/until.ts'

const signs = ({ telegram }: Talk) => telegram.calls.filter(({ method }) => method === 'sendChatAction')

/** A talk whose bot uses a model that the test answers for. */
async function startSlowTalk() {
  const started = new AsyncDisposableStack()
  const model = started.use(await startModel())
  const talk = started.use(await startTalk({ settings: model.file }))
  const { ana, app } = talk
  /** Returns the question, which is being answered from now on. */
  const begin = async () => {
    ana.write('Do you deliver?')
    await talk.untilKept(1)
    await makeTurnsDue(app.db)
    return model.next()
  }
  return { ...talk, model, begin, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

test('while an answer is being written their phone shows that, every four seconds, and not afterwards', async () => {
  await using talk = await startSlowTalk()
  const { ana, app } = talk
  const question = await talk.begin()
  await until(() => signs(talk).length === 2, 'there are not two signs')
  const [first, second] = signs(talk)
  assert.deepEqual(first?.parameters, { chat_id: String(ana.chatId), action: 'typing' })
  const apartMs = (second?.at ?? 0) - (first?.at ?? 0)
  assert.ok(apartMs > 3_500, `${apartMs} ms apart`)
  question.answer('Yes.')
  await untilShown(ana, 1)
  await untilAnswered(app)
  await sleep(4_500)
  assert.equal(signs(talk).length, 2)
})

test('an answer that is there at once needs no sign', async () => {
  await using talk = await startTalk()
  await talk.ask('Hello')
  await sleep(500)
  assert.equal(signs(talk).length, 0)
})

test('a provider that does not take the sign is asked for no other, and the answer comes all the same', async () => {
  await using talk = await startSlowTalk()
  talk.telegram.plan('sendChatAction', faults.silence)
  const question = await talk.begin()
  await until(() => signs(talk).length === 1, 'there is no sign')
  await sleep(9_500)
  assert.equal(signs(talk).length, 1)
  question.answer('Yes.')
  assert.equal((await untilShown(talk.ana, 1))[0]?.text, 'Yes.')
})

test('where the answer would wait, nobody is shown to be writing', async () => {
  await using talk = await startSlowTalk()
  const { owner, channel, app } = talk
  assert.equal((await owner.call('POST', `/api/channels/${channel.id}/pause`)).status, 200)
  ;(await talk.begin()).answer('Yes.')
  await untilAnswered(app)
  await app.db.updateTable('channels').set({ pausedAt: null }).execute()
  await sql`update channel_rates set paused_until = now() + interval '1 minute'`.execute(app.db)
  talk.ana.write('And on Sundays?')
  await talk.untilKept(2)
  await makeTurnsDue(app.db)
  const question = await talk.model.next()
  await sleep(1_500)
  assert.equal(signs(talk).length, 0)
  question.answer('Yes.')
})

test('a bot that the provider asks to wait shows nothing more of this answer', async () => {
  await using talk = await startSlowTalk()
  talk.telegram.plan('sendChatAction', tooMany(3))
  const question = await talk.begin()
  await until(() => signs(talk).length === 1, 'there is no sign')
  await sleep(4_500)
  assert.equal(signs(talk).length, 1)
  question.answer('Yes.')
})

test('on the platform of the shop nothing is shown', async () => {
  await using talk = await startSlowTalk()
  const { shop, model, app } = talk
  await write(shop, 'Do you deliver?', { fromId: 'eve' })
  await makeTurnsDue(app.db)
  const question = await model.next()
  await sleep(1_000)
  question.answer('Yes.')
  await untilAnswered(app)
  assert.deepEqual(await conversation(app, 'eve'), ['contact: Do you deliver?', 'bot: Yes.'])
  assert.equal(signs(talk).length, 0)
})

test('at most 32 signs are under way in a process, and who finds no place leaves one out', async () => {
  await using talk = await startTalk()
  const { app, shop, channel } = talk
  const { promise, resolve } = Promise.withResolvers<Answer>()
  let [underWay, asked] = [0, 0]
  const request = async () => {
    asked += 1
    underWay += 1
    return promise.finally(() => {
      underWay -= 1
    })
  }
  const outbound = { request, check: () => Promise.reject(new Error('not asked')), close: async () => {} }
  const ctx = { db: app.db, secretKey, outbound, origins: new Map(), hint: () => {}, log: silentLog }
  const keep = openKeepTyping(ctx)
  const stop = new AbortController()
  const to = {
    accountId: shop.accountId,
    contactId: newId('con'),
    channelId: channel.id as `chn_${string}`,
    address: { kind: 'chat', address: '1' },
  }
  const all = Array.from({ length: 40 }, () => keep(to, stop.signal).catch(() => {}))
  await until(() => underWay === 32, 'not all places are taken')
  await sleep(500)
  assert.equal(asked, 32)
  resolve({ status: 200, headers: {}, body: Buffer.from('{"ok":true}') })
  await until(() => asked >= 72, 'the others never had a place')
  stop.abort()
  await Promise.all(all)
})

test('who reads in a chat on a website is told by a sign, which asks nobody and leaves no row, unless the chat is paused', async () => {
  await using talk = await startTalk()
  const { app, shop, owner } = talk
  const channelId = await makeChat(owner)
  const { accountId } = shop
  const said: string[] = []
  const outbound = {
    request: () => Promise.reject(new Error('somebody was asked')),
    check: () => Promise.reject(new Error('not asked')),
    close: async () => {},
  }
  const hint = (_accountId: string, changed: string) => void said.push(changed)
  const keep = openKeepTyping({ db: app.db, secretKey, outbound, origins: new Map(), hint, log: silentLog })
  const to = { accountId, contactId: newId('con'), channelId, address: { kind: 'browser', address: 'ana' } }
  const stop = new AbortController()
  const kept = keep(to, stop.signal).catch(() => {})
  await until(() => said.length === 2, 'there are not two signs')
  stop.abort()
  await kept
  assert.deepEqual(said, [`bot-writes:${to.contactId}`, `bot-writes:${to.contactId}`])
  assert.equal((await owner.call('POST', `/api/channels/${channelId}/pause`)).status, 200)
  await sleep(600) // what is known of a channel is half a second old at most
  await keep(to, new AbortController().signal)
  assert.equal(said.length, 2)
})
