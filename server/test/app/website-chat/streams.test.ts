// WC18 in small; 5,000 streams of 2,000 visitors: `npm run soak -- --only strangers`, and WC30: `npm run bench -- panels`

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import { openChatStream } from '../../../src/app/website-chat/streams/chat-stream.ts'
import { reply } from '../../../src/journey/conversations/take-over.ts'
import { openLive } from '../../helpers/live-streams.ts'
import { until } from '../../helpers/until.ts'
import { type ChatWorld, contactsOf, startChatWorld, type Visitor } from '../../helpers/website-chat/chat-world.ts'

/** A visitor who has written, and who they are to us. */
async function writeFirst(world: ChatWorld): Promise<{ visitor: Visitor; contactId: `con_${string}` }> {
  const visitor = world.visitor()
  assert.equal((await visitor.post('Hello')).status, 201)
  const contactId = (await contactsOf(world)).at(-1)
  assert.ok(contactId)
  return { visitor, contactId }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `reply ${n}`)

test('WC04 a stream that is cut 20 times while 200 replies are written shows each once, in order, without a gap', async () => {
  await using world = await startChatWorld()
  const { visitor, contactId } = await writeFirst(world)
  const texts = numbers(200)
  const writing = (async () => {
    for (const [n, body] of texts.entries()) {
      if (n % 10 === 9) await world.reply(contactId, body)
      else
        await reply(
          { db: world.app.db, wakeDelivery: () => {} },
          { accountId: world.shop.accountId, contactId },
          { body },
        )
    }
  })()
  const shown: string[] = []
  let last = 1
  for (let cuts = 0; shown.length < texts.length; cuts += 1) {
    using window = await visitor.listen(last)
    await window.untilEvent('hello')
    const wanted = cuts < 20 ? 1 + ((cuts * 7) % 9) : 1
    await until(
      () => window.messages().length >= Math.min(wanted, texts.length - shown.length),
      'nothing more was shown',
    )
    for (const { seq, text } of window.messages().slice(0, cuts < 20 ? wanted : undefined)) {
      assert.ok(seq > last, `${seq} after ${last}`)
      last = seq
      shown.push(text)
    }
    if (cuts === 20) await writing
  }
  assert.deepEqual(shown, texts)
})

test('a reply, who has joined and who is writing are told to all windows at once, with the number to go on from', async () => {
  await using world = await startChatWorld()
  const { visitor, contactId } = await writeFirst(world)
  using window = await visitor.listen(1)
  using other = await visitor.listen(1)
  const hello = await window.untilEvent('hello')
  assert.ok(hello.name === 'hello' && hello.data.last === 1 && hello.data.state.by === 'bot')
  assert.match(String(window.headers['content-type']), /event-stream/)
  assert.deepEqual(
    [window.headers['cache-control'], window.headers['x-accel-buffering']],
    ['no-store, no-transform', 'no'],
  )
  await world.reply(contactId, 'At your service')
  for (const one of [window, other]) await one.untilTexts('At your service')
  const line = await window.untilEvent('line')
  assert.ok(line.name === 'line' && line.data.is === 'joined')
  const message = await window.untilEvent('message')
  assert.ok(message.name === 'message' && message.id === String(message.data.seq))
  await until(() => window.events.some((event) => event.name === 'state' && event.data.by === 'person'), 'no new state')
  using team = await openLive(world.app, world.owner.cookie)
  assert.equal((await visitor.call('POST', 'typing', { body: {} })).status, 204)
  await until(
    () => team.events.some((event) => event.kind === 'typing' && event.contactId === contactId),
    'the team is not told',
  )
  assert.equal((await world.app.db.selectFrom('messages').select('id').execute()).length, 2, 'nothing of it is stored')
  const openPanels = async () => {
    const { body } = await world.owner.call('GET', `/api/channels/${world.channelId}`)
    return body.chat.openPanels
  }
  await until(async () => (await openPanels()) === 2, 'the owner does not see how many are open')
  other[Symbol.dispose]()
  await until(async () => (await openPanels()) === 1, 'one that was closed counts')
})

test('WC06 what was committed by a process that died before it told anybody is shown all the same', async () => {
  await using world = await startChatWorld()
  const { visitor, contactId } = await writeFirst(world)
  using window = await visitor.listen(1)
  await window.untilEvent('hello')
  await reply(
    { db: world.app.db, wakeDelivery: () => {} },
    { accountId: world.shop.accountId, contactId },
    { body: 'told by nobody' },
  )
  await window.untilTexts('told by nobody')
})

test('WC07 a browser that is ahead of what is here is told to begin anew, by its stream and when it asks', async () => {
  await using world = await startChatWorld()
  const { visitor } = await writeFirst(world)
  using window = await visitor.listen(900)
  await window.untilEvent('reset')
  assert.deepEqual(
    window.events.map(({ name }) => name),
    ['hello', 'reset'],
  )
  const page = await visitor.read('?after=900')
  assert.deepEqual([page.last, page.messages], [1, []])
  const { status, headers } = await visitor.call('GET', 'messages?after=1')
  assert.equal(status, 204)
  const seconds = Number(headers['x-poll-after'])
  assert.ok(seconds >= 3 && seconds <= 60)
  const older = await visitor.read('?before=900')
  assert.deepEqual(
    older.messages.map(({ text }) => text),
    ['Hello'],
  )
})

