import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RechargeEvent } from '@patchbay/contract/api/credits.ts'
import { findAccount } from '../../../src/business/accounts/store.ts'
import { showBalance, showHistory } from '../../../src/business/credits/history.ts'
import { setRecharge } from '../../../src/business/credits/recharge.ts'
import { reverseEntry } from '../../../src/business/credits/reverse.ts'
import { chargeHold, holdPrice } from '../../../src/business/credits/spend.ts'
import { resendFailed, resendOne } from '../../../src/journey/delivery/resend/resend.ts'
import { notifyWorkers } from '../../../src/platform/notify/notify.ts'
import { charge, dropTurn, oweTurn, type Subaccount, startAgency, type World } from '../../helpers/credits.ts'
import { saveUrl, verify } from '../../helpers/deliveries.ts'
import { startApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

async function recharge({ db }: World, { accountId }: Subaccount, threshold: number, amount = 50): Promise<void> {
  await setRecharge(db, await findAccount(db, accountId), { threshold, amount })
}

type Owed = { accountId: string; id: string; event: RechargeEvent }

/** The recharge requests so far, oldest first. */
async function owed({ db }: Pick<World, 'db'>): Promise<Owed[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['accountId', 'id', 'payload'])
    .where('receiverId', '=', 'recharge')
    .orderBy('id')
    .execute()
  return rows.map(({ accountId, id, payload }) => ({ accountId, id, event: JSON.parse(payload) }))
}

test('a charge that leaves less than the threshold writes one recharge request, with every field', async () => {
  await using world = await startAgency()
  const { db, agency } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 11.5 })
  await recharge(world, sub, 10, 99.5)
  await charge(db, sub.accountId, 1.5)
  assert.deepEqual(await owed(world), [], 'it is at the threshold')
  const settled = await charge(db, sub.accountId, 0.0001)
  assert.deepEqual(settled, { charged: 0.0001, balance: 9.9999 })
  const [asked = assert.fail(), ...more] = await owed(world)
  assert.deepEqual(more, [])
  const { created_at, idempotency_key, ...facts } = asked.event
  assert.deepEqual(facts, {
    event: 'subaccount.auto_recharge',
    sub_account_id: sub.accountId,
    email: sub.email,
    balance: 9.9999,
    threshold: 10,
    amount: 99.5,
  })
  assert.deepEqual([asked.accountId, asked.id], [agency.accountId, idempotency_key])
  assert.match(idempotency_key, /^evt_[0-9a-f]{32}$/)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
  assert.deepEqual(Object.keys(asked.event), [
    ...['event', 'idempotency_key', 'sub_account_id', 'email', 'balance', 'threshold', 'amount', 'created_at'],
  ])
})

test('the next recharge request comes only after the balance has been at the threshold or above', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 10 })
  await recharge(world, sub, 8)
  const isArmed = async () => (await showBalance(db, sub.accountId)).recharge?.isArmed
  for (let n = 0; n < 5; n += 1) await charge(db, sub.accountId, 1)
  assert.deepEqual([(await owed(world)).length, await isArmed()], [1, false], 'at 5')
  await world.ask({ email: sub.email, amount: 2.9999 })
  await charge(db, sub.accountId, 1)
  assert.deepEqual([(await owed(world)).length, await isArmed()], [1, false], 'just below the threshold')
  await world.ask({ email: sub.email, amount: 1.0001 })
  assert.deepEqual([(await showBalance(db, sub.accountId)).balance, await isArmed()], [8, true])
  await charge(db, sub.accountId, 1)
  await charge(db, sub.accountId, 1)
  const events = await owed(world)
  assert.equal(events.length, 2)
  assert.equal(new Set(events.map(({ id }) => id)).size, 2, 'each has its own idempotency key')
})

test('concurrent charges that cross the threshold write one recharge request', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 20 })
  await recharge(world, sub, 15)
  await Promise.all(Array.from({ length: 20 }, () => charge(db, sub.accountId, 1)))
  assert.equal((await owed(world)).length, 1)
})

test('a charge that is rolled back writes no recharge request', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 2 })
  await recharge(world, sub, 2)
  const turn = await oweTurn(db, sub.accountId)
  await holdPrice(db, { ...turn, price: 1 })
  const undone = db.transaction().execute(async (tx) => {
    await dropTurn(tx, turn)
    await chargeHold(tx, turn)
    assert.equal((await owed({ db: tx })).length, 1)
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.deepEqual(await owed(world), [])
  assert.equal((await showBalance(db, sub.accountId)).recharge?.isArmed, true)
})

