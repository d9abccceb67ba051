import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { optOut } from '../../../src/journey/conversations/consent.ts'
import { deleteList } from '../../../src/people/lists/change.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { holdTurnsBack, write } from '../../helpers/bots.ts'
import { isFinished, makeMembers, readersOf, startCast, untilCast } from '../../helpers/broadcasts.ts'
import { passTime, saveUrl, startDelivering } from '../../helpers/deliveries.ts'
import { secretKey, type TestApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

/** A receiver that answers when `let` is called, and at once after `letAll`. */
async function startHeld() {
  const held: (() => void)[] = []
  let isOpen = false
  const receiver = await startReceiver((_request, response) => {
    if (isOpen) response.end()
    else held.push(() => response.end())
  })
  const letAll = () => {
    isOpen = true
    for (const release of held.splice(0)) release()
  }
  return { receiver, held, letAll }
}

test('every contact of the list gets one message, with their name filled in, over the channel and to the campaign chosen', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  const ids = await makeMembers(app.db, account, 40)
  await app.db
    .updateTable('contacts')
    .set({ firstName: null })
    .where('id', '=', ids[7] as ContactId)
    .execute()
  const campaign = await app.db.selectFrom('campaigns').select('id').executeTakeFirstOrThrow()
  const id = await startCast(account, { campaignId: campaign.id, name: 'Sunday' })
  const { name, counts } = await untilCast(account, id, isFinished)
  assert.equal(name, 'Sunday')
  assert.deepEqual([counts.recipients, counts.sent, counts.failed], [40, 40, 0])
  const events = receiver.requests.map(({ body }) => JSON.parse(body.toString()))
  assert.deepEqual(new Set(events.map(({ contactId }) => contactId)), new Set(ids))
  assert.equal(events.length, 40)
  assert.equal(events.find(({ toId }) => toId === 'to-3').body, 'Hello Reader d, we are open.')
  assert.equal(events.find(({ toId }) => toId === 'to-8').body, 'Hello, we are open.')
  assert.ok(events.every(({ channel }) => channel === 'web chat'))
  assert.ok(receiver.requests.every(({ headers }) => headers['patchbay-author'] === 'api'))
  const kept = await app.db.selectFrom('messages').select(['author', 'broadcastId']).execute()
  assert.deepEqual(new Set(kept.map(({ author, broadcastId }) => `${author} ${broadcastId}`)), new Set([`api ${id}`]))
  const conversations = await app.db.selectFrom('conversations').select(['campaignId', 'handler']).execute()
  assert.ok(conversations.every(({ campaignId, handler }) => campaignId === campaign.id && handler === 'bot'))
})

test('who opted out, has no id or was erased is left out and counted, also when it happens between the start and their turn', async () => {
  const { receiver, held, letAll } = await startHeld()
  await using _receiver = receiver
  await using app = await startDelivering()
  const account = await app.makeAccount()
  const { accountId } = account
  await saveUrl(app, account, receiver.url)
  const ids = await makeMembers(app.db, account, 20)
  const [early, noId, late, erased] = [ids[4], ids[5], ids[15], ids[16]] as [ContactId, ContactId, ContactId, ContactId]
  await optOut(app.db, { accountId, contactId: early })
  await app.db.updateTable('contacts').set({ externalId: null }).where('id', '=', noId).execute()
  const id = await startCast(account)
  await until(() => held.length === 2, 'two are in flight')
  const before = await untilCast(account, id, ({ state }) => state === 'running')
  assert.deepEqual(before.counts.leftOut, {
    optedOut: 1,
    blocked: 0,
    noId: 1,
    noAddress: 0,
    idTaken: 0,
    erased: 0,
    stopped: 0,
  })
  await optOut(app.db, { accountId, contactId: late })
  await eraseContact({ db: app.db, secretKey }, { accountId, contactId: erased })
  letAll()
  const { counts } = await untilCast(account, id, isFinished)
  assert.deepEqual(counts.leftOut, {
    optedOut: 2,
    blocked: 0,
    noId: 1,
    noAddress: 0,
    idTaken: 0,
    erased: 1,
    stopped: 0,
  })
  assert.equal(counts.sent, 16)
  const readers = readersOf(receiver)
  assert.equal(new Set(readers).size, 16)
  for (const n of [5, 6, 16, 17]) assert.ok(!readers.includes(`to-${n}`), `to-${n}`)
})

