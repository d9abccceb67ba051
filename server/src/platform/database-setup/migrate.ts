import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Tx } from '../database/db.ts'
import { hasSqlState } from '../database/errors.ts'
import { OperatorError } from '../operator-error.ts'
import { knownVersion, type Migration, readMigrations } from './read-migrations.ts'
import { migrationLock, serverLock, versionLock } from './server-lock.ts'

/**
 * While a change of a table waits for its lock, every later statement on that table waits behind it. So its lock
 * timeout is shorter than that of requests; after it they go on, and the migration is retried.
 */
const lockTimeoutMs = 400

/**
 * Runs `work` in one transaction that no other process's migration or first start overlaps. Killed anywhere, it leaves
 * the schema as it was. It retries for half a minute while others block it; then its error names them.
 */
export async function underMigrationLock<Result>(
  db: Db,
  work: (tx: Tx) => Promise<Result>,
  { withinMs = 30_000, onWait }: { withinMs?: number; onWait?: (reason: string) => void } = {},
): Promise<Result> {
  const giveUpAt = performance.now() + withinMs
  for (let waitMs = 200; ; waitMs = Math.min(waitMs * 2, 3_000)) {
    try {
      return await attempt(db, work)
    } catch (error) {
      const reason = await findBlockers(db, error)
      if (reason === undefined) throw error
      if (performance.now() + waitMs > giveUpAt) throw new OperatorError(reason, { cause: error })
      onWait?.(reason)
      await sleep(waitMs)
    }
  }
}

async function attempt<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(tx)
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx)
    await sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`.execute(tx)
    return work(tx)
  })
}

/** Describes what blocks the migration; undefined for an error that a retry would not avoid. */
async function findBlockers(db: Db, error: unknown): Promise<string | undefined> {
  if (error instanceof OlderServersRun) return error.message
  if (!hasSqlState(error, '55P03', '40P01')) return undefined
  const { rows } = await sql<{ session: string }>`
    select format('%s, process %s of the database%s, for %s s', coalesce(nullif(application_name, ''), 'unnamed'), pid,
      ' from ' || host(client_addr), extract(epoch from clock_timestamp() - xact_start)::integer) as session
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start
    limit 3
  `.execute(db)
  const sessions = rows.length === 0 ? 'all were short' : rows.map(({ session }) => session).join('; ')
  return `The schema cannot be changed while others use its tables (transactions that are open: ${sessions}); end them, or wait until they are done, and start again.`
}

/** Applies the pending migrations; runs under the migration lock. Returns the schema before and after. */
export async function migrate(tx: Tx): Promise<{ from: number; to: number }> {
  await sql`
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )
  `.execute(tx)
  const from = await appliedVersion(tx)
  const pending = await pendingAfter(tx, from)
  const incompatible = pending.find(({ runsBeside }) => !runsBeside)
  if (incompatible) await refuseOlderServers(tx, incompatible)
  for (const { version, name, text } of pending) {
    await sql.raw(text).execute(tx)
    await tx.insertInto('schemaMigrations').values({ version, name }).execute()
  }
  const compatible = pending.filter(({ runsBeside }) => runsBeside).map(({ version }) => version)
  if (compatible.length > 0) {
    await tx.updateTable('schemaMigrations').set({ runsBeside: true }).where('version', 'in', compatible).execute()
  }
  if (pending.length > 0) await assumeOneAccount(tx)
  return { from, to: pending.at(-1)?.version ?? from }
}

/**
 * Tells the planner, of each table without statistics, that all of its rows are of one account. Otherwise it believes that any
 * condition leaves one row, so that an index that only begins with the account looks as good to it as the key: statements that
 * are planned before the first analyze, a minute after the first messages, would read all conversations of the account for
 * each message. Before PostgreSQL 18 this cannot be said.
 */
async function assumeOneAccount(tx: Tx): Promise<void> {
  const { rows } = await sql<{ canBeTold: boolean }>`
    select to_regproc('pg_restore_attribute_stats') is not null as can_be_told
  `.execute(tx)
  if (!rows[0]?.canBeTold) return
  await sql`
    select pg_restore_attribute_stats('schemaname', n.nspname::text, 'relname', c.relname::text, 'attname', 'account_id',
      'inherited', false, 'null_frac', 0::real, 'avg_width', 36, 'n_distinct', 1::real)
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
    where n.nspname = current_schema() and c.relkind = 'r' and c.reltuples < 0
      and not exists (select from pg_stats s where s.schemaname = n.nspname and s.tablename = c.relname)
  `.execute(tx)
}

/** How many migrations the schema is behind this code. Refuses a newer schema that this code is not compatible with. */
export async function migrationsBehind(db: Db): Promise<number> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('schema_migrations') is not null as exists
  `.execute(db)
  return (await pendingAfter(db, rows[0]?.exists ? await appliedVersion(db) : 0)).length
}

async function appliedVersion(db: Db): Promise<number> {
  const { version } = await db
    .selectFrom('schemaMigrations')
    .select(({ fn }) => fn.max('version').as('version'))
    .executeTakeFirstOrThrow()
  return version ?? 0
}

async function pendingAfter(db: Db, applied: number) {
  const all = await readMigrations()
  const known = all.at(-1)?.version ?? 0
  if (applied > known) await refuseNewer(db, { applied, known })
  return all.filter(({ version }) => version > applied)
}

async function refuseNewer(db: Db, { applied, known }: { applied: number; known: number }): Promise<void> {
  const incompatible = await db
    .selectFrom('schemaMigrations')
    .select('version')
    .where('version', '>', known)
    .where('runsBeside', '=', false)
    .executeTakeFirst()
  if (!incompatible) return
  throw new OperatorError(
    `The database has schema ${applied} and this Patchbay knows only ${known}; run the newer version.`,
  )
}

class OlderServersRun extends Error {}

/**
 * Refuses a migration that servers of an older version cannot run beside, while one of them runs. They are found by the
 * advisory locks they hold: one that every server holds, and one that has the version of its schema as its key, which
 * the first versions did not take yet. A server that starts from now on waits for us, and then refuses the newer
 * schema.
 */
async function refuseOlderServers(tx: Tx, { version, name }: Migration): Promise<void> {
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
