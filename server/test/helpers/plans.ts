import { CamelCasePlugin, type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import type { Db } from '../../src/platform/database/db.ts'
import type { Tables } from '../../src/platform/database/tables.ts'
import type { TestApp } from './harness.ts'

type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] }

/** Tables that the statements of `work` read from end to end, once PostgreSQL knows how large they are. */
export async function scannedTables({ database }: TestApp, work: (db: Db) => Promise<unknown>): Promise<string[]> {
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
    await pool.query('analyze')
    await work(db)
    const plans: Plan[] = []
    for (const query of [...sent]) {
      const { rows } = await pool.query(`explain (format json) ${query.sql}`, [...query.parameters])
      plans.push(rows[0]['QUERY PLAN'][0].Plan)
    }
    return plans.flatMap(scansIn)
  } finally {
    await db.destroy()
  }
}

function scansIn(plan: Plan): string[] {
  const here = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : []
  return [...here, ...(plan.Plans ?? []).flatMap(scansIn)]
}