test('a pause makes no more messages and a stop ends it for good; each acts at once, and what is in flight arrives', async () => {
  const { receiver, held, letAll } = await startHeld()
  await using _receiver = receiver
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  await makeMembers(app.db, account, 30)
  const user = await signIn(app, account)
  const id = await startCast(account)
  await until(() => held.length === 2, 'two are in flight')
  const paused = await user.call('POST', `/api/broadcasts/${id}/pause`)
  assert.deepEqual([paused.status, paused.body.state], [200, 'paused'])
  assert.equal((await user.call('POST', `/api/broadcasts/${id}/pause`)).status, 409)
  letAll()
  await untilCast(account, id, ({ counts }) => counts.sent === 2)
  await sleep(300)
  assert.equal(receiver.requests.length, 2)
  assert.equal((await messagesOf(app)).length, 2)
  assert.equal((await user.call('POST', `/api/broadcasts/${id}/resume`)).body.state, 'running')
  await untilCast(account, id, ({ counts }) => counts.sent >= 5)
  const stopped = await user.call('POST', `/api/broadcasts/${id}/stop`)
  assert.deepEqual([stopped.status, stopped.body.state], [200, 'stopped'])
  const made = (await messagesOf(app)).length
  const { counts } = await untilCast(account, id, ({ counts: { waiting } }) => waiting === 0)
  await sleep(300)
  assert.equal((await messagesOf(app)).length, made)
  assert.deepEqual([counts.sent, counts.leftOut.stopped], [made, 30 - made])
  assert.equal((await user.call('POST', `/api/broadcasts/${id}/resume`)).status, 409)
  const acts = await app.db.selectFrom('auditEvents').select(['act', 'actorKind']).orderBy('id').execute()
  assert.deepEqual(
    acts.filter(({ act }) => act.startsWith('broadcast')).map(({ act, actorKind }) => `${act} by ${actorKind}`),
    ['broadcast started by key', 'broadcast paused by user', 'broadcast resumed by user', 'broadcast stopped by user'],
  )
})

test('who has written a stop word that nobody has read yet gets nothing', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await holdTurnsBack(app)
  await saveUrl(app, account, receiver.url)
  await makeMembers(app.db, account, 3)
  await write(account, 'STOP', { fromId: 'to-2' })
  const { counts } = await untilCast(account, await startCast(account), isFinished)
  assert.deepEqual([counts.sent, counts.leftOut.optedOut], [2, 1])
  assert.deepEqual(readersOf(receiver).toSorted(), ['to-1', 'to-3'])
})

const messagesOf = ({ db }: TestApp) => db.selectFrom('messages').select('id').execute()

test('a broadcast goes on from what it copied when its list is deleted, and contacts added later get nothing', async () => {
  const { receiver, held, letAll } = await startHeld()
  await using _receiver = receiver
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  await makeMembers(app.db, account, 12)
  const id = await startCast(account)
  await until(() => held.length === 2, 'two are in flight')
  await deleteList(app.db, account.accountId, account.listId)
  letAll()
  const { counts } = await untilCast(account, id, isFinished)
  assert.deepEqual([counts.recipients, counts.sent], [12, 12])
})

