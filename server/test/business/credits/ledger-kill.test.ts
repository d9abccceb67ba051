// Runs alone: takes long, it kills processes that spend under load

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { checkLedger } from '../../../src/business/credits/check.ts'
import { acrossAccounts, type Db, openDb } from '../../../src/platform/database/db.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { assertLedgerHolds, creditsPath, makeSubaccount, type Subaccount } from '../../helpers/credits.ts'
import { makeDatabase, urlOf } from '../../helpers/databases.ts'
import { apiKey, makeDataFolder, type ServerProcess, startProcess } from '../../helpers/server-process.ts'
import { type Charge, startSpender } from '../../helpers/spender.ts'

/** `KILL_ROUNDS=10 npm test` for a minute of it; on a slow machine it goes on until enough has happened. */
const seconds = 6 * Number(process.env.KILL_ROUNDS ?? 1)

const enough = 5

type Granted = { accountId: string; amount: number; balance: number }

/** What was acknowledged: by key, grants without a key, and charges. */
type History = { keyed: Map<string, Granted>; others: Granted[]; charges: Charge[] }

/** A server that is restarted whenever it is killed. */
function restartServer(environment: Record<string, string>) {
  let running: ServerProcess | undefined
  const start = async () => {
    running = await startProcess(environment)
    return running
  }
  let server = start()
  return {
    current: () => server,
    /** Does nothing while it is starting. */
    kill: async () => {
      const victim = running
      running = undefined
      victim?.child.kill('SIGKILL')
      await victim?.exited
      if (victim) server = start()
    },
    [Symbol.asyncDispose]: async () => (await server)[Symbol.asyncDispose](),
  }
}

/** The same for a process that spends; it counts as starting until its first charge, so that it makes at least one. */
function restartSpender(start: (spent: () => void) => ReturnType<typeof startSpender>) {
  let hasSpent = false
  const spent = () => {
    hasSpent = true
  }
  let spender = start(spent)
  return {
    kill: async () => {
      if (!hasSpent) return
      await spender.kill()
      hasSpent = false
      spender = start(spent)
    },
    [Symbol.asyncDispose]: () => spender.kill(),
  }
}

test('grants, holds, charges and kills on several processes at once: every invariant holds, at every moment', async (t) => {
  await using started = new AsyncDisposableStack()
  const folder = started.use(await makeDataFolder({ cluster: false }))
  const database = started.use(await makeDatabase())
  const db = acrossAccounts(openDb(database.address, pino({ enabled: false }), 4))
  started.defer(() => db.destroy())
  const environment = {
    DATA_DIR: folder.path,
    DATABASE_URL: urlOf(database.address),
    SECRET_KEY: 'the same on every machine',
    LOG_LEVEL: 'fatal',
    ROLE: 'api',
  }
  const servers = [started.use(restartServer(environment)), started.use(restartServer(environment))]
  await Promise.all(servers.map(({ current }) => current()))
  const { ownerAccountId } = await db.selectFrom('installation').selectAll().executeTakeFirstOrThrow()
  const agencyId = ownerAccountId as AccountId // the first start has made it
  const subs = await Promise.all(Array.from({ length: 4 }, () => makeSubaccount(db, agencyId)))

  const history: History = { keyed: new Map(), others: [], charges: [] }
  const accounts = subs.map(({ accountId }) => accountId)
  const start = (spent: () => void) =>
    startSpender(database.address, accounts, (charge) => {
      history.charges.push(charge)
      spent()
    })
  const endsAt = performance.now() + seconds * 1_000
  let checks = 0
  const happened = () => [checks, history.keyed.size, history.others.length, history.charges.length]
  const isOver = () => performance.now() > endsAt && Math.min(...happened()) >= enough
  const callers = Array.from({ length: 20 }, (_, n) => grantOn({ servers, subs, history, isOver }, n))
  {
    await using spenders = new AsyncDisposableStack()
    const victims = [...servers, spenders.use(restartSpender(start)), spenders.use(restartSpender(start))]
    while (!isOver()) {
      await sleep(200 + Math.random() * 500)
      assert.deepEqual(await checkLedger(db), [], 'while grants and charges run')
      checks += 1
      await victims[Math.floor(Math.random() * victims.length)]?.kill()
    }
    await Promise.all(callers)
  }
  await assertLedgerHolds(db)
  await assertAcknowledged(db, history)
  t.diagnostic(`checks, grants with a key, without, charges: ${happened()}`)
})

type Calling = {
  servers: { current: () => Promise<ServerProcess> }[]
  subs: Subaccount[]
  history: History
  isOver: () => boolean
}

/** One caller: every second grant has a key, and is retried on either server until there is an answer. */
async function grantOn({ servers, subs, history, isOver }: Calling, n: number): Promise<void> {
  for (let round = 0; !isOver(); round += 1) {
    const sub = subs[(n + round) % subs.length] ?? assert.fail()
    const amount = [1, 0.25, 0.5][round % 3] ?? 1
    const key = round % 2 === 0 ? `caller-${n}-${round}` : undefined
    for (let attempt = n; ; attempt += 1) {
      const answer = await askOnce(await servers[attempt % 2]?.current(), { email: sub.email, amount }, key)
      if (answer?.status === 200) {
        const granted = { accountId: sub.accountId, amount, balance: Number(answer.body.new_balance) }
        if (key === undefined) history.others.push(granted)
        else history.keyed.set(key, granted)
      } else if (answer) assert.equal(answer.status, 500, JSON.stringify(answer.body))
      if (answer?.status === 200 || key === undefined) break
      await sleep(20)
    }
  }
}

async function askOnce(server: ServerProcess | undefined, body: unknown, key: string | undefined) {
  const headers = { 'x-api-key': apiKey, ...(key === undefined ? {} : { 'idempotency-key': key }) }
  return server?.post(creditsPath, body, undefined, headers).catch(() => undefined) // killed: not acknowledged
}

/** Every acknowledged grant and charge is stored once, with the balance that was answered. */
async function assertAcknowledged(db: Db, { keyed, others, charges }: History): Promise<void> {
  const { rows } = await sql<{ what: string; key: string | null; entry: string }>`
    select l.kind as what, coalesce(k.key, l.contact_id) as key,
      format('%s %s %s', l.account_id, trim_scale(l.amount::numeric / 10000), trim_scale(l.balance_after::numeric / 10000)) as entry
    from ledger l left join grant_keys k on k.entry_id = l.id
  `.execute(db)
  const by = new Map(rows.filter(({ key }) => key !== null).map(({ key, entry }) => [key, entry]))
  for (const [key, { accountId, amount, balance }] of keyed)
    assert.equal(by.get(key), `${accountId} ${amount} ${balance}`)
  for (const { accountId, contactId, charged, balance } of charges) {
    assert.equal(by.get(contactId), `${accountId} ${charged} ${balance}`)
  }
  const plain = new Set(rows.filter(({ what, key }) => what === 'grant' && key === null).map(({ entry }) => entry))
  for (const { accountId, amount, balance } of others) assert.ok(plain.has(`${accountId} ${amount} ${balance}`))
  const isKeyed = rows.filter(({ what, key }) => what === 'grant' && key !== null)
  assert.equal(isKeyed.length, keyed.size, 'each key has made one grant, however often it was retried')
}
