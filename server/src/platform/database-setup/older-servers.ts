import { sql } from 'kysely'
import type { Tx } from '../database/db.ts'
import { knownVersion, type Migration } from './read-migrations.ts'
import { serverLock, versionLock } from './server-lock.ts'

export class OlderServersRun extends Error {}

/**
 * Refuses a migration that servers of an older version cannot run beside, while one of them runs. They are found by the
 * advisory locks they hold: one that every server holds, and one that has the version of its schema as its key, which
 * the first versions did not take yet. A server that starts from now on waits for us, and then refuses the newer
 * schema.
 */
export async function refuseOlderServers(tx: Tx, { version, name }: Migration): Promise<void> {
  const { rows } = await sql<{ server: string }>`
    select format('%s, process %s of the database%s%s', coalesce(a.application_name, 'unnamed'), s.pid,
      ' from ' || host(a.client_addr), ', schema ' || v.objid::text) as server
    from pg_locks s
    left join pg_locks v on v.pid = s.pid and v.locktype = 'advisory' and v.database = s.database
      and v.classid = ${versionLock} and v.objsubid = 2
    left join pg_stat_activity a on a.pid = s.pid
    where s.locktype = 'advisory' and s.database = (select oid from pg_database where datname = current_database())
      and s.classid = 0 and s.objid = ${serverLock} and s.objsubid = 1 and s.mode = 'ShareLock' and s.granted
      and coalesce(v.objid::bigint, 0) < ${await knownVersion()}
    order by s.pid
  `.execute(tx)
  if (rows.length === 0) return
  const servers = rows.map(({ server }) => server).join('; ')
  throw new OlderServersRun(
    `Servers of an older version are running, and migration ${version} (${name}) would take their schema away; stop them first: ${servers}.`,
  )
}
