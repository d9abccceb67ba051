import type { Client } from 'pg'
import { countReports } from '../../../server/src/app/reports/count-reports.ts'
import { openWorkDb } from '../../../server/src/platform/database/db.ts'
import { openLog } from '../../../server/src/platform/log.ts'
import type { RunningServer } from '../servers/start.ts'

/**
 * Counts everything for the reports, beside the worker of the server, as after an upgrade: what a benchmark fills in has
 * activity from before the worker's first look. Returns the seconds that it took.
 */
export async function countAll({ dataDir }: Pick<RunningServer, 'dataDir'>, client: Client): Promise<number> {
  const address = { host: `${dataDir}/postgres`, user: 'patchbay', database: 'postgres' }
  const db = openWorkDb(address, openLog('silent').log)
  const began = performance.now()
  await client.query(`update report_accounts set counted_to = '-infinity', caught_up_at = null`)
  const isBehind = `select from report_accounts where caught_up_at is null union all select from report_dirty_days`
  do await countReports(db)
  while ((await client.query(isBehind)).rowCount !== 0)
  await db.destroy()
  return (performance.now() - began) / 1_000
}
