import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showBalance, showHistory } from '../../../src/business/credits/history.ts'
import type { Turn } from '../../../src/business/credits/hold-store.ts'
import { chargeHold, holdPrice, releaseHold } from '../../../src/business/credits/spend.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import { charge, dropTurn, oweTurn, settle, startAgency } from '../../helpers/credits.ts'
import { untilLockWait } from '../../helpers/rows.ts'

/** Gives an answer up, as the bot does. */
function release(db: Db, turn: Turn): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await dropTurn(tx, turn)
    return releaseHold(tx, turn)
  })
}

test('the price of an answer is held, charged with its reply, and is in the history', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 3 })
  const turn = await oweTurn(db, sub.accountId)
  assert.equal(await holdPrice(db, { ...turn, price: 1.5 }), 'held')
  assert.deepEqual(await showBalance(db, sub.accountId), { balance: 3, held: 1.5, recharge: null })
  assert.deepEqual(await settle(db, turn), { charged: 1.5, balance: 1.5 })
  assert.deepEqual(await showBalance(db, sub.accountId), { balance: 1.5, held: 0, recharge: null })
  const { entries } = await showHistory(db, sub.accountId, { limit: 1 })
  const [{ id: _, createdAt, ...entry } = assert.fail()] = entries
  assert.deepEqual(entry, {
    n: 2,
    kind: 'usage',
    amount: -1.5,
    balanceAfter: 1.5,
    description: 'Answer of the bot',
    actor: 'bot',
    contactId: turn.contactId,
    reverses: null,
  })
  assert.ok(Math.abs(createdAt.getTime() - Date.now()) < 60_000)
})

test('of ten concurrent answers on a balance of 1, one gets the hold', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 1 })
  const turns = await Promise.all(Array.from({ length: 10 }, () => oweTurn(db, sub.accountId)))
  const outcomes = await Promise.all(turns.map((turn) => holdPrice(db, { ...turn, price: 1 })))
  assert.deepEqual(outcomes.toSorted(), ['held', ...Array(9).fill('not enough')])
})

test('a retried answer keeps its hold at the first price, also with concurrent retries', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 10 })
  const turn = await oweTurn(db, sub.accountId)
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => holdPrice(db, { ...turn, price: 4 })))
  assert.deepEqual(outcomes, Array(8).fill('held'))
  assert.equal(await holdPrice(db, { ...turn, price: 100 }), 'held', 'the price has changed since')
  assert.equal((await showBalance(db, sub.accountId)).held, 4)
  assert.equal((await settle(db, turn))?.charged, 4)
})

test('an answer that is given up costs nothing, and its credits are free for others', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 1 })
  const [one, two] = [await oweTurn(db, sub.accountId), await oweTurn(db, sub.accountId)]
  assert.equal(await holdPrice(db, { ...one, price: 1 }), 'held')
  assert.equal(await holdPrice(db, { ...two, price: 1 }), 'not enough')
  assert.equal(await release(db, one), true)
  assert.equal(await release(db, one), false, 'once')
  assert.equal(await holdPrice(db, { ...two, price: 1 }), 'held')
  assert.equal((await settle(db, two))?.balance, 0)
  assert.equal(await settle(db, two), undefined, 'once')
})

test('a hold after the answer was settled or given up is refused as gone', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 10 })
  const [settled, released] = [await oweTurn(db, sub.accountId), await oweTurn(db, sub.accountId)]
  for (const turn of [settled, released]) await holdPrice(db, { ...turn, price: 1 })
  await settle(db, settled)
  await release(db, released)
  for (const turn of [settled, released]) assert.equal(await holdPrice(db, { ...turn, price: 1 }), 'gone')
  const next = await oweTurn(db, sub.accountId)
  assert.equal(await holdPrice(db, { ...next, fromSeq: '999', price: 1 }), 'gone', 'another answer is owed there')
  assert.equal((await showBalance(db, sub.accountId)).held, 0)
})

test('a hold while the answer is being settled waits, and is then refused as gone', async () => {
  await using world = await startAgency()
  const { app, db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 10 })
  const turn = await oweTurn(db, sub.accountId)
  await holdPrice(db, { ...turn, price: 1 })
  let late: Promise<string> | undefined
  await db.transaction().execute(async (tx) => {
    await dropTurn(tx, turn)
    await chargeHold(tx, turn)
    late = holdPrice(db, { ...turn, price: 1 })
    await untilLockWait(app)
  })
  assert.equal(await late, 'gone')
  assert.deepEqual(await showBalance(db, sub.accountId), { balance: 9, held: 0, recharge: null })
})

test('a hold while the old one is being released, with the answer still owed, waits and is then written', async () => {
  await using world = await startAgency()
  const { app, db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 10 })
  const turn = await oweTurn(db, sub.accountId)
  await holdPrice(db, { ...turn, price: 1 })
  let late: Promise<string> | undefined
  await db.transaction().execute(async (tx) => {
    await releaseHold(tx, turn)
    late = holdPrice(db, { ...turn, price: 2 })
    await untilLockWait(app)
  })
  assert.equal(await late, 'held')
  assert.deepEqual(await showBalance(db, sub.accountId), { balance: 10, held: 2, recharge: null })
})

test('a transaction that fails charges nothing and keeps the hold', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 1 })
  const turn = await oweTurn(db, sub.accountId)
  await holdPrice(db, { ...turn, price: 1 })
  const failing = db.transaction().execute(async (tx) => {
    await dropTurn(tx, turn)
    await chargeHold(tx, turn)
    throw new Error('the reply could not be kept')
  })
  await assert.rejects(failing, /could not be kept/)
  assert.deepEqual(await showBalance(db, sub.accountId), { balance: 1, held: 1, recharge: null })
  assert.equal((await settle(db, turn))?.balance, 0)
})

test('only sub-accounts are metered, and price 0 is free', async () => {
  await using world = await startAgency()
  const { db, agency } = world
  const shop = await world.app.makeAccount()
  for (const { accountId } of [shop, agency]) {
    const turn = await oweTurn(db, accountId)
    assert.equal(await holdPrice(db, { ...turn, price: 1 }), 'free')
    assert.equal(await settle(db, turn), undefined)
  }
  const sub = await world.makeSub()
  assert.equal(await holdPrice(db, { ...(await oweTurn(db, sub.accountId)), price: 0 }), 'free')
  assert.equal(await holdPrice(db, { ...(await oweTurn(db, sub.accountId)), price: 0.0001 }), 'not enough')
  assert.deepEqual(await db.selectFrom('ledger').selectAll().execute(), [])
})

test('opposite movements, and sub-accounts in opposite order, never deadlock', async () => {
  await using world = await startAgency()
  const { db } = world
  const subs = await Promise.all(Array.from({ length: 4 }, () => world.makeSub()))
  for (const { email } of subs) await world.ask({ email, amount: 1_000 })
  const work = Array.from({ length: 200 }, async (_, n) => {
    const sub = subs[n % 2 === 0 ? n % 4 : 3 - (n % 4)] ?? assert.fail()
    if (n % 3 === 0) await charge(db, sub.accountId, 1)
    const answers = await Promise.all(
      (n % 2 === 0 ? subs : subs.toReversed()).map(({ email }) => world.ask({ email, amount: 1 })),
    )
    for (const { status } of answers) assert.equal(status, 200)
  })
  await Promise.all(work)
})
