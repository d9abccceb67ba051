import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import { openClaimPace } from '../../../src/journey/bot/turns/claim-pace.ts'
import { type ClaimLimits, openClaim, statements } from '../../../src/journey/bot/turns/claim-store.ts'
import { type Db, openDb } from '../../../src/platform/database/db.ts'
import { openBatchPool } from '../../../src/platform/database/pools.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { silentLog } from '../../helpers/knowledge.ts'

async function startWorld() {
  const started = new AsyncDisposableStack()
  const database = started.use(await makeDatabase())
  const db = openDb(database.address, silentLog, 2)
  started.defer(() => db.destroy())
  const pool = openBatchPool(database.address, silentLog)
  started.defer(() => pool.end())
  const claimTurns = openClaim(pool)
  const claim = async (limits: ClaimLimits) => (await claimTurns(limits)).turns
  return { db, pool, claim, claimTurns, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

const account = (n: number): AccountId => `acc_${String(n).padStart(6, '0')}`
const accountOf = sql`'acc_' || lpad(a::text, 6, '0')`
const usual = { mostAtOnce: 32, perAccount: 8, without: [] }

/** Turns of many accounts, each with some; `a` is the number of the account, `n` that of the turn. */
async function owe(db: Db, accounts: [number, number], { each, due, parked = null }: Owed): Promise<void> {
  await sql`
    insert into turns (account_id, contact_id, due_at, from_seq, last_seq, parked_units)
    select ${accountOf}, 'con_' || a || '_' || n, ${due}, 1, 1, ${parked}
    from generate_series(${accounts[0]}::int, ${accounts[1]}::int) as a, generate_series(1, ${each}::int) as n
  `.execute(db)
}

type Owed = { each: number; due: RawBuilder<unknown>; parked?: number | null }

const longAgo = sql`now() - interval '1 hour' + (a * 8 + n) * interval '1 ms'`
const justNow = sql`now() - interval '1 ms'`

/** Pages that a claim reads: its cost, independent of the load of the machine. */
async function pagesRead(db: Db, pool: Pool): Promise<number> {
  await sql`analyze turns`.execute(db)
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query({
      text: `explain (analyze, buffers, format json) ${statements['claim-turns']}`,
      values: [32, 8, [], '', ''],
    })
    await client.query('rollback')
    const [{ Plan: plan }] = rows[0]['QUERY PLAN']
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  } finally {
    client.release()
  }
}

for (const [shape, fill] of Object.entries({
  'nothing is owed': async () => {},
  '3,000 accounts owe eight each': (db) => owe(db, [1, 3_000], { each: 8, due: longAgo }),
  'one account owes 100,000': (db) => owe(db, [1, 1], { each: 100_000, due: longAgo }),
  '3,000 accounts wait for credits': async (db) => {
    await owe(db, [1, 3_000], { each: 2, due: sql`now() + interval '1 hour'`, parked: 10_000 })
  },
  'nothing is due yet in 3,000 accounts': (db) => owe(db, [1, 3_000], { each: 4, due: sql`now() + interval '1 hour'` }),
} satisfies Record<string, (db: Db) => Promise<void>>)) {
  test(`a claim reads a bounded part of the table when ${shape}`, async () => {
    await using world = await startWorld()
    await fill(world.db)
    const pages = await pagesRead(world.db, world.pool)
    assert.ok(pages < 1_500, `${pages} pages`)
  })
}

test('the backlog of one account hides no other, and every account gets one lease before any gets two', async () => {
  await using world = await startWorld()
  const { db, claim } = world
  await owe(db, [1, 1], { each: 5_000, due: longAgo })
  await owe(db, [2, 20], { each: 2, due: justNow })
  const first = await claim({ ...usual, mostAtOnce: 20 })
  assert.equal(new Set(first.map(({ accountId }) => accountId)).size, 20)
  const second = await claim({ ...usual, mostAtOnce: 20 })
  assert.equal(new Set(second.map(({ accountId }) => accountId)).size, 20)
  const rest = await claim(usual)
  assert.deepEqual(
    rest.map(({ accountId }) => accountId),
    Array(6).fill(account(1)),
    'eight of one account at once',
  )
  assert.deepEqual(await claim(usual), [])
})

test('an account whose turns are neither the oldest nor the newest is claimed after a few claims', async () => {
  await using world = await startWorld()
  const { db, claim } = world
  await owe(db, [1, 300], { each: 10, due: sql`now() - interval '3 hours' + a * interval '1 ms'` })
  await owe(db, [500, 500], { each: 1, due: sql`now() - interval '2 hours'` })
  await owe(db, [600, 900], { each: 10, due: sql`now() - interval '1 hour' + a * interval '1 ms'` })
  const without = Array.from({ length: 50 }, (_, n) => account(n + 1))
  const claimed = new Set<string>()
  for (let claims = 0; claims < 12 && !claimed.has(account(500)); claims += 1) {
    for (const { accountId } of await claim({ mostAtOnce: 100, perAccount: 1, without })) claimed.add(accountId)
  }
  assert.ok(claimed.has(account(500)))
  assert.deepEqual(
    without.filter((accountId) => claimed.has(accountId)),
    [],
    'accounts in `without` were claimed',
  )
})

test('a parked turn is claimed once its account has the credits, also among many accounts without', async () => {
  await using world = await startWorld()
  const { db, claim } = world
  await sql`insert into accounts (id, kind, agency_id)
    select ${accountOf}, 'standard', null from generate_series(1, 250) as a`.execute(db)
  await sql`insert into balances (account_id, balance) select ${accountOf}, 5 from generate_series(1, 250) as a`.execute(
    db,
  )
  await owe(db, [1, 250], { each: 3, due: sql`now() + interval '1 hour'`, parked: 10 })
  for (let claims = 0; claims < 4; claims += 1) assert.deepEqual(await claim(usual), [])
  await sql`update balances set balance = 10 where account_id = ${account(240)}`.execute(db)
  const claimed = []
  for (let claims = 0; claims < 4; claims += 1) claimed.push(...(await claim(usual)))
  assert.deepEqual(
    claimed.map(({ accountId, isParked }) => [accountId, isParked]),
    Array(3).fill([account(240), true]),
  )
})

test('an expired lease is claimed again, and a live one counts towards the limit of its account', async () => {
  await using world = await startWorld()
  const { db, claim } = world
  await owe(db, [1, 1], { each: 3, due: justNow })
  assert.equal((await claim({ ...usual, perAccount: 2 })).length, 2)
  assert.equal((await claim({ ...usual, perAccount: 2 })).length, 0)
  await sql`update turns set leased_until = now() - interval '1 s' where lease_token is not null`.execute(db)
  const again = await claim(usual)
  assert.deepEqual(again.map(({ attempts }) => attempts).toSorted(), [1, 2, 2])
})

test('a claim says whether turns that are due were left, and whether another one would find them', async () => {
  await using world = await startWorld()
  const { db, claimTurns } = world
  const said = async (limits: ClaimLimits) => {
    const { turns, isMoreDue, mayFindMore } = await claimTurns(limits)
    return { claimed: turns.length, isMoreDue, mayFindMore }
  }
  assert.deepEqual(await said(usual), { claimed: 0, isMoreDue: false, mayFindMore: false })
  await owe(db, [1, 1], { each: 300, due: longAgo })
  assert.deepEqual(
    await said(usual),
    { claimed: 8, isMoreDue: true, mayFindMore: false },
    'as many as an account may have',
  )
  assert.deepEqual(await said(usual), { claimed: 0, isMoreDue: true, mayFindMore: false })
  await owe(db, [2, 101], { each: 3, due: justNow })
  assert.deepEqual(await said(usual), { claimed: 32, isMoreDue: true, mayFindMore: true }, 'as many as were asked for')
  const rest = await said({ ...usual, mostAtOnce: 1_000 })
  assert.ok(rest.claimed > 32 && rest.mayFindMore, 'not all accounts were reached')
  await sql`delete from turns`.execute(db)
  await owe(db, [1, 3], { each: 2, due: justNow })
  assert.deepEqual(await said(usual), { claimed: 6, isMoreDue: false, mayFindMore: false })
})

test('while turns are left that are due, the next claim comes when some have ended, or all', () => {
  let woken = 0
  const pace = openClaimPace(4, () => {
    woken += 1
  })
  const begin = (turns: number) => Array.from({ length: turns }, () => pace.begin())
  pace.claimed({ isMoreDue: true })
  const ends = begin(6)
  for (const end of ends.slice(0, 3)) end()
  assert.equal(woken, 0)
  ends[3]?.()
  assert.equal(woken, 1)
  pace.claimed({ isMoreDue: true })
  ends[4]?.()
  assert.equal(woken, 1)
  ends[5]?.()
  assert.equal(woken, 2, 'nothing is in progress')
  pace.claimed({ isMoreDue: false })
  for (const end of begin(8)) end()
  assert.equal(woken, 2, 'nothing is left that is due')
})
