import assert from 'node:assert/strict'
import { request } from 'node:https'
import { test } from 'node:test'
import { conversation, write } from '../../../helpers/bots.ts'
import { startApp, type TestApp } from '../../../helpers/harness.ts'
import { type Browser, replyOf, startInbox, withOk } from '../../../helpers/inbox.ts'
import { holdLock } from '../../../helpers/rows.ts'
import { withCookie } from '../../../helpers/sessions.ts'

test('a reply says which user wrote it, takes the conversation over, and its event keeps the userId of the owner', async () => {
  await using inbox = await startInbox()
  const { app, account, member, pathOf } = inbox
  await write(account, 'Hello')
  const path = await pathOf()
  const reply = await member.ok('POST', `${path}/replies`, replyOf('Hi Ana'))
  assert.deepEqual([reply.author, reply.userId, reply.userName], ['person', member.userId, 'Mia Member'])
  assert.deepEqual([reply.seq, reply.delivery.status, reply.delivery.maxAttempts > 1], [2, 'Waiting', true])
  const { payload } = await app.db.selectFrom('deliveries').select('payload').executeTakeFirstOrThrow()
  assert.equal(JSON.parse(payload).userId, account.userId)
  const detail = await member.ok('GET', path)
  assert.deepEqual(
    [detail.handler, detail.handlerReason, detail.handlerUser],
    ['person', 'typed', { id: member.userId, name: 'Mia Member' }],
  )
  assert.ok(Math.abs(Date.parse(detail.botResumesAt) - Date.now() - 24 * 3_600_000) < 60_000)
  const thread = await member.ok('GET', `${path}/messages`)
  assert.deepEqual(
    thread.events.map(({ kind, seq, userName }: Record<string, unknown>) => [kind, seq, userName]),
    [['taken over', 1, 'Mia Member']],
  )
})

test('one reply that is sent many times at once, to two servers, is one message, and each gets it', async () => {
  await using inbox = await startInbox()
  const { app, account, owner, pathOf } = inbox
  await using second = await startApp({}, app.database)
  const there = withOk(withCookie(second, owner.userId, owner.cookie))
  await write(account, 'Hello')
  const path = `${await pathOf()}/replies`
  const reply = replyOf('Hi Ana')
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? owner : there).ok('POST', path, reply)),
  )
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  assert.deepEqual(await conversation(app), ['contact: Hello', 'person: Hi Ana'])
  await owner.ok('POST', path, replyOf('Hi Ana')) // the same words again are another reply
  assert.equal((await conversation(app)).length, 3)
})

test('a reply whose answer was lost is found again when it is repeated', async () => {
  await using inbox = await startInbox()
  const { app, account, owner, pathOf } = inbox
  await write(account, 'Hello')
  const path = `${await pathOf()}/replies`
  const reply = replyOf('Hi Ana')
  await using held = await holdLock(app, 'contacts', (await pathOf()).split('/').at(-1) ?? '')
  const lost = loseAnswer(app, owner, { path, body: JSON.stringify(reply) })
  await held.untilWaiting(1) // the server is at work on it
  lost.destroy()
  await held.release()
  const [first, again] = [await owner.ok('POST', path, reply), await owner.ok('POST', path, reply)]
  assert.equal(again.id, first.id)
  assert.deepEqual(await conversation(app), ['contact: Hello', 'person: Hi Ana'])
})

function loseAnswer(app: TestApp, { cookie }: Browser, { path, body }: { path: string; body: string }) {
  const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  const sending = request(`${app.url}${path}`, { method: 'POST', ca: app.certificate, headers })
  sending.on('error', () => {})
  return sending.end(body)
}

test('the id of a reply belongs to one user and one text', async () => {
  await using inbox = await startInbox()
  const { app, account, owner, member, pathOf } = inbox
  await write(account, 'Hello')
  await write(account, 'Hello', { fromId: 'ben' })
  const path = `${await pathOf()}/replies`
  const reply = replyOf('Hi Ana')
  await owner.ok('POST', path, reply)
  assert.equal((await owner.call('POST', path, { ...reply, body: 'Something else' })).status, 400)
  assert.equal((await owner.call('POST', `${await pathOf('ben')}/replies`, reply)).status, 400)
  await member.ok('POST', path, reply)
  assert.deepEqual(await conversation(app), ['contact: Hello', 'person: Hi Ana', 'person: Hi Ana'])
  assert.deepEqual(await conversation(app, 'ben'), ['contact: Hello'])
})

test('a reply that nobody could read is refused and changes nothing', async () => {
  await using inbox = await startInbox()
  const { app, account, owner, pathOf } = inbox
  await write(account, 'Hello')
  const path = await pathOf()
  for (const reply of [
    ...[{ body: '' }, { body: ' \u200b ' }, { body: 'ü'.repeat(40_000) }, { clientId: 'short' }, { body: 1 }],
  ]) {
    assert.equal((await owner.call('POST', `${path}/replies`, { ...replyOf('Hi'), ...reply })).status, 400)
  }
  assert.deepEqual(await conversation(app), ['contact: Hello'])
  assert.equal((await owner.ok('GET', path)).handler, 'bot')
})
