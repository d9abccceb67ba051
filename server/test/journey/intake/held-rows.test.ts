import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startAgency } from '../../helpers/credits.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { countTraces, incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { holdLock } from '../../helpers/rows.ts'

test('messages from and to contacts with a locked conversation delay no others, and are stored when the lock is released', async () => {
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  const contacts = Array.from({ length: 8 }, (_, n) => `contact ${n}`)
  for (const fromId of contacts) await shop.post(incomingPath, incoming({ messageSid: fromId, fromId }))
  await using lock = await holdLock(app, 'conversations', shop.accountId, 'account_id')
  const waiting = [
    ...contacts.flatMap((fromId) =>
      Array.from({ length: 4 }, (_, n) => shop.post(incomingPath, incoming({ messageSid: `${fromId} ${n}`, fromId }))),
    ),
    ...contacts.map((fromId) => shop.post(sendPath, outgoing({ fromId }))),
  ]
  await lock.untilWaiting(2, 'patchbay waiting')
  for (let n = 0; n < 3; n += 1) {
    assert.equal((await other.post(incomingPath, incoming({ messageSid: `${n}` }))).status, 200)
    assert.equal((await other.post(sendPath, outgoing())).status, 200)
    assert.equal((await shop.post(incomingPath, incoming({ messageSid: `${n}`, fromId: 'eva' }))).status, 200)
  }
  assert.ok((await lock.waiting('patchbay waiting')) <= 2, 'more of one account wait for locks')
  await lock.release()
  const answers = await Promise.all(waiting) // on a slow machine some have run into the timeout
  const kept = answers.filter(({ status }) => status === 200)
  assert.equal((await countTraces(app)).messages, contacts.length + 9 + kept.length)
  for (const fromId of contacts) {
    assert.equal((await shop.post(incomingPath, incoming({ messageSid: `again ${fromId}`, fromId }))).status, 200)
  }
})

test('grants to a sub-account with a locked balance delay no others, and are made when the lock is released', async () => {
  await using world = await startAgency()
  const [held, free] = [await world.makeSub(), await world.makeSub()]
  const grant = async (email: string) => (await world.ask({ email, amount: 1 })).body.new_balance
  await grant(held.email)
  await using lock = await holdLock(world.app, 'balances', held.accountId, 'account_id')
  const waiting = Array.from({ length: 20 }, () => grant(held.email))
  await lock.untilWaiting(1, 'patchbay waiting')
  for (let n = 1; n <= 3; n += 1) assert.equal(await grant(free.email), n)
  await lock.release()
  const made = (await Promise.all(waiting)).filter((balance) => balance !== undefined)
  assert.deepEqual(new Set(made), new Set(made.map((_, n) => n + 2)))
  assert.equal(await grant(held.email), made.length + 2)
})
