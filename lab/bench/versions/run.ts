import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { prepareAccount, prepareOwing } from '../fill.ts'
import { orInterrupted } from '../interrupt.ts'
import { type LoadClient, startLoadClient } from '../load/client.ts'
import { senders } from '../load/outgoing.ts'
import { messageTraffic } from '../load/traffic.ts'
import { perRequest, perSecond } from '../sections/bench.ts'
import { prepareSenders } from '../senders.ts'
import { type RunningServer, startServer } from '../servers/start.ts'
import { untilIdle } from '../servers/until-idle.ts'
import { asText } from '../table.ts'
import {
  assertAllSent,
  type Direction,
  type Flow,
  type Pace,
  type Stretch,
  sendIn,
  sendOut,
  withDatabase,
} from './flows.ts'
import { type Measured, type Round, report } from './report.ts'

/**
 * Before each measurement. A garbage collection while nobody is connected discards the optimized code of all connections,
 * and with two seconds it depended on that which of two equal versions was an eighth slower.
 */
const warmupMs = 6_000

type Settings = ReturnType<typeof readSettings>

/**
 * Compares the messages that come in and those that go out of this checkout with those of others, such as the version
 * before: each has its own server and database, and they take turns. One that is not in its turn is stopped.
 */
export async function benchVersions(args: string[]): Promise<void> {
  const settings = readSettings(args)
  await using started = new AsyncDisposableStack()
  await orInterrupted(compare(started, settings))
}

async function compare(started: AsyncDisposableStack, settings: Settings): Promise<void> {
  const servers = await startVersions(started, settings)
  const flows: Record<Direction, Flow> = { in: sendIn(settings.traffic), out: sendOut }
  const takeTurn = async (name: string, direction: Direction, pace: Pace) => {
    const { server, client } = letRun(servers, name, settings)
    await untilIdle(server)
    return flows[direction](client, server, pace)
  }
  for (const name of servers.keys()) {
    for (const direction of settings.directions) await takeTurn(name, direction, { warmupMs: 8_000, measuredMs: 100 })
  }
  const measured: Measured = { in: [], out: [] }
  const { rate, seconds } = settings
  const pace = { warmupMs, measuredMs: seconds * 1_000, ...(rate > 0 && { requestsPerSecond: rate }) }
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const direction of settings.directions) {
      const one = await measureAll([...servers.keys()], round, settings, (name) => takeTurn(name, direction, pace))
      measured[direction].push(one)
      const rates = [...one].map(([name, stretch]) => `${name} ${figuresOf(stretch)}`)
      process.stderr.write(`round ${round + 1}, ${direction}: ${rates.join(', ')}\n`)
    }
  }
  for (const name of servers.keys()) await assertAllSent(letRun(servers, name, settings).server)
  process.stdout.write(asText(report(measured, settings.traffic)))
}

function readSettings(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      before: { type: 'string' },
      more: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string', default: '10' },
      seconds: { type: 'string', default: '10' },
      /** So many messages a second for each, at the same time: then the processor time of a message is what is compared. */
      rate: { type: 'string', default: '0' },
      only: { type: 'string' },
      traffic: { type: 'string', default: 'plain' },
      profile: { type: 'string' },
    },
  })
  const { before, more, rounds, seconds, rate, only, profile } = values
  if (before === undefined) throw new Error('--before FOLDER: a checkout of the version to compare with')
  if (only !== undefined && only !== 'in' && only !== 'out') throw new Error(`--only is in or out; it is "${only}".`)
  const traffic = messageTraffic.find((kind) => kind === values.traffic)
  if (!traffic) throw new Error(`--traffic is ${messageTraffic.join(', ')}; it is "${values.traffic}".`)
  const directions: Direction[] = only === undefined ? ['in', 'out'] : [only]
  const checkouts = new Map<string, string | undefined>([['before', resolve(before)]])
  for (const [n, folder] of more.entries()) {
    checkouts.set(more.length === 1 ? 'between' : `between ${n + 1}`, resolve(folder))
  }
  checkouts.set('after', undefined) // this one
  const numbers = { rounds: Number(rounds), seconds: Number(seconds), rate: Number(rate) }
  return { checkouts, ...numbers, directions, traffic, profile }
}

type Version = { server: RunningServer; client: LoadClient }

/** Starts and fills one after another. */
async function startVersions(
  started: AsyncDisposableStack,
  { checkouts, directions, traffic, profile }: Settings,
): Promise<Map<string, Version>> {
  const folder = await makeTemporaryFolder('patchbay-bench-versions-', started)
  const servers = new Map<string, Version>()
  for (const [name, checkout] of checkouts) {
    const own = join(folder, name.replaceAll(' ', '-'))
    await mkdir(own)
    const traces = {
      logFolder: undefined,
      profileFolder: profile && join(profile, name),
      ...(checkout && { checkout }),
    }
    for (const other of servers.values()) other.server.pause()
    const client = started.use(startLoadClient())
    const { ports } = await client.listen(senders)
    const server = started.use(await startServer('product', own, traces))
    servers.set(name, { server, client })
    await withDatabase(server, async (database) => {
      await prepareAccount(database)
      if (traffic === 'owed') await prepareOwing(database)
    })
    if (directions.includes('out')) await prepareSenders(server, ports)
  }
  return servers
}

/** Stops all others, unless all run at the same time. */
function letRun(servers: Map<string, Version>, name: string, { rate }: Settings): Version {
  for (const [other, { server }] of servers) if (other !== name && rate === 0) server.pause()
  const version = servers.get(name)
  if (!version) throw new Error(`there is no version ${name}`)
  version.server.resume()
  return version
}

/**
 * In turns, of which each round begins with another one. At a fixed rate all at the same time: what the machine does meanwhile, whose
 * processor is half as fast in one minute as in the next, happens to all of them then.
 */
async function measureAll(
  names: string[],
  round: number,
  { rate }: Settings,
  turn: (name: string) => Promise<Stretch>,
): Promise<Round> {
  const outcomes = new Map<string, Stretch>()
  const measure = async (name: string) => void outcomes.set(name, await turn(name))
  const ordered = names.map((_, n) => names[(round + n) % names.length] ?? '')
  if (rate > 0) await Promise.all(ordered.map(measure))
  else for (const name of ordered) await measure(name)
  return new Map(names.map((name) => [name, outcomes.get(name) as Stretch])) // all of them, in the order of the table
}

function figuresOf(stretch: Stretch): string {
  const { node, postgres } = perRequest(stretch)
  return `${perSecond(stretch).toFixed(0)}/s of ${node.toFixed(0)} + ${postgres.toFixed(0)} µs`
}
