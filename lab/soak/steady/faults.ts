import { setTimeout as sleep } from 'node:timers/promises'
import type { Counts } from '../attacks/attack.ts'
import { startChild } from '../child.ts'
import { databaseBackMs, endConnections, killDatabase, type World } from '../kills/world.ts'

/** Attacks of strangers and neighbours: others must notice nothing of them. */
const attacks = ['wrong-keys', 'readyz', 'healthz', 'pipelined', 'open-bodies', 'receivers', 'models', 'held-contact']
const attackMs = 15_000

type Allowed = 'any' | 'none that ends the server'

type FaultsOptions = {
  say: (line: string) => void
  seed: number
  random: () => number
  /** Runs a fault during which requests may fail. */
  duringFault: (inject: () => Promise<void>) => Promise<void>
}

/** Kills and attacks at random, one at a time, with pauses. */
export function openFaults(world: World, { say, seed, random, duringFault }: FaultsOptions) {
  const counts = { server: 0, database: 0, connections: 0, attacks: 0 }
  const backMs: number[] = []
  const pick = <Item>(items: readonly Item[]): Item => items[Math.trunc(random() * items.length)] as Item

  async function attack(name: string): Promise<void> {
    const { port, database, server, environment } = world.product
    const order = { name, port, database, server, environment, seed: Math.trunc(random() * 2 ** 31) + seed }
    await using child = startChild<null, Counts>('attacks/process.ts', order)
    await child.ready
    child.go()
    await sleep(attackMs)
    await child.stop()
  }

  async function inject(allowed: Allowed): Promise<void> {
    const kind = pick(['server', 'database', 'connections', 'attacks', 'attacks'] as const)
    if (kind === 'server' && allowed !== 'any') return
    counts[kind] += 1
    const name = kind === 'attacks' ? pick(attacks) : kind
    say(`  ${kind === 'attacks' ? 'attack' : 'kill'}: ${name}`)
    if (kind === 'attacks') return attack(name)
    const faults = {
      server: world.restart,
      database: async () => {
        await killDatabase(world)
        backMs.push(await databaseBackMs(world))
      },
      connections: () => endConnections(world),
    }
    await duringFault(faults[kind])
  }

  return {
    counts,
    /** The longest time without a database. */
    worstBackMs: () => Math.round(Math.max(0, ...backMs)),
    next: async (allowed: Allowed): Promise<void> => {
      await sleep(5_000 + random() * 15_000)
      await inject(allowed)
    },
  }
}
