import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { backendMicros, childrenOf, readCpu } from './measure.ts'
import type { RunningServer } from './servers/start.ts'

/** PostgreSQL's CPU time so far in microseconds, by the pool of the product whose connections took it. */
export type PoolCpu = Map<string, number>

export type Backends = { read: () => Promise<PoolCpu>; [Symbol.asyncDispose]: () => Promise<void> }

/** Processes of PostgreSQL that serve no connection: the checkpointer, the writers, autovacuum. */
const ownProcesses = 'own processes'
/** What a process took between our last look at it and its end. */
const ended = 'ended meanwhile'

/** An idle connection is closed after ten seconds: each is seen often before that. */
const lookEveryMs = 500

/**
 * Watches which process of PostgreSQL took how much CPU time, and keeps what was last seen of those that ended. Our own
 * connections, this one too, are left out.
 */
export async function watchBackends(server: RunningServer): Promise<Backends> {
  const { postmaster } = server.processes
  const client = await server.connect()
  const seen = new Map<number, { name: string; micros: number }>()
  const stopping = new AbortController()

  let last = Promise.resolve()
  /** One look after another, as the driver asks for. */
  function look(): Promise<void> {
    last = last.then(lookNow)
    return last
  }
  async function lookNow(): Promise<void> {
    const names = await readNames(client)
    for (const pid of [postmaster ?? 0, ...childrenOf(postmaster ?? 0)]) {
      const before = seen.get(pid)
      const name = names.get(pid) ?? before?.name ?? ownProcesses
      seen.set(pid, { name, micros: Math.max(before?.micros ?? 0, backendMicros(pid)) }) // 0: it has just ended
    }
  }
  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look()
      await sleep(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const looking = keepLooking()
  looking.catch(() => {}) // thrown by `asyncDispose`

  return {
    read: async () => {
      await look()
      const sums = new Map<string, number>()
      for (const { name, micros } of seen.values()) sums.set(name, (sums.get(name) ?? 0) + micros)
      const all = [...sums.values()].reduce((sum, micros) => sum + micros, 0)
      sums.set(ended, readCpu(server.processes).postgres - all)
      sums.delete(ours)
      return sums
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await looking
      await client.end()
    },
  }
}

/** Connections of the benchmark have no name. */
const ours = ''

/** The product names its connections after their pool. */
async function readNames(client: Client): Promise<Map<number, string>> {
  const { rows } = await client.query<{ pid: number; name: string }>(`
    select pid, case backend_type when 'client backend' then application_name else '${ownProcesses}' end as name
    from pg_stat_activity
  `)
  return new Map(rows.map(({ pid, name }) => [pid, name.replace(/^patchbay on .*/, 'patchbay lock')]))
}

/** What each pool took between two readings. */
export function poolsBetween(before: PoolCpu, after: PoolCpu): PoolCpu {
  return new Map([...after].map(([name, micros]) => [name, micros - (before.get(name) ?? 0)]))
}

export function sumOf(pools: PoolCpu): number {
  return [...pools.values()].reduce((sum, micros) => sum + micros, 0)
}
