import { checkOnce } from '../../../server/src/business/credits/check.ts'
import { openDbForLongStatements } from '../../../server/src/platform/database/db.ts'
import { openLog } from '../../../server/src/platform/log.ts'
import { print } from '../app/world.ts'
import { prepareAccount } from '../fill.ts'
import { makeSubaccounts } from '../sections/grants.ts'
import { apiKey } from '../servers/start.ts'
import { type Beside, compare, meanwhile, p99OfMessages, type World } from './compare.ts'

/** How long grants are made at full speed, so that there is something to check. */
const grantingMs = 60_000

/** Messages beside the check of the ledger, as every night, on a connection as it has then; one check after another. */
export async function besideLedgerCheck(world: World): Promise<Beside> {
  const { server, database, load, rounds, started } = world
  await prepareAccount(database)
  await makeSubaccounts(database)
  const { port, certificate, processes } = server
  const grants = { port, certificate, processes, apiKey, connections: 64, traffic: 'grant to any' as const }
  await load.load({ ...grants, warmupMs: 0, measuredMs: grantingMs })
  const { rows } = await database.query<{ n: string }>('select count(*) as n from ledger')
  const address = { host: `${server.dataDir}/postgres`, user: 'patchbay', database: 'postgres' }
  const { log } = openLog('silent')
  const db = openDbForLongStatements(address, log)
  started.defer(() => db.destroy())
  let [checks, ms] = [0, 0]
  const check = async (stopping: AbortSignal) => {
    while (!stopping.aborted) {
      const began = performance.now()
      await checkOnce(db, log, true)
      ms += performance.now() - began
      checks += 1
    }
  }
  await p99OfMessages(world)
  const measured = await compare({
    ...{ what: 'p99 of messages in beside the check of the ledger', unit: 'ms', goal: 1.2, rounds },
    alone: () => p99OfMessages(world),
    beside: () => meanwhile(check, () => p99OfMessages(world)),
  })
  print(`  ${rows[0]?.n} movements in the ledger, ${checks} checks of ${Math.round(ms / checks)} ms`)
  return measured
}
