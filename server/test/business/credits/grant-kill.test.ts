// Runs alone: takes long, it kills the server in the middle of each step

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { showBalance } from '../../../src/business/credits/history.ts'
import { assertLedgerHolds, creditsPath, makeSubaccount, type Subaccount } from '../../helpers/credits.ts'
import { pauseAt, resume, untilPaused } from '../../helpers/pause-at.ts'
import { apiKey, type ServerProcess } from '../../helpers/server-process.ts'
import { startShared } from '../../helpers/shared-processes.ts'

/** Servers that share one database, whose owner is an agency with a sub-account. */
async function startAgency() {
  const shared = await startShared()
  return { ...shared, agencyId: shared.accountId, first: shared.api, start: () => shared.start('api') }
}

type Granted = { status: number; body: Record<string, unknown> }

function grant(server: ServerProcess, { email }: Subaccount, once: string): Promise<Granted> {
  const headers = { 'x-api-key': apiKey, 'idempotency-key': once }
  return server.post(creditsPath, { email, amount: 5 }, undefined, headers)
}

/** Where a grant is paused: before each of its three writes, and at its commit. */
const points: [name: string, trigger: string][] = [
  ['before the key is kept', 'before insert on grant_keys for each row'],
  ['before the balance moves', 'before insert or update on balances for each row'],
  ['before the movement is written', 'before insert on ledger for each row'],
  ['at the commit', 'deferred'],
]

test('SIGKILL of the server in the middle of a grant leaves all or nothing of it, and a retry completes it once', async () => {
  await using world = await startAgency()
  const { db, agencyId } = world
  let server = world.first
  for (const [point, trigger] of points) {
    const sub = await makeSubaccount(db, agencyId)
    await pauseAt(db, trigger)
    const cut = grant(server, sub, point.replaceAll(' ', '-')).catch(() => undefined)
    await untilPaused(db)
    server.child.kill('SIGKILL')
    await server.exited
    assert.equal(await cut, undefined, 'there was no answer')
    await resume(db)
    assert.ok([0, 5].includes((await showBalance(db, sub.accountId)).balance), point)
    await assertLedgerHolds(db)
    server = await world.start()
    const { status, body } = await grant(server, sub, point.replaceAll(' ', '-'))
    const expected = { success: true, sub_account_id: sub.accountId, credits_added: 5, new_balance: 5 }
    assert.deepEqual([status, body], [200, expected], point)
    assert.equal((await showBalance(db, sub.accountId)).balance, 5, point)
    await assertLedgerHolds(db)
  }
})

test('SIGKILL after the commit and before the answer: the grant is stored, and a retry returns its balance', async () => {
  await using world = await startAgency()
  const { db, agencyId, first } = world
  const sub = await makeSubaccount(db, agencyId)
  await pauseAt(db, 'deferred')
  const cut = grant(first, sub, 'k').catch(() => undefined)
  await untilPaused(db)
  first.child.kill('SIGSTOP') // it cannot receive the result of the commit
  await resume(db)
  assert.equal((await showBalance(db, sub.accountId)).balance, 5)
  first.child.kill('SIGKILL')
  await first.exited
  assert.equal(await cut, undefined)
  const next = await world.start()
  await grant(next, sub, 'another')
  assert.equal((await grant(next, sub, 'k')).body.new_balance, 5)
  assert.equal((await showBalance(db, sub.accountId)).balance, 10)
  await assertLedgerHolds(db)
})

test('a grant whose database connection is cut in the middle is completed on another one, once', async () => {
  await using world = await startAgency()
  const { db, agencyId, first } = world
  for (const [point, trigger] of points) {
    const sub = await makeSubaccount(db, agencyId)
    await pauseAt(db, trigger)
    const cut = grant(first, sub, point.replaceAll(' ', '-'))
    await sql`select pg_terminate_backend(${await untilPaused(db)})`.execute(db)
    await resume(db)
    assert.equal((await cut).body.new_balance, 5, point)
    assert.equal((await grant(first, sub, point.replaceAll(' ', '-'))).body.new_balance, 5)
    assert.equal((await showBalance(db, sub.accountId)).balance, 5, point)
    await assertLedgerHolds(db)
  }
})
