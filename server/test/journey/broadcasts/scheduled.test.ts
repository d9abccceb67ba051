import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advance } from '../../../src/journey/broadcasts/queue/advance.ts'
import { readStartsAt } from '../../../src/journey/broadcasts/starts-at.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import type { AccountId, BroadcastId, ContactId } from '../../../src/platform/ids.ts'
import { isFinished, makeMembers, news, readersOf, startCast, untilCast } from '../../helpers/broadcasts.ts'
import { passTime, saveUrl, startDelivering } from '../../helpers/deliveries.ts'
import { secretKey, sharedApp, startApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { signIn } from '../../helpers/sessions.ts'

const dispatcher = { reserve: () => undefined, giveBack: () => {}, take: () => {}, wake: () => {} }
const step = (db: Db, ref: { accountId: AccountId; broadcastId: BroadcastId }) =>
  advance({ db, secretKey, window: 1_000, channelWindow: 1_000, dispatcher }, ref)

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

/** An account with five people, a broadcast that starts in an hour, and no worker. */
async function startScheduled() {
  await using starting = new AsyncDisposableStack()
  const receiver = starting.use(await startReceiver())
  const app = starting.use(await startApp())
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  const members = await makeMembers(app.db, account, 5)
  const user = await signIn(app, account)
  const broadcastId = (await startCast(account, { startsAt: inHours(1) })) as BroadcastId
  const ref = { accountId: account.accountId, broadcastId }
  const read = async () => (await account.get(`/broadcasts/${broadcastId}`)).body
  const started = starting.move()
  return { app, account, user, members, ref, read, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

test('when it starts is a time with an offset, in the future and at most a year ahead; anything else is refused and starts nothing', async () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  assert.equal(readStartsAt('2026-03-01T14:30:00+02:00', now).toISOString(), '2026-03-01T12:30:00.000Z')
  assert.equal(readStartsAt('2026-03-01T12:00:01Z', now).toISOString(), '2026-03-01T12:00:01.000Z')
  const wrong: [string, RegExp][] = [
    ...[
      '2026-06-01T09:00:00',
      '2026-06-01',
      'tomorrow',
      '1780000000',
      '2026-13-01T09:00:00Z',
      '2026-06-31T09:00:00Z',
    ].map((text): [string, RegExp] => [text, /ISO 8601 with an offset/]),
    ['2026-03-01T12:00:00Z', /in the past/],
    ['2026-03-01T13:30:00+02:00', /in the past/],
    ['2027-03-03T12:00:00Z', /more than a year ahead/],
  ]
  for (const [text, sentence] of wrong) assert.throws(() => readStartsAt(text, now), sentence, text)

  await using app = await sharedApp()
  const account = await app.makeAccount()
  for (const startsAt of ['2020-01-01T00:00:00Z', '2026-06-01T09:00:00', inHours(9_000)]) {
    const { status, body } = await account.post('/broadcasts', { listId: account.listId, ...news, startsAt })
    assert.deepEqual([status, body.error.code], [400, 'INVALID_REQUEST'], startsAt)
    assert.match(body.error.message, /startsAt/)
  }
  assert.equal((await app.db.selectFrom('broadcasts').select('id').execute()).length, 0)
})

test('a scheduled broadcast copies and sends nothing before its time; then its people are those on the list at that moment', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  const [first] = await makeMembers(app.db, account, 5)
  const startsAt = inHours(1)
  const id = await startCast(account, { startsAt, customChannel: 'web chat' })
  const { body: before } = await account.get(`/broadcasts/${id}`)
  assert.deepEqual([before.state, before.startsAt, before.counts.recipients], ['scheduled', startsAt, 0])
  await passTime(app.db, '59 minutes')
  assert.equal((await untilCast(account, id, () => true)).state, 'scheduled')
  await app.db
    .deleteFrom('listMembers')
    .where('contactId', '=', first as ContactId)
    .execute()
  await account.post('/contacts', { phone: '+447700900001', fromId: 'added-later' })
  const added = await app.db
    .selectFrom('contacts')
    .select('id')
    .where('externalId', '=', 'added-later')
    .executeTakeFirst()
  await account.post(`/lists/${account.listId}/contacts`, { contactId: added?.id })
  await passTime(app.db, '2 minutes')
  const { counts } = await untilCast(account, id, isFinished)
  assert.equal(counts.sent, 5)
  assert.deepEqual(readersOf(receiver).sort(), ['added-later', 'to-2', 'to-3', 'to-4', 'to-5'])
})

test('of any number of processes that see that it is time, one starts it, and everybody is copied once', async () => {
  await using scheduled = await startScheduled()
  const { app, ref, read } = scheduled
  assert.equal((await step(app.db, ref)).hasChanged, false)
  assert.equal((await read()).state, 'scheduled')
  await passTime(app.db, '61 minutes')
  const steps = await Promise.all(Array.from({ length: 12 }, () => step(app.db, ref)))
  assert.ok(steps.some(({ hasChanged }) => hasChanged))
  while ((await read()).state !== 'running') await step(app.db, ref)
  assert.equal((await read()).counts.recipients, 5)
})

test('where no server ran for half an hour it starts late; after three hours it is halted, somebody is told, and a person starts or moves it', async () => {
  await using late = await startScheduled()
  await passTime(late.app.db, '90 minutes')
  await step(late.app.db, late.ref)
  assert.equal((await late.read()).state, 'preparing')

  await using missed = await startScheduled()
  const { app, user, ref, read } = missed
  await passTime(app.db, '4 hours')
  await Promise.all([step(app.db, ref), step(app.db, ref)])
  const { state, haltedReason, counts } = await read()
  assert.deepEqual([state, haltedReason, counts.recipients], ['paused', 'missed_start', 0])
  const { body: alerts } = await user.call('GET', '/api/alerts/state')
  assert.deepEqual(
    alerts.troubles
      .filter(({ condition }: { condition: string }) => condition === 'broadcast')
      .map(({ subject }: { subject: string }) => subject),
    [ref.broadcastId],
  )
  const path = `/api/broadcasts/${ref.broadcastId}`
  assert.equal((await user.call('PATCH', path, { body: 'Only later' })).status, 400, 'its time is over')
  const moved = await user.call('PATCH', path, { startsAt: inHours(2) })
  assert.deepEqual([moved.status, moved.body.state, moved.body.halted], [200, 'scheduled', null])
  await passTime(app.db, '4 hours')
  await step(app.db, ref)
  assert.equal((await user.call('POST', `${path}/resume`)).body.state, 'preparing')
})

test('until it starts all of it can be changed, and is checked again; afterwards nothing', async () => {
  await using scheduled = await startScheduled()
  const { app, account, user, ref, read } = scheduled
  const path = `/api/broadcasts/${ref.broadcastId}`
  const wrong: [Record<string, unknown>, number, RegExp][] = [
    [{ body: 'Hello {{lastName}}' }, 400, /only \{\{firstName\}\}/],
    [{ startsAt: '2020-01-01T00:00:00Z' }, 400, /past/],
    [{ listId: 'lst_no' }, 404, /no such list/],
    [{ channel: 'a', channelId: 'b' }, 400, /Give either/],
    [{ channelId: `chn_${'0'.repeat(32)}` }, 400, /channelId names no built-in channel/],
    [{ ratePerMinute: 0 }, 400, /ratePerMinute/],
  ]
  const before = await read()
  for (const [given, status, sentence] of wrong) {
    const answer = await user.call('PATCH', path, given)
    assert.equal(answer.status, status, JSON.stringify(given))
    assert.match(answer.body.error.message, sentence)
  }
  assert.deepEqual(await read(), before, 'nothing of it was changed')
  const startsAt = inHours(5)
  const given = { name: 'Sunday', body: 'Good morning', startsAt, channel: 'mail', ratePerMinute: 60, idFrom: 'phone' }
  const { status, body } = await user.call('PATCH', path, given)
  assert.equal(status, 200, JSON.stringify(body))
  const { name, customChannel, ratePerMinute, idFrom } = await read()
  assert.deepEqual([name, customChannel, ratePerMinute, idFrom], ['Sunday', 'mail', 60, 'phone'])
  assert.deepEqual([body.body, body.startsAt, body.state], ['Good morning', startsAt, 'scheduled'])
  await user.call('PATCH', path, { idFrom: null, name: '' })
  assert.deepEqual([(await read()).idFrom, (await read()).name], [null, 'Customers'])
  const deleting = await user.call('DELETE', `/api/lists/${account.listId}`)
  assert.deepEqual([deleting.status, deleting.body.error.message], [409, waitsForIt])
  const stranger = await signIn(app, await app.makeAccount())
  assert.equal((await stranger.call('PATCH', path, { body: 'Mine' })).status, 404)
  assert.equal((await user.call('PATCH', path, { startsAt: null })).body.state, 'preparing')
  assert.equal((await user.call('PATCH', path, { body: 'Too late' })).status, 409)
  const acts = await app.db.selectFrom('auditEvents').select('act').orderBy('id').execute()
  assert.deepEqual(
    acts.map(({ act }) => act).filter((act) => act.startsWith('broadcast')),
    ['broadcast scheduled', 'broadcast changed', 'broadcast changed', 'broadcast started'],
  )
})

const waitsForIt = 'A broadcast to this list waits for its time. Cancel it, or give it another list.'

test('one that is cancelled never starts, and its list can be deleted', async () => {
  await using scheduled = await startScheduled()
  const { app, account, user, ref, read } = scheduled
  const path = `/api/broadcasts/${ref.broadcastId}`
  assert.equal((await user.call('POST', `${path}/pause`)).status, 409)
  const { status, body } = await user.call('POST', `${path}/stop`)
  assert.deepEqual([status, body.state], [200, 'stopped'])
  await passTime(app.db, '61 minutes')
  assert.equal((await step(app.db, ref)).hasChanged, false)
  assert.deepEqual([(await read()).state, (await read()).counts.recipients], ['stopped', 0])
  assert.equal((await user.call('PATCH', path, { startsAt: inHours(1) })).status, 409)
  assert.equal((await user.call('DELETE', `/api/lists/${account.listId}`)).status, 200)
})
