import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { readStatus } from '../../../src/app/operations/status-store.ts'
import { checkLedger, checkOnce } from '../../../src/business/credits/check.ts'
import { findBreaches } from '../../../src/business/credits/check-store.ts'
import { showBalance, showDays, showHistory } from '../../../src/business/credits/history.ts'
import { reverseEntry } from '../../../src/business/credits/reverse.ts'
import { holdPrice } from '../../../src/business/credits/spend.ts'
import { charge, oweTurn, startAgency, type World } from '../../helpers/credits.ts'
import { signIn } from '../../helpers/sessions.ts'

const dayMs = 86_400_000

/** Two agencies with a sub-account each: grants with keys and without, charges, a hold, a reversal. */
async function startUsed() {
  await using started = new AsyncDisposableStack()
  const world = started.use(await startAgency())
  const { db, ask } = world
  const rival = await world.app.makeAccount({ kind: 'agency' })
  const [sub, foreign] = [await world.makeSub(), await world.makeSub(rival.accountId)]
  for (const [amount, once] of [[10, 'k1'] as const, [5, 'k2'] as const])
    await ask({ email: sub.email, amount }, { once })
  await ask({ email: foreign.email, amount: 7 }, { key: rival.apiKey })
  await charge(db, sub.accountId, 1)
  await charge(db, sub.accountId, 2)
  await holdPrice(db, { ...(await oweTurn(db, sub.accountId)), price: 3 })
  const { entries } = await showHistory(db, sub.accountId, { limit: 10 })
  await reverseEntry(db, sub.accountId, { entry: entries[0]?.id ?? '', actor: 'operator' })
  const running = started.move()
  return { ...world, sub, rival, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

test('an update, a delete and a truncate of the ledger are refused, in every session', async () => {
  await using world = await startUsed()
  const { db } = world
  const attempts = [
    sql`update ledger set amount = amount + 1`,
    sql`update ledger set description = 'x' where false`,
    sql`delete from ledger`,
    sql`truncate ledger`,
    sql`truncate ledger, balances cascade`,
  ]
  for (const attempt of attempts) await assert.rejects(attempt.execute(db), { code: '23001' })
  await db.connection().execute(async (session) => {
    await sql`set session_replication_role = replica`.execute(session)
    for (const attempt of attempts) await assert.rejects(attempt.execute(session), { code: '23001' })
    await sql`reset session_replication_role`.execute(session)
  })
})

test('an unbalanced movement, or one with a side missing, cannot be written', async () => {
  await using world = await startUsed()
  const { db, sub, rival } = world
  type Side = [owner: string, purse: string]
  const write = ([payer, payerPurse]: Side, [payee, payeePurse]: Side, amount = 1) =>
    sql`
      insert into ledger
        (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after, actor)
      values
        (${sub.accountId}, 'led_x', 99, 'grant', ${payer}, ${payerPurse}, ${payee}, ${payeePurse}, ${amount}, 1, 'x')
    `.execute(db)
  const [mine, issuance]: Side[] = [
    [sub.accountId, 'credits'],
    [world.agency.accountId, 'issuance'],
  ]
  assert.ok(mine && issuance)
  await assert.rejects(write(mine, mine), { code: '23514' })
  await assert.rejects(write(issuance, [sub.accountId, 'usage']), { code: '23514' })
  await assert.rejects(write(issuance, [rival.accountId, 'credits']), { code: '23514' })
  await assert.rejects(write(issuance, mine, 0), { code: '23514' })
  await assert.rejects(write(issuance, mine, -1), { code: '23514' })
})

/** Manual changes to the database that corrupt the ledger, and the invariant that the check names for each. */
const corruptions: [name: string, corrupt: RawBuilder<unknown>, breach: RegExp][] = [
  ['a balance', sql`update balances set balance = balance + 1 where version > 1`, /sum of its history/],
  ['what is held', sql`update balances set held = held + 1 where version > 1`, /sum of all holds/],
  ['a hold', sql`update holds set amount = amount + 1`, /sum of all holds/],
  ['the turn of a hold', sql`delete from turns`, /answers that are owed/],
  ['a lost balance', sql`delete from balances where version = 1`, /sum of its history/],
  ['a version', sql`update balances set version = version + 1`, /without gaps/],
  ['an amount', sql`update ledger set amount = amount + 1 where n = 2`, /leaves what the one before left/],
  ['a balance after', sql`update ledger set balance_after = balance_after + 1 where n = 2`, /one before left/],
  ['a row removed in the middle', sql`delete from ledger where n = 2`, /one before left/],
  ['a row removed at the end', sql`delete from ledger where n = 5`, /none is missing at the end/],
  ['a number', sql`update ledger set n = n + 1 where n = 5`, /without gaps/],
  ['a reversal', sql`update ledger set reverses = 'led_none' where reverses is not null`, /other way round/],
  ['a key', sql`update grant_keys set entry_id = 'led_none' where key = 'k1'`, /key has made one grant/],
  ['two keys of one grant', sql`update grant_keys set entry_id = (select min(entry_id) from grant_keys)`, /one grant/],
  [
    'the other side',
    sql`update ledger set payer_id = 'acc_other' where payer_purse = 'issuance'`,
    /its own sub-accounts/,
  ],
  [
    'the agency',
    sql`update accounts set kind = 'standard', agency_id = null where kind = 'subaccount'`,
    /sub-accounts/,
  ],
]

test('every manual corruption of the ledger is reported with the invariant that it violates', async () => {
  await using world = await startUsed()
  const { db } = world
  assert.deepEqual(await checkLedger(db), [])
  for (const [name, corrupt, breach] of corruptions) {
    const rollback = new Error('undo')
    const corrupted = db.transaction().execute(async (tx) => {
      await sql`alter table ledger disable trigger ledger_never_changes`.execute(tx)
      await corrupt.execute(tx)
      await sql`alter table ledger enable always trigger ledger_never_changes`.execute(tx)
      const breaches = await findBreaches(tx)
      assert.ok(
        breaches.some(({ invariant }) => breach.test(invariant)),
        `${name}: ${JSON.stringify(breaches)}`,
      )
      throw rollback
    })
    await assert.rejects(corrupted, rollback)
  }
  await sql`alter table ledger disable trigger ledger_never_changes`.execute(db)
  assert.match((await checkLedger(db))[0]?.invariant ?? '', /ever changed or removed/)
  await sql`alter table ledger enable always trigger ledger_never_changes`.execute(db)
})

test('the nightly check logs violations as an error, once for all processes', async () => {
  await using world = await startUsed()
  const { db } = world
  const logged: unknown[] = []
  const log = { error: (facts: unknown) => logged.push(facts) } as unknown as Parameters<typeof checkOnce>[1]
  await sql`insert into installation (secret_key_check) values ('none')`.execute(db)
  assert.equal((await readStatus(db)).ledgerCheckedAt, null)
  await checkOnce(db, log)
  assert.deepEqual(logged, [])
  const lastCheck = async () => {
    const owner = await signIn(world.app, world.agency)
    return (await owner.call('GET', '/api/agency/subaccounts')).body.ledgerCheck
  }
  const { ledgerCheckedAt, ledgerBreaches } = await readStatus(db)
  assert.deepEqual([ledgerBreaches, await lastCheck()], [0, { at: ledgerCheckedAt?.toJSON(), addsUp: true }])
  const { numAffectedRows } = await sql`update balances set balance = balance + 1`.execute(db)
  await checkOnce(db, log)
  assert.equal(logged.length, 1)
  assert.match(JSON.stringify(logged), /sum of its history/)
  assert.equal((await readStatus(db)).ledgerBreaches, Number(numAffectedRows) + 1, 'each balance, and their sum')
  assert.equal((await lastCheck()).addsUp, false, 'its agency is told')
  await db.connection().execute(async (another) => {
    await sql`select pg_advisory_lock(hashtext('patchbay ledger check'))`.execute(another)
    await checkOnce(db, log)
    await sql`select pg_advisory_unlock(hashtext('patchbay ledger check'))`.execute(another)
  })
  assert.equal(logged.length, 1, 'another process runs the check')
  await sql`update balances set balance = balance - 1`.execute(db)
})

test('a movement can be reversed once, and only if the credits are still available', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 10 })
  await charge(db, sub.accountId, 4)
  const { entries } = await showHistory(db, sub.accountId, { limit: 10 })
  const [usage = assert.fail(), grant = assert.fail()] = entries
  const reverse = (entry: string) =>
    reverseEntry(db, sub.accountId, { entry, description: 'mistake', actor: 'operator' })
  await assert.rejects(reverse(grant.id), /were spent/)
  const back = await reverse(usage.id)
  assert.deepEqual([back.amount, back.balance], [4, 10])
  await assert.rejects(reverse(usage.id), /reversed before/)
  await assert.rejects(reverse(back.entryId), /is a reversal itself/)
  await assert.rejects(reverse('led_nothing'), /no movement/)
  const foreign = await world.makeSub()
  await assert.rejects(reverseEntry(db, foreign.accountId, { entry: grant.id, actor: 'operator' }), /no movement/)
  const held = await oweTurn(db, sub.accountId)
  await holdPrice(db, { ...held, price: 1 })
  await assert.rejects(reverse(grant.id), /being spent/)
  await world.ask({ email: sub.email, amount: 1 })
  const twins = await Promise.allSettled(Array.from({ length: 5 }, () => reverse(grant.id)))
  assert.equal(twins.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await showBalance(db, sub.accountId)).balance, 1)
  const [, , last] = (await showHistory(db, sub.accountId, { limit: 10 })).entries
  assert.deepEqual([last?.kind, last?.amount, last?.reverses, last?.description], ['reversal', 4, usage.id, 'mistake'])
})

