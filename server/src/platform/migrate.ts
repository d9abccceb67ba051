import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import type { Db, Tx } from './db.ts'
import { OperatorError } from './operator-error.ts'

const folder = resolve(import.meta.dirname, '../../migrations')

/** Any number, as long as no other software in the same database uses it. */
const migrationLock = 7_301_001

/**
 * Runs `work` in one transaction that no other process's migration or first start overlaps.
 * Killed anywhere, it leaves the schema as it was.
 */
export async function underMigrationLock<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(tx)
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx)
    return work(tx)
  })
}

/** Brings the schema to the version of this code; runs under the migration lock. */
export async function migrate(tx: Tx): Promise<void> {
  await sql`
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )
  `.execute(tx)
  const applied = await appliedVersion(tx)
  for (const { version, name, file } of await pendingAfter(applied)) {
    await sql.raw(await readFile(join(folder, file), 'utf8')).execute(tx)
    await tx.insertInto('schemaMigrations').values({ version, name }).execute()
  }
}

/** How many migrations the schema is behind this code. Refuses a schema from a newer version. */
export async function migrationsBehind(db: Db): Promise<number> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('schema_migrations') is not null as exists
  `.execute(db)
  return (await pendingAfter(rows[0]?.exists ? await appliedVersion(db) : 0)).length
}

async function appliedVersion(db: Db): Promise<number> {
  const { version } = await db
    .selectFrom('schemaMigrations')
    .select(({ fn }) => fn.max('version').as('version'))
    .executeTakeFirstOrThrow()
  return version ?? 0
}

async function pendingAfter(applied: number): Promise<{ version: number; name: string; file: string }[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  const all = files.map((file) => ({ version: Number(file.slice(0, 4)), name: file.slice(5, -4), file }))
  if (applied > all.length) {
    throw new OperatorError(
      `The database has schema ${applied} and this Patchbay knows only ${all.length}; run the newer version.`,
    )
  }
  return all.filter(({ version }) => version > applied)
}
