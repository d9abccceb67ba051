import { setTimeout as sleep } from 'node:timers/promises'
import { answeredOnce, type Delivery, readDeliveries } from '../../../server/test/helpers/global-rules.ts'
import { readMemory } from '../../bench/measure.ts'
import type { World } from '../kills/world.ts'
import type { Tenant } from '../tenants.ts'
import type { Sample } from './flat.ts'

const everyMs = 10_000
/** Within this time a message is answered, also after a kill: a lease runs out after half a minute. */
const answeredMs = 120_000

export type Watched = { samples: Sample[]; deliveries: Map<string, Delivery>; broken: string[] }

/** Takes note of what will be removed, and of memory and disk, until it is stopped. */
export function startWatch(world: World, tenant: Tenant, keptMinutes: number) {
  const [samples, deliveries, broken] = [[] as Sample[], new Map<string, Delivery>(), new Set<string>()]
  const stopping = new AbortController()
  const beganAt = performance.now()

  async function look(): Promise<void> {
    const { query, product } = world
    for (const [id, delivery] of await readDeliveries(query, tenant.accountId)) {
      if (delivery.isSettled) deliveries.set(id, delivery)
    }
    const now = Date.now()
    const window = { from: new Date(now - keptMinutes * 0.8 * 60_000), to: new Date(now - answeredMs) }
    for (const breach of await answeredOnce(query, tenant.accountId, window)) broken.add(breach)
    const { rows } = await query(sizes)
    const size = rows[0] as Record<'tables' | 'forever' | 'wal' | 'most_wal', string> & Pick<Sample, 'largest'>
    const disk = { tables: Number(size.tables), largest: size.largest, forever: Number(size.forever) }
    const log = { wal: Number(size.wal), mostWal: Number(size.most_wal) }
    const [atMs, memory] = [performance.now() - beganAt, readMemory(product.pid).now]
    if (memory > 0) samples.push({ atMs, memory, ...disk, ...log }) // it is not being restarted
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look().catch(() => {}) // the database is restarting
      await sleep(everyMs, undefined, stopping).catch(() => {}) // it stops
    }
  }

  const running = run()
  return {
    stop: async (): Promise<Watched> => {
      stopping.abort()
      await running
      return { samples, deliveries, broken: [...broken] }
    },
  }
}

/** `forever`: what grows for as long as the product is used, or for 91 days. */
const sizes = `
  with kept as (select sum(pg_total_relation_size(name)) as forever from unnest(array['ledger', 'removed_sids']) as name)
  select pg_database_size(current_database()) - forever as tables, forever,
    (
      select json_object_agg(relname, size) from (
        select relname, pg_total_relation_size(oid) as size from pg_class where relkind = 'r' order by 2 desc limit 12
      ) as one
    ) as largest,
    (select sum(size) from pg_ls_waldir()) as wal,
    (select setting::bigint * 2 ^ 20 from pg_settings where name = 'max_wal_size') as most_wal
  from kept`
