import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { prepareAccount } from '../fill.ts'
import { startLoadClient } from '../load/client.ts'
import { senders } from '../load/outgoing.ts'
import { readCpu } from '../measure.ts'
import { perSecond } from '../sections/bench.ts'
import { prepareSenders } from '../senders.ts'
import { type RunningServer, startServer } from '../servers/start.ts'
import { asText } from '../table.ts'
import { assertAllSent, type Direction, type Flow, sendIn, sendOut } from './flows.ts'
import { type Measured, type Round, report } from './report.ts'

/**
 * Before each measurement. A garbage collection while nobody is connected discards the optimized code of all connections,
 * and with two seconds it depended on that which of two equal versions was an eighth slower.
 */
const warmupMs = 6_000

/**
 * Compares the messages that come in and those that go out of this checkout with those of another one, such as the version
 * before: each has its own server and database, and they take turns, so that what disturbs the machine disturbs both.
 */
export async function benchVersions(args: string[]): Promise<void> {
  const { before, rounds, seconds, directions, profile } = readSettings(args)
  await using started = new AsyncDisposableStack()
  const folder = await makeTemporaryFolder('patchbay-bench-versions-', started)
  const load = started.use(startLoadClient())
  const { ports } = await load.listen(senders)
  const start = async (name: string, checkout?: string) => {
    await mkdir(join(folder, name))
    const profileFolder = profile && join(profile, name)
    const traces = { logFolder: undefined, profileFolder, ...(checkout && { checkout }) }
    const server = started.use(await startServer('product', join(folder, name), traces))
    await prepare(server, directions.includes('out') ? ports : [])
    return server
  }
  const servers = { before: await start('before', before), after: await start('after') }
  const flows: Record<Direction, Flow> = { in: sendIn, out: sendOut }
  for (const server of Object.values(servers)) {
    for (const direction of directions) await flows[direction](load, server, { warmupMs: 8_000, measuredMs: 100 })
  }
  const measured: Measured = { in: [], out: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const direction of directions) {
      const one = await measureBoth(servers, round, async (server) => {
        await untilIdle(Object.values(servers))
        return flows[direction](load, server, { warmupMs, measuredMs: seconds * 1_000 })
      })
      measured[direction].push(one)
      const rates = `${perSecond(one.before).toFixed(0)}/s before, ${perSecond(one.after).toFixed(0)}/s after`
      process.stderr.write(`round ${round + 1}, ${direction}: ${rates}\n`)
    }
  }
  for (const server of Object.values(servers)) await assertAllSent(server)
  process.stdout.write(asText(report(measured)))
}

function readSettings(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      before: { type: 'string' },
      rounds: { type: 'string', default: '10' },
      seconds: { type: 'string', default: '10' },
      only: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  const { before, rounds, seconds, only, profile } = values
  if (before === undefined) throw new Error('--before FOLDER: a checkout of the version to compare with')
  if (only !== undefined && only !== 'in' && only !== 'out') throw new Error(`--only is in or out; it is "${only}".`)
  const directions: Direction[] = only === undefined ? ['in', 'out'] : [only]
  return { before: resolve(before), rounds: Number(rounds), seconds: Number(seconds), directions, profile }
}

async function prepare(server: RunningServer, ports: number[]): Promise<void> {
  const database = await server.connect()
  await prepareAccount(database)
  await database.end()
  if (ports.length > 0) await prepareSenders(server, ports)
}

/** Each round begins with the other one. */
async function measureBoth(
  servers: Record<keyof Round, RunningServer>,
  round: number,
  turn: (server: RunningServer) => Promise<Round['before']>,
): Promise<Round> {
  if (round % 2 === 0) return { before: await turn(servers.before), after: await turn(servers.after) }
  const after = await turn(servers.after)
  return { before: await turn(servers.before), after }
}

/** Under load a server puts work off, such as adding messages to the search; it must not be done while the other is measured. */
async function untilIdle(servers: RunningServer[]): Promise<void> {
  const used = () =>
    servers.map(({ processes }) => readCpu(processes)).reduce((sum, { node, postgres }) => sum + node + postgres, 0)
  const windowMs = 4_000
  for (let waitedMs = 0; waitedMs < 120_000; waitedMs += windowMs) {
    const before = used()
    await sleep(windowMs)
    if ((used() - before) / 1_000 / windowMs / availableParallelism() < 0.08) return
  }
}
