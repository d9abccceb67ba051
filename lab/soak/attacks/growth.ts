import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { fillTo } from '../../bench/fill.ts'
import { type Attack, type Counts, count } from './attack.ts'

const rows = 1_000_000
/** For a table with fewer rows a sequential scan is fine. */
const large = 10_000

/** K02: no attack, but a million messages of a hundred thousand contacts; no query may scan them all. */
export const growth: Attack = async ({ database }, started) => {
  const client = new Client(database)
  client.on('error', () => {})
  await client.connect()
  started.defer(() => client.end())
  const filled = await fillTo(client, rows)
  return async (stopping) => {
    const counts: Counts = { filled }
    const before = await readScans(client)
    while (!stopping.aborted) await sleep(500)
    const after = await readScans(client)
    for (const [table, read] of after) {
      const more = read - (before.get(table) ?? 0)
      if (more > 0) count(counts, `broken: rows of ${table} read by sequential scans`, more)
    }
    return counts
  }
}

/** How many rows of large tables have been read by sequential scans so far. */
async function readScans(client: Client): Promise<Map<string, number>> {
  await client.query('select pg_stat_force_next_flush()')
  await sleep(1_500) // other sessions report once a second
  const { rows: tables } = await client.query<{ name: string; read: string }>(
    'select relname as name, seq_tup_read as read from pg_stat_user_tables where n_live_tup >= $1',
    [large],
  )
  return new Map(tables.map(({ name, read }) => [name, Number(read)]))
}