test('recharge requests are off by default and can be switched off; the same threshold again requests nothing twice', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await recharge(world, sub, 100)
  await world.ask({ email: sub.email, amount: 10 })
  await charge(db, sub.accountId, 1)
  assert.equal((await owed(world)).length, 1, 'the first charge below it, though the balance never was above')
  await recharge(world, sub, 100, 7)
  await charge(db, sub.accountId, 1)
  assert.equal((await owed(world)).length, 1)
  assert.deepEqual((await showBalance(db, sub.accountId)).recharge, { threshold: 100, amount: 7, isArmed: false })
  await recharge(world, sub, 0)
  assert.equal((await showBalance(db, sub.accountId)).recharge, null)
  await charge(db, sub.accountId, 1)
  assert.equal((await owed(world)).length, 1)
  await recharge(world, sub, 50)
  await charge(db, sub.accountId, 1)
  assert.equal((await owed(world)).length, 2, 'another threshold allows a new request')
})

test('a reversal writes no recharge request; one that brings the balance to the threshold allows the next', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 10 })
  await recharge(world, sub, 10)
  await charge(db, sub.accountId, 3)
  const [usage] = (await showHistory(db, sub.accountId, { limit: 1 })).entries
  await reverseEntry(db, sub.accountId, { entry: usage?.id ?? '', actor: 'operator' })
  assert.equal((await showBalance(db, sub.accountId)).recharge?.isArmed, true)
  await world.ask({ email: sub.email, amount: 5 })
  const [grant] = (await showHistory(db, sub.accountId, { limit: 1 })).entries
  await charge(db, sub.accountId, 2)
  await reverseEntry(db, sub.accountId, { entry: grant?.id ?? '', actor: 'operator' })
  assert.equal((await owed(world)).length, 1)
  await charge(db, sub.accountId, 1)
  assert.equal((await owed(world)).length, 2)
})

test('only a sub-account can have recharge requests, and only for an amount that can be granted', async () => {
  await using world = await startAgency()
  const sub = await world.makeSub()
  for (const threshold of [-1, 0.00001, 1e10, Number.NaN]) {
    await assert.rejects(recharge(world, sub, threshold), { code: 'INVALID_AMOUNT' })
  }
  for (const amount of [0, -1, 0.00001, 1e10]) {
    await assert.rejects(recharge(world, sub, 5, amount), { code: 'INVALID_AMOUNT' })
  }
  await assert.rejects(
    setRecharge(world.db, await findAccount(world.db, world.agency.accountId), { threshold: 1, amount: 1 }),
    /Only a sub-account/,
  )
})

test("the recharge request is delivered to the agency's address for it, signed, with its idempotency key", async () => {
  await using receiver = await startReceiver()
  await using replies = await startReceiver()
  await using world = await startAgency(await startApp({ ROLE: 'all', RATE_LIMIT_PER_MINUTE: '0' }))
  const { app, db, agency } = world
  const sub = await world.makeSub()
  await saveUrl(app, agency, replies.url, 'reply')
  await saveUrl(app, sub, replies.url, 'recharge')
  const secret = await saveUrl(app, agency, receiver.url, 'recharge')
  await world.ask({ email: sub.email, amount: 2 })
  await recharge(world, sub, 2)
  await charge(db, sub.accountId, 1)
  await notifyWorkers(db, 'delivery')
  await until(() => receiver.requests.length > 0, 'no event has come')
  const [request = assert.fail()] = receiver.requests
  const event = verify(secret, request) as RechargeEvent
  assert.equal(request.headers['webhook-id'], event.idempotency_key)
  assert.deepEqual([event.sub_account_id, event.balance], [sub.accountId, 1])
  assert.equal(replies.requests.length, 0)
})

test('a recharge request that found no address can be sent again, by its id or with all that failed', async () => {
  await using receiver = await startReceiver()
  await using world = await startAgency(await startApp({ ROLE: 'all', RATE_LIMIT_PER_MINUTE: '0' }))
  const { app, db, agency } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 2 })
  await recharge(world, sub, 2)
  await charge(db, sub.accountId, 1)
  await notifyWorkers(db, 'delivery')
  const [{ id } = assert.fail()] = await owed(world)
  const failed = db.selectFrom('deliveries').select('id').where('errorCategory', '=', 'no_endpoint')
  await until(async () => (await failed.execute()).length === 1, 'it has not failed')
  await saveUrl(app, agency, receiver.url, 'recharge')
  assert.equal(await resendFailed(db, agency.accountId, new Date(Date.now() - 3_600_000).toISOString()), 1)
  await notifyWorkers(db, 'delivery')
  await until(() => receiver.requests.length === 1, 'it was not sent')
  await until(async () => (await failed.execute()).length === 0, 'its success was not written down')
  await resendOne(db, agency.accountId, id)
  await notifyWorkers(db, 'delivery')
  await until(() => receiver.requests.length === 2, 'it was not sent again')
  assert.deepEqual(receiver.requests[1]?.body, receiver.requests[0]?.body)
  await assert.rejects(resendOne(db, sub.accountId, id), /no outgoing message/)
})
