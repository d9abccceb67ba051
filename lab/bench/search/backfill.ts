import { print, type World } from '../app/world.ts'
import type { LoadClient } from '../load/client.ts'
import { perRequest } from '../sections/bench.ts'
import { apiKey } from '../servers/start.ts'
import { median } from '../statistics.ts'

/** Compares messages that come at a steady rate without and beside a backfill, in turn, each round with the other one first. */
export async function compareBackfill(
  { server, client }: World,
  load: LoadClient,
  { perSecond, seconds, rounds }: { perSecond: number; seconds: number; rounds: number },
): Promise<void> {
  const { port, certificate, processes } = server
  const target = { port, certificate, processes, apiKey, connections: 64, traffic: 'plain' as const }
  const send = () =>
    load.load({ ...target, requestsPerSecond: perSecond, warmupMs: 3_000, measuredMs: seconds * 1_000 })
  const without = async () => {
    // Under the lock of the search: what a batch has added must be noted before.
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtextextended('message search', 0))`)
    const { rows } = await client.query(`delete from search_backfills returning account_id, before_id`)
    await client.query('commit')
    const outcome = await send()
    for (const { account_id, before_id } of rows) {
      await client.query(`insert into search_backfills values ($1, $2)`, [account_id, before_id])
    }
    return outcome
  }
  await send()
  const measured: Record<'without' | 'beside', Awaited<ReturnType<typeof send>>[]> = { without: [], beside: [] }
  for (let round = 0; round < rounds; round += 1) {
    const both = round % 2 === 0 ? (['without', 'beside'] as const) : (['beside', 'without'] as const)
    for (const which of both) measured[which].push(await (which === 'without' ? without() : send()))
  }
  for (const [which, outcomes] of Object.entries(measured)) {
    const of = (read: (one: (typeof outcomes)[number]) => number, digits: number) =>
      median(outcomes.map(read)).toFixed(digits)
    const cpu = `${of((one) => perRequest(one).node, 0)} and ${of((one) => perRequest(one).postgres, 0)} µs of CPU`
    const times = `p50 ${of(({ latency }) => latency.p50, 1)} ms, p99 ${of(({ latency }) => latency.p99, 1)} ms`
    print(`${perSecond} messages/s ${which} a backfill: ${times}, ${cpu} a message`)
  }
}
