import { parseArgs } from 'node:util'
import { measureAll, openWorld, print } from '../app/world.ts'
import { countAll } from './count-all.ts'
import { fillReports } from './fill.ts'

/** The goal, in milliseconds, for the slowest of a hundred requests. */
const goalMs = 100

/** Measures how long it takes to count an installation that had no reports, and to read them. */
export async function benchReports(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      conversations: { type: 'string', default: '10000' },
      messages: { type: 'string', default: '1000000' },
      days: { type: 'string', default: '180' },
    },
  })
  await using started = new AsyncDisposableStack()
  const world = await openWorld(started, { conversations: 10, messages: 100 })
  const messages = Number(values.messages)
  print(`filling: ${messages} messages of ${values.days} days`)
  await fillReports(world.client, {
    conversations: Number(values.conversations),
    messages,
    days: Number(values.days),
  })
  const seconds = await countAll(world.server, world.client)
  const { rows } = await world.client.query(
    `select pg_size_pretty(sum(pg_total_relation_size(oid))) as size from pg_class where relname ~ '^report_' and relkind = 'r'`,
  )
  print(
    `counted in ${seconds.toFixed(0)} s, ${Math.round(messages / seconds)} messages a second; ${rows[0].size} in all`,
  )
  await world.client.query('vacuum analyze')
  const ofOne = `&channel=${encodeURIComponent('report channel 1')}`
  const asked = ['7', '30', '90'].flatMap((range) => [
    { name: `${range} days`, path: () => `/api/reports?range=${range}` },
    { name: `${range} days, one channel`, path: () => `/api/reports?range=${range}${ofOne}` },
    { name: `${range} days as CSV`, path: () => `/api/reports/csv?range=${range}` },
  ])
  await measureAll(world, asked, goalMs)
}
