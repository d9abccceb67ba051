import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { prepareAccount } from '../fill.ts'
import { type LoadClient, startLoadClient } from '../load/client.ts'
import type { Outcome } from '../load/run-load.ts'
import { readMachineCpu } from '../measure.ts'
import { perRequest, perSecond, surprises } from '../sections/bench.ts'
import { apiKey, type RunningServer, startServer } from '../servers/start.ts'
import { median, spreadOf } from '../statistics.ts'
import { asText, type Table } from '../table.ts'

type Measured = { before: Outcome; after: Outcome }

/**
 * Compares the durable ingest of this checkout with that of another one, such as the version before: each has its own
 * server and database, and they take turns, so that what disturbs the machine disturbs both.
 */
export async function benchVersions(args: string[]): Promise<void> {
  const { before, rounds, seconds } = readSettings(args)
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-bench-versions-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const start = async (name: string, checkout?: string) => {
    await mkdir(join(folder, name))
    const traces = { logFolder: undefined, profileFolder: undefined, ...(checkout && { checkout }) }
    const server = started.use(await startServer('product', join(folder, name), traces))
    const database = await server.connect()
    await prepareAccount(database)
    await database.end()
    return server
  }
  const servers = { before: await start('before', before), after: await start('after') }
  const load = started.use(startLoadClient())
  for (const server of Object.values(servers)) await send(load, server, { warmupMs: 8_000, measuredMs: 100 })
  const measured: Measured[] = []
  for (let round = 0; round < rounds; round += 1) {
    const turn = async (server: RunningServer) => {
      await untilIdle()
      return send(load, server, { warmupMs: 2_000, measuredMs: seconds * 1_000 })
    }
    // Each round begins with the other one.
    const first = round % 2 === 0 ? { before: await turn(servers.before) } : { after: await turn(servers.after) }
    const one = {
      before: first.before ?? (await turn(servers.before)),
      after: first.after ?? (await turn(servers.after)),
    }
    measured.push(one)
    process.stderr.write(
      `round ${round + 1}: ${perSecond(one.before).toFixed(0)}/s before, ${perSecond(one.after).toFixed(0)}/s after\n`,
    )
  }
  process.stdout.write(asText(report(measured)))
}

/** Under load a server puts work off, such as adding messages to the search; it must not be done while the other is measured. */
async function untilIdle(): Promise<void> {
  const windowMs = 4_000
  for (let waitedMs = 0; waitedMs < 120_000; waitedMs += windowMs) {
    const before = readMachineCpu()
    await sleep(windowMs)
    const used = (readMachineCpu() - before) / 1_000 / windowMs / availableParallelism()
    if (used < 0.08) return
  }
}

function readSettings(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      before: { type: 'string' },
      rounds: { type: 'string', default: '10' },
      seconds: { type: 'string', default: '10' },
    },
  })
  if (values.before === undefined) throw new Error('--before FOLDER: a checkout of the version to compare with')
  return { before: resolve(values.before), rounds: Number(values.rounds), seconds: Number(values.seconds) }
}

async function send(load: LoadClient, server: RunningServer, stretch: { warmupMs: number; measuredMs: number }) {
  const { port, certificate, processes } = server
  const outcome = await load.load({ port, certificate, processes, apiKey, connections: 64, traffic: 'new', ...stretch })
  const words = surprises(outcome, 200)
  if (words !== undefined) throw new Error(`not every message was accepted: ${words}`)
  return outcome
}

function report(measured: Measured[]): Table {
  const ratios = spreadOf(measured.map(({ before, after }) => perSecond(after) / perSecond(before)))
  const row = (name: keyof Measured) => {
    const outcomes = measured.map((one) => one[name])
    const cpu = outcomes.map(perRequest)
    return [
      ...[name, median(outcomes.map(perSecond)).toFixed(0)],
      ...[median(cpu.map(({ node }) => node)).toFixed(0), median(cpu.map(({ postgres }) => postgres)).toFixed(0)],
    ]
  }
  const { median: middle, min, max } = ratios
  return {
    title: 'Two versions side by side',
    note: `After / before: ${middle.toFixed(3)} (${min.toFixed(3)} to ${max.toFixed(3)})`,
    head: ['version', 'messages/s', 'Node µs', 'PostgreSQL µs'],
    rows: [row('before'), row('after')],
  }
}