test('while the receiver can take nothing no message is made; after ten minutes the broadcast is halted, and goes on when somebody resumes it', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await makeMembers(app.db, account, 5)
  const user = await signIn(app, account)
  const id = await startCast(account)
  await untilCast(account, id, ({ waitingReason }) => waitingReason === 'no_endpoint')
  await passTime(app.db, '9 minutes')
  await sleep(1_200)
  assert.equal((await account.get(`/broadcasts/${id}`)).body.state, 'running')
  await passTime(app.db, '2 minutes')
  const halted = await untilCast(account, id, ({ state }) => state === 'paused')
  assert.deepEqual([halted.haltedReason, halted.waitingReason, halted.counts.waiting], ['no_endpoint', null, 5])
  assert.equal((await messagesOf(app)).length, 0)
  await saveUrl(app, account, receiver.url)
  assert.equal((await user.call('POST', `/api/broadcasts/${id}/resume`)).status, 200)
  const { counts, haltedReason } = await untilCast(account, id, isFinished)
  assert.deepEqual([counts.sent, haltedReason], [5, null])
})

test('a message that the receiver refuses for good counts as failed with its cause, stops nothing, and counts as sent when it is sent again', async () => {
  let isStrict = true
  await using receiver = await startReceiver(({ body }, response) => {
    response.writeHead(isStrict && /"to-[37]"/.test(body.toString()) ? 422 : 200).end()
  })
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '0.02' })
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  await makeMembers(app.db, account, 15)
  const user = await signIn(app, account)
  const id = await startCast(account)
  const { counts, failures } = await untilCast(account, id, isFinished)
  assert.deepEqual([counts.sent, counts.failed], [13, 2])
  assert.deepEqual(failures, [{ category: 'http_error', httpStatus: 422, count: 2 }])
  const { body } = await user.call('GET', `/api/broadcasts/${id}/recipients?which=failed`)
  assert.deepEqual(
    body.recipients.map(({ externalId, category, httpStatus }: Record<string, unknown>) => [
      externalId,
      category,
      httpStatus,
    ]),
    [
      ['to-3', 'http_error', 422],
      ['to-7', 'http_error', 422],
    ],
  )
  isStrict = false
  const again = await user.call('POST', '/api/deliveries/resend', {
    since: new Date(Date.now() - 3_600_000).toISOString(),
  })
  assert.equal(again.status, 200, JSON.stringify(again.body))
  await passTime(app.db, '10 s')
  const after = await untilCast(account, id, ({ counts: { sent } }) => sent === 15)
  assert.deepEqual([after.counts.failed, after.failures, after.state], [0, [], 'finished'])
})

test('who writes after their message counts as answered once, for the last broadcast before it', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  await makeMembers(app.db, account, 4)
  await write(account, 'Long before', { fromId: 'to-4' })
  const first = await startCast(account)
  await untilCast(account, first, isFinished)
  await write(account, 'Thank you', { fromId: 'to-1' })
  await write(account, 'And more', { fromId: 'to-1' })
  await passTime(app.db, '10 s')
  await untilCast(account, first, ({ counts }) => counts.answered === 1)
  const second = await startCast(account)
  await untilCast(account, second, isFinished)
  await write(account, 'Thanks again', { fromId: 'to-1' })
  await write(account, 'Thanks', { fromId: 'to-2' })
  await passTime(app.db, '10 s')
  await untilCast(account, second, ({ counts }) => counts.answered === 2)
  await passTime(app.db, '10 s')
  await sleep(1_200)
  assert.equal((await account.get(`/broadcasts/${first}`)).body.counts.answered, 1)
  const user = await signIn(app, account)
  const { body } = await user.call('GET', `/api/broadcasts/${second}/recipients?which=answered`)
  assert.deepEqual(
    body.recipients.map(({ externalId }: { externalId: string }) => externalId),
    ['to-1', 'to-2'],
  )
})

test('simulated contacts get theirs through the simulator, without an address for replies', async () => {
  await using app = await startDelivering()
  const account = await app.makeAccount()
  const user = await signIn(app, account)
  const made = await user.call('POST', '/api/simulator/contacts', { firstName: 'Sim' })
  await user.call('PUT', `/api/contacts/${made.body.contactId}/lists/${account.listId}`)
  const id = await startCast(account)
  const { counts } = await untilCast(account, id, isFinished)
  assert.equal(counts.sent, 1)
})
