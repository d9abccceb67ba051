import type { Client } from 'pg'
import { checkLedger } from '../../../server/src/business/credits/check.ts'
import { openDb } from '../../../server/src/platform/database/db.ts'
import { openLog } from '../../../server/src/platform/log.ts'
import type { Outcome } from '../load/run-load.ts'
import { subaccountEmail, subaccounts } from '../load/traffic.ts'
import { type Latency, latencyOver, median, type Spread, spreadOf } from '../statistics.ts'
import { type Bench, letRun, loadOn, perRequest, perSecond, surprises } from './bench.ts'

/** Grants of credits by one agency. */
export type Grants = {
  /** Each to any of its sub-accounts. */
  spread: GrantFlow
  /** All to the same one. */
  one: GrantFlow
  /** Answered with 200, and found in the ledger afterwards. */
  granted: number
  written: number
  /** In how many places the ledger does not add up. */
  breaches: number
}

/** Medians of the stretches. */
type GrantFlow = {
  perSecond: Spread
  latency: Latency
  nodeMicros: number
  postgresMicros: number
  surprises: string[]
}

export async function measureGrants(bench: Bench): Promise<Grants> {
  const { options, servers, printProgress } = bench
  letRun(bench, servers.product)
  const database = await servers.product.connect()
  await makeSubaccounts(database)
  const outcomes: Record<'any' | 'one', Outcome[]> = { any: [], one: [] }
  const times = options.quick ? { warmupMs: 300, measuredMs: 700 } : { warmupMs: 1_500, measuredMs: 4_000 }
  for (let round = 0; round < (options.quick ? 1 : 2); round += 1) {
    for (const to of ['any', 'one'] as const) {
      outcomes[to].push(await loadOn(bench, servers.product, { traffic: `grant to ${to}`, ...times }))
    }
    const rates = [outcomes.any, outcomes.one]
      .map((all) => all.at(-1))
      .map((last) => last && perSecond(last).toFixed(0))
    printProgress(`grants, round ${round + 1}: ${rates[0]}/s to any, ${rates[1]}/s to one`)
  }
  const { rows } = await database.query<{ n: string }>('select count(*) as n from ledger')
  await database.end()
  const all = [...outcomes.any, ...outcomes.one]
  return {
    spread: flowOf(outcomes.any),
    one: flowOf(outcomes.one),
    granted: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    written: Number(rows[0]?.n),
    breaches: await countBreaches(servers.product.dataDir),
  }
}

export async function makeSubaccounts(database: Client): Promise<void> {
  for (let n = 0; n < subaccounts; n += 1) {
    const id = `acc_sub${n}`
    await database.query(
      `insert into accounts (id, kind, agency_id) select $1, 'subaccount', owner_account_id from installation`,
      [id],
    )
    await database.query(
      `insert into users (id, account_id, email, password_hash, is_owner, is_holder)
       values ('usr_sub' || $2, $1, $3, '', true, true)`,
      [id, String(n), subaccountEmail(n)],
    )
  }
}

async function countBreaches(dataDir: string): Promise<number> {
  const { log } = openLog('silent')
  const db = openDb({ host: `${dataDir}/postgres`, user: 'patchbay', database: 'postgres' }, log, 1)
  const breaches = await checkLedger(db)
  await db.destroy()
  return breaches.length
}

function flowOf(outcomes: Outcome[]): GrantFlow {
  const middle = (read: (outcome: Outcome) => number) => median(outcomes.map(read))
  return {
    perSecond: spreadOf(outcomes.map(perSecond)),
    latency: latencyOver(outcomes),
    nodeMicros: middle((outcome) => perRequest(outcome).node),
    postgresMicros: middle((outcome) => perRequest(outcome).postgres),
    surprises: outcomes.map((outcome) => surprises(outcome, 200)).filter((words) => words !== undefined),
  }
}
