import { backfill } from '../../../server/src/app/search/index-messages.ts'
import { openWorkDb } from '../../../server/src/platform/database/db.ts'
import { openLog } from '../../../server/src/platform/log.ts'
import type { RunningServer } from '../servers/start.ts'

/** Adds all messages to the search, with nothing else to do, so that no measurement has the server's backfill beside it. */
export async function indexAll({ dataDir, connect }: Pick<RunningServer, 'dataDir' | 'connect'>): Promise<void> {
  const address = { host: `${dataDir}/postgres`, user: 'patchbay', database: 'postgres' }
  const db = openWorkDb(address, openLog('silent').log)
  while (await backfill(db));
  await db.destroy()
  const client = await connect()
  await client.query('vacuum analyze message_search')
  await client.end()
}
