import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { advance } from '../../../src/journey/broadcasts/queue/advance.ts'
import { mayMake } from '../../../src/journey/broadcasts/queue/pace.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import type { AccountId, BroadcastId } from '../../../src/platform/ids.ts'
import { makeMembers, startCast } from '../../helpers/broadcasts.ts'
import { passTime, saveUrl } from '../../helpers/deliveries.ts'
import { secretKey, startApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'

/** As in a process that delivers nothing. */
const dispatcher = { reserve: () => undefined, giveBack: () => {}, take: () => {}, wake: () => {} }

/** Runs steps until one makes no message; returns how many were made. */
async function takeAll(db: Db, ref: { accountId: AccountId; broadcastId: BroadcastId }): Promise<number> {
  for (let made = 0; ; ) {
    const { recipients, hasChanged } = await advance(
      { db, secretKey, window: 1_000, channelWindow: 1_000, dispatcher },
      ref,
    )
    made += recipients.length
    if (recipients.length === 0 && !hasChanged) return made
  }
}

/** A broadcast that no worker runs: the test takes its steps, and lets time pass in the database. */
async function startPaced(ratePerMinute: number, members: number) {
  await using started = new AsyncDisposableStack()
  const receiver = started.use(await startReceiver())
  const app = started.use(await startApp())
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  await makeMembers(app.db, account, members)
  const broadcastId = (await startCast(account, { ratePerMinute })) as BroadcastId
  const running = started.move()
  const ref = { accountId: account.accountId, broadcastId }
  return { app, ref, take: () => takeAll(app.db, ref), [Symbol.asyncDispose]: () => running.disposeAsync() }
}

test('messages are made evenly, and never more than the rate in any minute, whatever the gaps between steps', async () => {
  await using paced = await startPaced(60, 200)
  const { app, take } = paced
  const made: { at: number; count: number }[] = []
  let at = 0
  const gaps = [...Array(30).fill(1), 30, ...Array(70).fill(1), 0.5, 3, 90, ...Array(20).fill(1)]
  for (const gap of gaps) {
    made.push({ at, count: await take() })
    await passTime(app.db, `${gap} s`)
    at += gap
  }
  for (const { at: from } of made) {
    const inMinute = made.filter((one) => one.at >= from && one.at < from + 60).reduce((sum, one) => sum + one.count, 0)
    assert.ok(inMinute <= 60, `${inMinute} in the minute from ${from} s`)
  }
  const steady = made.slice(31, 91).reduce((sum, one) => sum + one.count, 0)
  assert.ok(steady >= 58 && steady <= 60, `${steady} in a minute of steps of a second`)
  assert.ok(
    made.every(({ count }) => count <= 1),
    'no burst, not even after a gap of 90 s',
  )
})

test('a process that starts anew goes on at the same pace: what it needs to know is in the database', async () => {
  await using paced = await startPaced(6, 50)
  const { app, take } = paced
  assert.equal(await take(), 1)
  await passTime(app.db, '9 s')
  assert.equal(await take(), 0)
  await passTime(app.db, '1.1 s')
  assert.equal(await take(), 1)
})

test('a pause saves nothing up, and resuming again and again makes no more than the rate allows', async () => {
  await using paced = await startPaced(3, 50)
  const { app, ref, take } = paced
  let made = await take()
  for (let n = 0; n < 10; n += 1) {
    await sql`update broadcasts set paced_at = now() - interval '20 s' where id = ${ref.broadcastId}`.execute(app.db) // as a resume does
    made += await take()
  }
  assert.equal(made, 3)
})

test('the window limits what is due or in flight, whatever the rate', () => {
  const pace = { seconds: 10, madeInLastMinute: 0, ownInFlight: 0, trouble: null, waitedSeconds: 0 }
  assert.equal(mayMake(6_000, { ...pace, inFlight: 0 }, 2).most, 2)
  assert.equal(mayMake(6_000, { ...pace, inFlight: 2 }, 2).most, 0)
  assert.equal(mayMake(6_000, { ...pace, inFlight: 5 }, 2).most, 0)
  assert.equal(mayMake(6_000, { ...pace, inFlight: 0 }, 1_000).most, 25)
})
