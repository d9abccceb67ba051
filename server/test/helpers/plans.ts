import { CamelCasePlugin, type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import type { Db } from '../../src/platform/database/db.ts'
import type { Tables } from '../../src/platform/database/tables.ts'
import { runStatement } from './databases.ts'
import type { TestApp } from './harness.ts'
import { until } from './until.ts'

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/** A table that a statement reads, whether from end to end, and how many of its rows were read. */
export type Read = { table: string; isWhole: boolean; rows: number }

/**
 * To be called before a test fills its tables: when autovacuum comes in between, free space is used again, rows lie in another
 * order, and the planner may prefer another plan.
 */
export async function stopAutovacuum({ database }: TestApp): Promise<void> {
  await runStatement(
    database.address,
    `do $$
    declare name text;
    begin
      for name in select oid::regclass from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute 'alter table ' || name || ' set (autovacuum_enabled = false)';
      end loop;
    end $$`,
  )
}

/** Tables that the statements of `work` read from end to end, once PostgreSQL knows how large they are. */
export async function scannedTables(app: TestApp, work: (db: Db) => Promise<unknown>): Promise<string[]> {
  return (await readsOf(app, work)).filter(({ isWhole }) => isWhole).map(({ table }) => table)
}

/** What the statements of `work` read, once PostgreSQL knows how large the tables are. They are run twice. */
export async function readsOf({ database }: TestApp, work: (db: Db) => Promise<unknown>): Promise<Read[]> {
  const pool = new Pool({ ...database.address, max: 2 })
  // The database may be gone before its connections are closed: a client says so, and so does the pool.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const sent: CompiledQuery[] = []
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    log: ({ query }) => void sent.push(query),
  })
  try {
    await untilNoSnapshot(pool)
    await pool.query('vacuum analyze')
    await work(db)
    const reads: Read[] = []
    let settings: string[] = [] // of the transaction
    for (const query of [...sent]) {
      if (query.sql === 'begin' || query.sql === 'commit') settings = []
      else if (query.sql.startsWith('set local ')) settings.push(query.sql)
      else reads.push(...readsIn(await explain(pool, settings, query)))
    }
    return reads
  } finally {
    await db.destroy()
  }
}

/**
 * A snapshot that is older than the rows, such as one that autovacuum analyzes with, keeps vacuum from marking their pages
 * as visible to all, and then the planner does not trust the index alone.
 */
async function untilNoSnapshot(pool: Pool): Promise<void> {
  const others = `select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_xmin is not null limit 1`
  await until(async () => (await pool.query(others)).rowCount === 0, 'somebody holds a snapshot')
}

/** What it writes is undone. */
async function explain(pool: Pool, settings: string[], query: CompiledQuery): Promise<Plan> {
  const client = await pool.connect()
  try {
    await client.query(['begin', ...settings].join(';'))
    const { rows } = await client.query(`explain (analyze, format json) ${query.sql}`, [...query.parameters])
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.query('rollback')
    client.release()
  }
}

function readsIn(plan: Plan): Read[] {
  const isRead = /Scan/.test(plan['Node Type']) && plan['Relation Name'] !== undefined
  const here = { table: plan['Relation Name'] ?? '', isWhole: plan['Node Type'] === 'Seq Scan', rows: rowsOf(plan) }
  return [...(isRead ? [here] : []), ...(plan.Plans ?? []).flatMap(readsIn)]
}

function rowsOf(plan: Plan): number {
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return (plan['Actual Rows'] + removed) * plan['Actual Loops']
}
