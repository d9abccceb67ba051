import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Client } from 'pg'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { print } from '../app/world.ts'
import { prepareAccount } from '../fill.ts'
import { startLoadClient } from '../load/client.ts'
import type { Outcome } from '../load/run-load.ts'
import { describeSteady, sendSteadily } from '../load/steady.ts'
import { countAll } from '../reports/count-all.ts'
import { startServer } from '../servers/start.ts'
import { median } from '../statistics.ts'
import { addAgain, fillByAge } from './fill.ts'

/** Removed are those older than this. */
const keptDays = 90

/**
 * Removes a fifth of an account's messages while others come at a steady rate: what that does to those that come, how long it
 * takes, and whether the space is used again.
 */
export async function benchRetention(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const options = { messages: text, rate: text, seconds: text }
  const { values } = parseArgs({ args, options })
  const messages = Number(values.messages ?? 5_000_000)
  const [rate, seconds] = [Number(values.rate ?? 500), Number(values.seconds ?? 20)]
  const old = Math.floor(messages / 5)
  await using started = new AsyncDisposableStack()
  const folder = await makeTemporaryFolder('patchbay-bench-retention-', started)
  const server = started.use(await startServer('product', folder, { logFolder: undefined, profileFolder: undefined }))
  const client = await server.connect()
  started.defer(() => client.end())
  await prepareAccount(client)
  print(`filling: ${messages} messages, ${old} of them older than ${keptDays} days`)
  await fillByAge(client, { messages, old })
  await countAll(server, client) // nothing is removed before it is in the reports
  const load = started.use(startLoadClient())
  const send = () => sendSteadily(load, server, { rate, seconds })

  await send()
  const without = [await send(), await send(), await send()]
  print(`${rate}/s, nothing removed: ${describeSteady(without)}`)
  await client.query(`insert into retention_rules select owner_account_id, 'messages', ${keptDays} from installation`)
  await client.query(`notify patchbay_work, 'retention'`)
  const beganAt = performance.now()
  const during: Outcome[] = []
  while ((await countOld(client)) > 0) during.push(await send())
  const took = (performance.now() - beganAt) / 1_000
  print(`${rate}/s, beside the removal: ${describeSteady(during)}; worst window p99 ${worst(during).toFixed(1)} ms`)
  print(`${old} messages were removed in ${took.toFixed(0)} s, the first minute of it for their messageSids`)
  const [p99, usual] = [during, without].map((all) => median(all.map(({ latency }) => latency.p99))) as [number, number]
  print(`p99 is ${(p99 / usual).toFixed(2)} times that without; the goal is at most 2`)
  await untilVacuumed(client)
  const before = await sizeOf(client) // with what came meanwhile
  await addAgain(client, { messages, count: old })
  const after = await sizeOf(client)
  const grown = (which: 'heap' | 'all') => `${mib(before[which])} → ${mib(after[which])} MiB`
  print(`as many as were removed, added once more: messages ${grown('heap')}, with its indexes ${grown('all')}`)
}

const worst = (outcomes: Outcome[]) => Math.max(...outcomes.map(({ latency }) => latency.p99))

async function countOld(client: Client): Promise<number> {
  const { rows } = await client.query<{ n: string }>(
    `select count(*) as n from (
      select from messages where account_id = (select owner_account_id from installation)
        and created_at < now() - interval '${keptDays} days' order by id limit 1
    ) as old`,
  )
  return Number(rows[0]?.n)
}

async function sizeOf(client: Client): Promise<{ heap: number; all: number }> {
  const { rows } = await client.query<{ heap: string; all: string }>(
    `select pg_relation_size('messages') as heap, pg_total_relation_size('messages') as all`,
  )
  return { heap: Number(rows[0]?.heap), all: Number(rows[0]?.all) }
}

const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(0)

/** Autovacuum looks once a minute; what is below its share of dead rows is cleaned by the next one. */
async function untilVacuumed(client: Client): Promise<void> {
  for (let waited = 0; waited < 300; waited += 5) {
    const { rows } = await client.query<{ n: string; limit: string }>(
      `select n_dead_tup as n, 50 + 0.05 * n_live_tup as limit from pg_stat_user_tables where relname = 'messages'`,
    )
    if (Number(rows[0]?.n) <= Number(rows[0]?.limit)) return
    await sleep(5_000)
  }
}
