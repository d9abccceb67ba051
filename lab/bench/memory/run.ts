import { parseArgs } from 'node:util'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { print } from '../app/world.ts'
import { orInterrupted } from '../interrupt.ts'
import { startLoadClient } from '../load/client.ts'
import type { Load } from '../load/run-load.ts'
import { contactsOfMany } from '../load/traffic.ts'
import { readMemory, resetPeakMemory } from '../measure.ts'
import { surprises } from '../sections/bench.ts'
import { apiKey, startServer } from '../servers/start.ts'
import { median } from '../statistics.ts'

const goalBytes = 250e6

const sampleEveryMs = 1_000

/**
 * Watches the memory of the Node process while messages come from a million contacts: far more than are remembered, so
 * whatever is kept for each of them would show. At the end they come as fast as they are taken.
 */
export async function benchMemory(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { minutes: text, rate: text, seconds: text } })
  const [minutes, rate, seconds] = [values.minutes ?? 60, values.rate ?? 600, values.seconds ?? 60].map(Number)
  await using started = new AsyncDisposableStack()
  const work = watch(started, { minutes: minutes ?? 0, rate: rate ?? 0, seconds: seconds ?? 0 })
  await orInterrupted(work)
}

type Times = { minutes: number; rate: number; seconds: number }

async function watch(started: AsyncDisposableStack, { minutes, rate, seconds }: Times): Promise<void> {
  const folder = await makeTemporaryFolder('patchbay-bench-memory-', started)
  const server = started.use(await startServer('product', folder, { logFolder: undefined, profileFolder: undefined }))
  const client = await server.connect()
  started.defer(() => client.end())
  await client.query('update accounts set bot_active = false')
  const load = started.use(startLoadClient())
  const { port, certificate, processes } = server

  let samples: number[] = []
  const timer = setInterval(() => samples.push(readMemory(processes.node).now), sampleEveryMs)
  started.defer(() => clearInterval(timer))
  const stretch = async (title: string, times: Pick<Load, 'measuredMs' | 'requestsPerSecond'>) => {
    samples = []
    resetPeakMemory(processes.node)
    const order = { port, certificate, processes, apiKey, connections: 64, traffic: 'many' as const, warmupMs: 0 }
    const outcome = await load.load({ ...order, ...times })
    const memory = `median ${inMB(median(samples))}, highest ${inMB(readMemory(processes.node).peak)} MB`
    const words = surprises(outcome, 200)
    print(`${title}: ${outcome.acknowledged} messages, ${memory}${words ? `; ${words}` : ''}`)
  }

  print(`${rate} messages a second for ${minutes} minutes, of ${contactsOfMany} contacts; goal ${inMB(goalBytes)} MB`)
  const partMinutes = Math.min(5, minutes)
  for (let past = partMinutes; past <= minutes; past += partMinutes) {
    await stretch(`up to minute ${past}`, { measuredMs: partMinutes * 60_000, requestsPerSecond: rate })
  }
  await stretch(`as fast as they are taken, ${seconds} s`, { measuredMs: seconds * 1_000 })
  const { rows } = await client.query('select count(*) as contacts from contacts where external_id is not null')
  print(`contacts that have written: ${rows[0]?.contacts}`)
}

const inMB = (bytes: number) => (bytes / 1e6).toFixed(0)