test('WC18 a visitor has three windows, the oldest makes room; a process has so many, further ones ask; the streams of the team go on', async () => {
  await using world = await startChatWorld({ CHAT_STREAMS: '4' })
  using team = await openLive(world.app, world.owner.cookie)
  const { visitor } = await writeFirst(world)
  const windows = []
  for (let n = 0; n < 4; n += 1) {
    const window = await visitor.listen(1)
    await window.untilEvent('hello')
    windows.push(window)
  }
  await windows[0]?.untilEnded()
  assert.deepEqual(
    windows.map(({ isOpen }) => isOpen()),
    [false, true, true, true],
  )
  const second = world.visitor()
  await second.post('Me too')
  using fourth = await second.listen()
  assert.equal(fourth.status, 200)
  using refused = await second.listen()
  assert.equal(refused.status, 503)
  assert.equal((await second.call('GET', 'messages')).status, 200)
  await until(() => team.hellos() > 0 && team.isOpen(), 'the team has no stream')
  for (const window of windows) window[Symbol.dispose]()
  await until(async () => {
    using again = await second.listen()
    return again.status === 200
  }, 'no place was given back')
})

test('WC18 a window that reads nothing is cut off once 64 KB wait for it', async () => {
  const raw = Object.assign(new PassThrough({ highWaterMark: 1 }), { writeHead: () => {} })
  let closed = 0
  const reply = { raw, hijack: () => {}, getHeaders: () => ({}) } as unknown as FastifyReply
  const stream = openChatStream(reply, () => {
    closed += 1
  })
  for (let n = 0; n < 20_000 && !raw.destroyed; n += 1) {
    assert.ok(raw.writableLength < 70_000, 'more is kept for it')
    stream.write('typing', { forMs: 6_000, by: 'bot' })
  }
  assert.equal(raw.destroyed, true)
  stream.beat()
  stream.end('gone')
  await until(() => closed === 1, 'its place is not given back')
})

test('whoever goes away before the answer has begun leaves no place taken', async () => {
  const raw = Object.assign(new PassThrough(), { writeHead: () => {} })
  raw.destroy()
  await once(raw, 'close')
  let closed = 0
  const reply = { raw, hijack: () => {}, getHeaders: () => ({}) } as unknown as FastifyReply
  const stream = openChatStream(reply, () => {
    closed += 1
  })
  assert.equal(closed, 0, 'it is not known yet which one it is')
  await until(() => closed === 1, 'its place is not given back')
  stream.end('gone')
})

test('WC27 an erased visitor: the stream ends, the key is dead, the next message is of somebody new', async () => {
  await using world = await startChatWorld()
  const { visitor, contactId } = await writeFirst(world)
  using window = await visitor.listen(1)
  await window.untilEvent('hello')
  const sending = visitor.post('at the same moment')
  const erased = await world.owner.call('DELETE', `/api/contacts/${contactId}`)
  assert.equal(erased.status, 200, JSON.stringify(erased.body))
  const sent = await sending
  assert.ok([201, 401].includes(sent.status), String(sent.status))
  const end = await window.untilEvent('end')
  assert.ok(end.name === 'end' && end.data.why === 'ended')
  await window.untilEnded()
  const left = await contactsOf(world)
  assert.ok(!left.includes(contactId))
  if (left.length === 0) assert.equal((await visitor.call('GET', 'messages')).status, 401)
  const again = await visitor.post('Hello again')
  assert.equal(again.status, 201)
  assert.equal((await contactsOf(world)).length, 1)
})

test('a chat that the team has closed, and one that was removed, end at once and say why', async () => {
  await using world = await startChatWorld()
  const { visitor, contactId } = await writeFirst(world)
  const other = world.visitor()
  await other.post('Me too')
  using window = await visitor.listen(1)
  await window.untilEvent('hello')
  const blocked = await world.owner.call('POST', `/api/conversations/${contactId}/block`, {
    channelId: world.channelId,
    alsoNetwork: false,
  })
  assert.equal(blocked.status, 200, JSON.stringify(blocked.body))
  const end = await window.untilEvent('end')
  assert.ok(end.name === 'end' && end.data.why === 'closed')
  const { status, body } = await visitor.post('Hello?')
  assert.deepEqual([status, body.reason], [403, 'closed'])
  using second = await other.listen(1)
  await second.untilEvent('hello')
  const removed = await world.owner.call('DELETE', `/api/channels/${world.channelId}`)
  assert.equal(removed.status, 200, JSON.stringify(removed.body))
  const gone = await second.untilEvent('end')
  assert.ok(gone.name === 'end' && gone.data.why === 'gone')
  assert.deepEqual((({ status, body }) => [status, body.reason])(await other.post('Hello?')), [404, 'gone'])
  assert.equal(
    (await world.visitor().call('GET', `/chat/chn_${randomUUID().replaceAll('-', '')}/messages`)).status,
    404,
  )
})
