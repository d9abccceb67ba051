// Runs alone: takes long, it kills workers under load

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { setWebhook } from '../../../src/journey/delivery/transports/webhook/webhooks.ts'
import type { ListedMessage } from '../../../src/journey/messages/store.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { allSent, passTime, untilMessages } from '../../helpers/deliveries.ts'
import { outgoing, sendPath } from '../../helpers/message-requests.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import type { ServerProcess } from '../../helpers/server-process.ts'
import { startShared } from '../../helpers/shared-processes.ts'
import { until } from '../../helpers/until.ts'

/** Waits for leases to run out in real time instead of moving the clock: `KILL_ROUNDS=10 npm test`. */
const usesRealTime = Number(process.env.KILL_ROUNDS ?? 1) > 1

/** Starts processes that share one database, and saves the address for replies of the owner. */
async function startSending(url: string) {
  const shared = await startShared()
  const { accountId, ctx } = shared
  await setWebhook(ctx, { accountId, receiverId: 'reply' }, { url })
  return { ...shared, owner: { accountId } }
}

async function sendTo(api: ServerProcess, count: number, conversations: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) {
    const { status, body } = await api.post(sendPath, outgoing({ fromId: `contact ${n % conversations}` }))
    assert.equal(status, 200)
    ids.push(body.messageId ?? '')
  }
  return ids
}

/** The ids of all events that any process has leased. */
async function leasedIds(db: Db): Promise<Set<string>> {
  const rows = await db.selectFrom('deliveries').select('id').where('leaseToken', 'is not', null).execute()
  return new Set(rows.map(({ id }) => id))
}

/**
 * Waits until only events of conversations that wait for a lease of the dead process are unsent, and returns the events
 * that it holds, of all that were leased when it died. Moving the clock also ends the leases of live processes: whatever
 * they had in flight would be delivered twice.
 */
async function untilOnlyHeldAreLeft(db: Db, owner: { accountId: AccountId }, held: Set<string>): Promise<string[]> {
  const notSent = (all: ListedMessage[]) => all.filter(({ status }) => status !== 'Sent')
  const areOthersGone = (all: ListedMessage[]) => {
    const left = notSent(all)
    const stuck = new Set(left.filter(({ id }) => held.has(id)).map(({ contactId }) => contactId))
    return left.every(({ contactId }) => stuck.has(contactId))
  }
  const left = notSent(await untilMessages({ db }, owner, areOthersGone, 40_000))
  return left.map(({ id }) => id).filter((id) => held.has(id))
}

/** Waits until the leases of the dead process have run out. */
async function untilLeasesEnd(db: Db): Promise<void> {
  if (usesRealTime) await sleep(31_000)
  else await passTime(db, '31 s')
}

test('killing a worker delays its replies by one lease, and delivers twice at most what it had in flight', async () => {
  let isSlow = true
  await using receiver = await startReceiver(async (_request, response) => {
    if (isSlow) await sleep(400)
    response.end()
  })
  await using world = await startSending(receiver.url)
  const { db, owner, api, start } = world
  const [one, other] = [await start('worker'), await start('worker')]
  const ids = await sendTo(api, 60, 20)
  await untilMessages({ db }, owner, (all) => all.some(({ status }) => status === 'Sent'))
  one.child.kill('SIGKILL')
  await one.exited
  isSlow = false
  const heldByDead = await untilOnlyHeldAreLeft(db, owner, await leasedIds(db))
  assert.ok(heldByDead.length <= 8, `four in flight, and four whose outcome was not stored yet: ${heldByDead.length}`)
  await untilLeasesEnd(db)
  await untilMessages({ db }, owner, allSent, 40_000)
  assert.equal(other.child.exitCode, null)
  const arrived = receiver.requests.map(({ headers }) => headers['webhook-id'] ?? '')
  assert.deepEqual(new Set(arrived), new Set(ids), 'none is lost')
  const again = arrived.filter((id, n) => arrived.indexOf(id) < n)
  assert.deepEqual(new Set(again).difference(new Set(heldByDead)), new Set(), 'others arrived twice')
  assert.equal(new Set(again).size, again.length, 'none arrived three times')
})

test('a server that is killed after it accepted messages loses none of them: the next one delivers', async () => {
  let isDead = true
  await using receiver = await startReceiver((_request, response) => {
    if (!isDead) response.end()
  })
  await using world = await startSending(receiver.url)
  const { db, owner, start } = world
  const all = await start('all')
  const ids = await sendTo(all, 30, 30)
  all.child.kill('SIGKILL')
  await all.exited
  isDead = false
  receiver.requests.length = 0
  await untilLeasesEnd(db)
  await start('worker')
  await untilMessages({ db }, owner, allSent, 40_000)
  const arrived = receiver.requests.map(({ headers }) => headers['webhook-id'] ?? '')
  assert.deepEqual(arrived.toSorted(), ids.toSorted())
})

test('a worker that gets SIGTERM finishes the attempts in flight, and leaves the rest to others', async () => {
  await using receiver = await startReceiver(async (_request, response) => {
    await sleep(300)
    response.end()
  })
  await using world = await startSending(receiver.url)
  const { db, owner, api, start } = world
  const worker = await start('worker')
  const ids = await sendTo(api, 20, 20)
  await untilMessages({ db }, owner, () => receiver.requests.length > 0)
  worker.child.kill('SIGTERM')
  assert.equal(await worker.exited, 0)
  const begun = receiver.requests.length
  const messages = await untilMessages({ db }, owner, () => true)
  assert.equal(messages.filter(({ status }) => status === 'Sent').length, begun, 'each that was in flight is settled')
  await start('worker')
  await untilMessages({ db }, owner, allSent)
  assert.deepEqual(receiver.requests.map(({ headers }) => headers['webhook-id'] ?? '').toSorted(), ids.toSorted())
})

test('an api process notifies the workers, so that no message waits for them to poll', async () => {
  await using receiver = await startReceiver()
  await using world = await startSending(receiver.url)
  const { db, owner, api, start } = world
  await start('worker')
  await untilItListens(db)
  const delays: number[] = []
  for (let n = 0; n < 10; n += 1) {
    const sentAt = performance.now()
    await sendTo(api, 1, 1)
    while (receiver.requests.length <= n) await sleep(5)
    delays.push(performance.now() - sentAt)
  }
  await untilMessages({ db }, owner, allSent)
  const median = delays.toSorted((one, two) => one - two)[5] ?? 0
  // Each is sent just after the claim of the one before: with polling once a second, every one would take a second.
  assert.ok(median < 750, `${median} ms`)
})

async function untilItListens(db: Db): Promise<void> {
  const listening = sql`
    select from pg_stat_activity where datname = current_database() and query like 'listen %' and state = 'idle'
  `
  await until(async () => (await listening.execute(db)).rows.length > 0, 'it does not listen')
}
