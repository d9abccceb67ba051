/*
 * What the running servers were started with, for commands and for the operator. A row counts while its server holds the
 * advisory lock with its number (`server-lock.ts`): no clock is compared, and a server that was killed is gone at once.
 */

import { sql } from 'kysely'
import type { Config } from '../config/config.ts'
import { describeSettings, type Settings } from '../config/settings.ts'
import type { Db } from '../database/db.ts'
import { version } from '../version.ts'
import { numberLock, ownName } from './server-lock.ts'

export type RunningServer = { name: string; version: string; startedAt: Date; settings: Settings }

/** Whether its server holds the lock, as a condition on `running_servers r`. */
const isAlive = sql`exists (
  select from pg_locks l where l.locktype = 'advisory' and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = ${sql.lit(numberLock)} and l.objid::bigint = r.number and l.objsubid = 2
)`

/**
 * Notes the settings of this server, which holds its lock by now. Rows that the dead left are removed after a day: a server
 * that has just lost its connection to the database has no lock either, and takes it again in a moment.
 */
export async function noteServer({ db, number }: { db: Db; number: number }, config: Config): Promise<void> {
  const settings = JSON.stringify(describeSettings(config))
  await sql`delete from running_servers r where started_at < now() - interval '1 day' and not ${isAlive}`.execute(db)
  await sql`
    insert into running_servers (number, name, version, settings)
    values (${number}, ${ownName()}, ${version}, ${settings}::jsonb)
    on conflict (number) do update set name = excluded.name, version = excluded.version,
      started_at = excluded.started_at, settings = excluded.settings
  `.execute(db)
}

/** The servers that run now, the one that started last first. */
export async function listRunningServers(db: Db): Promise<RunningServer[]> {
  const { rows } = await sql<RunningServer>`
    select r.name, r.version, r.started_at, r.settings from running_servers r where ${isAlive}
    order by r.started_at desc, r.number
  `.execute(db)
  return rows
}

export function isOnThisMachine({ name }: Pick<RunningServer, 'name'>): boolean {
  const machineOf = (full: string) => full.replace(/ \(process \d+\)$/, '')
  return machineOf(name) === machineOf(ownName())
}