test('the history is read in pages, newest first, also while it grows', async () => {
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await Promise.all(Array.from({ length: 25 }, (_, n) => world.ask({ email: sub.email, amount: n + 1 })))
  const seen: number[] = []
  for (let before: number | undefined | null; before !== null; ) {
    const page = await showHistory(db, sub.accountId, { limit: 10, before })
    seen.push(...page.entries.map(({ n }) => n))
    before = page.next
    await world.ask({ email: sub.email, amount: 1 })
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 25 }, (_, n) => 25 - n),
  )
  assert.deepEqual(await showHistory(db, world.agency.accountId, { limit: 10 }), { entries: [], next: null })
})

test('the sums of each day are those of the history, with the balance at its end', async () => {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < 30_000) await sleep(leftMs + 100) // the date must not change during the test
  await using world = await startAgency()
  const { db } = world
  const sub = await world.makeSub()
  await grantDaysAgo(world, sub, [5, 3, 3, 0])
  await charge(db, sub.accountId, 1.25)
  const days = await showDays(db, sub.accountId, 5)
  const today = new Date().toISOString().slice(0, 10)
  assert.equal(days.length, 5)
  assert.equal(days[4]?.day, today)
  assert.deepEqual(
    days.map(({ granted, used, balance }) => [granted, used, balance]),
    [
      [0, 0, 1],
      [20, 0, 21],
      [0, 0, 21],
      [0, 0, 21],
      [10, 1.25, 29.75],
    ],
  )
  assert.deepEqual(
    (await showDays(db, world.agency.accountId, 2)).map(({ balance }) => balance),
    [0, 0],
  )
})

/** Grants 10 for each age in days, 1 if it is five; the ids have that time too. */
async function grantDaysAgo(world: World, sub: { email: string }, ages: number[]): Promise<void> {
  for (const age of ages) {
    await world.ask({ email: sub.email, amount: age === 5 ? 1 : 10 })
    const id = `led_${(Date.now() - age * dayMs).toString(16).padStart(12, '0')}`
    await sql`alter table ledger disable trigger ledger_never_changes`.execute(world.db)
    await sql`
      update ledger set created_at = now() - ${age} * interval '1 day', id = ${id} || substr(id, 17)
      where n = (select max(n) from ledger)
    `.execute(world.db)
    await sql`alter table ledger enable always trigger ledger_never_changes`.execute(world.db)
  }
}
