import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setEndpoint } from '../src/delivery/endpoints.ts'
import type { Db } from '../src/platform/db.ts'
import { allSent, passTime, untilMessages } from './deliveries.ts'
import { outgoing, sendPath } from './message-requests.ts'
import { startReceiver } from './receivers.ts'
import type { ServerProcess } from './server-process.ts'
import { startShared } from './shared-processes.ts'

/** Waits for leases to run out by the clock instead of moving it, when there is time: `KILL_ROUNDS=10 npm test`. */
const isPatient = Number(process.env.KILL_ROUNDS ?? 1) > 1

/** Processes that share one database, and the address where replies of the owner go. */
async function startSending(url: string) {
  const shared = await startShared()
  const { accountId, ctx } = shared
  await setEndpoint(ctx, { accountId, kind: 'reply' }, url)
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

/**
 * Until those that live have nothing under way. Where time is made to pass, it passes for their leases too, but not for
 * them: whatever they had under way would be delivered twice.
 */
async function untilNothingMoves(db: Db): Promise<void> {
  const count = () => db.selectFrom('deliveries').select('id').where('sentAt', 'is', null).execute()
  for (let [before, left] = [-1, (await count()).length]; before !== left; left = (await count()).length) {
    before = left
    await sleep(1_000)
  }
}

/** Until what a dead process held is free for the others. */
async function untilLeasesEnd(db: Db): Promise<void> {
  if (isPatient) await sleep(31_000)
  else await passTime(db, '31 s')
}

test('a worker that is killed costs its replies one lease, and doubles at most what it had in flight', async () => {
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
  const heldByTheDead = 4
  await untilMessages({ db }, owner, (all) => all.filter(({ status }) => status === 'Sent').length >= 20)
  await untilNothingMoves(db)
  await untilLeasesEnd(db)
  await untilMessages({ db }, owner, allSent, 40_000)
  assert.equal(other.child.exitCode, null)
  const arrived = receiver.requests.map(({ headers }) => headers['webhook-id'] ?? '')
  assert.deepEqual(new Set(arrived), new Set(ids), 'none is lost')
  assert.ok(arrived.length - ids.length <= heldByTheDead, `${arrived.length - ids.length} arrived twice`)
})

test('a server that is killed after it took messages loses none of them: the next one delivers', async () => {
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

test('a worker that is told to stop finishes what it has begun, and leaves the rest to others', async () => {
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
  assert.equal(messages.filter(({ status }) => status === 'Sent').length, begun, 'each that was begun is settled')
  await start('worker')
  await untilMessages({ db }, owner, allSent)
  assert.deepEqual(receiver.requests.map(({ headers }) => headers['webhook-id'] ?? '').toSorted(), ids.toSorted())
})

test('an api process calls the workers, so that nothing waits for them to look', async () => {
  await using receiver = await startReceiver()
  await using world = await startSending(receiver.url)
  const { db, owner, api, start } = world
  await start('worker')
  await sleep(1_200) // until it listens
  const delays: number[] = []
  for (let n = 0; n < 10; n += 1) {
    const sentAt = performance.now()
    await sendTo(api, 1, 1)
    while (receiver.requests.length <= n) await sleep(5)
    delays.push(performance.now() - sentAt)
  }
  await untilMessages({ db }, owner, allSent)
  const median = delays.toSorted((one, two) => one - two)[5] ?? 0
  assert.ok(median < 500, `by looking once a second it would take half a second: ${median} ms`)
})
