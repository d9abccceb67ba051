import type { Client } from 'pg'
import { print } from '../app/world.ts'
import type { LoadClient } from '../load/client.ts'
import { sendSteadily } from '../load/steady.ts'
import type { RunningServer } from '../servers/start.ts'
import { median, type Spread, spreadOf } from '../statistics.ts'

export type World = {
  server: RunningServer
  database: Client
  load: LoadClient
  rounds: number
  started: AsyncDisposableStack
}

/** A figure alone and beside something else, medians of the rounds, and the ratio of each round. */
export type Beside = { what: string; unit: string; alone: number; beside: number; ratio: Spread; goal: number }

type Compared = Pick<Beside, 'what' | 'unit' | 'goal'> & {
  rounds: number
  alone: () => Promise<number>
  beside: () => Promise<number>
}

/** The two in turns. */
export async function compare({ rounds, alone, beside, ...named }: Compared): Promise<Beside> {
  const pairs: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) {
    const pair: [number, number] = [await alone(), await beside()]
    pairs.push(pair)
    print(`  ${pair.map((figure) => figure.toFixed(1)).join(' alone, ')} beside`)
  }
  return {
    ...named,
    alone: median(pairs.map(([without]) => without)),
    beside: median(pairs.map(([, within]) => within)),
    ratio: spreadOf(pairs.map(([without, within]) => within / without)),
  }
}

const steady = { rate: 500, seconds: 10 }

/** Of messages that come in at 500 a second for ten seconds. */
export async function p99OfMessages(
  { load, server }: Pick<World, 'load' | 'server'>,
  apiKey?: string,
): Promise<number> {
  const { latency } = await sendSteadily(load, server, { ...steady, ...(apiKey !== undefined && { apiKey }) })
  return latency.p99
}

/** While `work` is repeated, from before the first message until after the last one. */
export async function meanwhile<Measured>(
  work: (stopping: AbortSignal) => Promise<unknown>,
  measure: () => Promise<Measured>,
): Promise<Measured> {
  const stopping = new AbortController()
  const working = work(stopping.signal)
  try {
    return await measure()
  } finally {
    stopping.abort()
    await working
  }
}
