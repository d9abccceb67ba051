import { parseArgs } from 'node:util'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { type LoadClient, startLoadClient } from '../load/client.ts'
import type { Load, Outcome } from '../load/run-load.ts'
import { readMemory } from '../measure.ts'
import { perRequest, perSecond, surprises } from '../sections/bench.ts'
import { type RunningServer, startServer } from '../servers/start.ts'
import { median, spreadOf } from '../statistics.ts'
import { asText } from '../table.ts'
import { type Listening, makeAccounts } from './accounts.ts'
import { type Listeners, startListeners } from './client.ts'
import type { Heard } from './listeners.ts'

/** The goals: of the rate without streams, and how much more memory at the end than at the beginning. */
const keptShare = 0.8
const mostGrowth = 0.1
const offeredPerSecond = 500

type Settings = { streams: number; rounds: number; seconds: number; minutes: number }
type World = {
  server: RunningServer
  load: LoadClient
  listeners: Listeners
  accounts: Listening[]
  settings: Settings
}

/**
 * Measures what open streams cost: messages as fast as they are taken, without and with streams in turn, so that what
 * disturbs the machine disturbs both; then a steady rate with streams, and the server's memory meanwhile.
 */
export async function benchStreams(args: string[]): Promise<void> {
  await using started = new AsyncDisposableStack()
  const folder = await makeTemporaryFolder('patchbay-bench-streams-', started)
  const settings = readSettings(args)
  const server = started.use(await startServer('product', folder, { logFolder: undefined, profileFolder: undefined }))
  const database = await server.connect()
  const accounts = await makeAccounts(database, settings.streams)
  await database.end()
  const load = started.use(startLoadClient())
  const listeners = started.use(startListeners())
  const world = { server, load, listeners, accounts, settings }
  await Promise.race([measure(world), server.died])
}

function readSettings(args: string[]): Settings {
  const { values } = parseArgs({
    args,
    options: {
      streams: { type: 'string', default: '200' },
      rounds: { type: 'string', default: '4' },
      seconds: { type: 'string', default: '10' },
      minutes: { type: 'string', default: '3' },
    },
  })
  const { streams, rounds, seconds, minutes } = values
  return { streams: Number(streams), rounds: Number(rounds), seconds: Number(seconds), minutes: Number(minutes) }
}

async function measure(world: World): Promise<void> {
  const { settings } = world
  await send(world, { measuredMs: 100, warmupMs: 8_000 })
  const rounds: { without: Outcome; with: Outcome }[] = []
  for (let round = 0; round < settings.rounds; round += 1) {
    const without = () => send(world, turn(settings))
    const withStreams = async () => (await whileOpen(world, () => send(world, turn(settings)))).outcome
    // Each round begins with the other one.
    const first = round % 2 === 0 ? { without: await without() } : { with: await withStreams() }
    const measured = { without: first.without ?? (await without()), with: first.with ?? (await withStreams()) }
    for (const outcome of [measured.without, measured.with]) refuseSurprises(outcome)
    rounds.push(measured)
    const [alone, beside] = [measured.without, measured.with].map((outcome) => perSecond(outcome).toFixed(0))
    print(`round ${round + 1}: ${alone}/s without streams, ${beside}/s with`)
  }
  print(`steady: ${offeredPerSecond}/s with ${settings.streams} streams, ${settings.minutes} minutes`)
  const steady = await whileOpen(world, () => watchMemory(world))
  process.stdout.write(`\n${asText(report(settings, rounds, steady))}`)
}

function refuseSurprises(outcome: Outcome): void {
  const words = surprises(outcome, 200)
  if (words !== undefined) throw new Error(`not every message was accepted: ${words}`)
}

const turn = ({ seconds }: Settings) => ({ warmupMs: 2_000, measuredMs: seconds * 1_000 })

type Stretch = Pick<Load, 'warmupMs' | 'measuredMs'> & Pick<Partial<Load>, 'requestsPerSecond'>

function send({ server, load, accounts }: World, stretch: Stretch): Promise<Outcome> {
  const { port, certificate, processes } = server
  const apiKey = accounts.map((account) => account.apiKey)
  return load.load({ port, certificate, processes, apiKey, connections: 64, traffic: 'plain', ...stretch })
}

async function whileOpen<Done>(
  { server, listeners, accounts }: World,
  work: () => Promise<Done>,
): Promise<{ outcome: Done; heard: Heard }> {
  const { port, certificate } = server
  await listeners.open({ port, certificate, cookies: accounts.flatMap(({ cookies }) => cookies) })
  const outcome = await work()
  return { outcome, heard: await listeners.close() }
}

type Steady = { sent: Outcome; memory: number[] }

/** Samples begin when the code is compiled and the caches are full. */
const sampleEveryMs = 2_000
const settledAfterMs = 30_000

async function watchMemory(world: World): Promise<Steady> {
  const memory: number[] = []
  const timer = setInterval(() => memory.push(readMemory(world.server.processes.node).now), sampleEveryMs)
  const measuredMs = world.settings.minutes * 60_000
  const sent = await send(world, { warmupMs: settledAfterMs, measuredMs, requestsPerSecond: offeredPerSecond })
  clearInterval(timer)
  return { sent, memory: memory.slice(settledAfterMs / sampleEveryMs) }
}

type Round = { without: Outcome; with: Outcome }

function report(settings: Settings, rounds: Round[], { outcome, heard }: { outcome: Steady; heard: Heard }) {
  const { sent, memory } = outcome
  const kept = spreadOf(rounds.map((round) => perSecond(round.with) / perSecond(round.without)))
  const cpu = (which: keyof Round) => median(rounds.map((round) => costOf(round[which])))
  const accepted = (sent.statuses['200'] ?? 0) / (offeredPerSecond * sent.seconds)
  const third = Math.max(1, Math.floor(memory.length / 3))
  const [early, late] = [median(memory.slice(0, third)), median(memory.slice(-third))]
  const isFine = (is: boolean) => (is ? 'met' : 'MISSED')
  return {
    title: `${settings.streams} open streams`,
    note: `CPU time of a message, Node and PostgreSQL: ${cpu('without').toFixed(0)} µs without streams, ${cpu('with').toFixed(0)} µs with. Others used ${percent(median(rounds.map(({ with: { othersShare } }) => othersShare)))} of the machine.`,
    head: ['', 'measured', 'goal', ''],
    rows: [
      [
        'rate with streams, of the rate without',
        `${kept.median.toFixed(2)} (${kept.min.toFixed(2)}–${kept.max.toFixed(2)})`,
        `≥ ${keptShare}`,
        isFine(kept.median >= keptShare),
      ],
      [
        `accepted of ${offeredPerSecond}/s`,
        `${percent(accepted)}${surprises(sent, 200) ? `, ${surprises(sent, 200)}` : ''}`,
        'all',
        isFine(accepted > 0.999 && surprises(sent, 200) === undefined),
      ],
      [
        'memory at the end, of that before',
        `${(late / early).toFixed(2)} of ${megabytes(early)}`,
        `≤ ${1 + mostGrowth}`,
        isFine(late / early <= 1 + mostGrowth),
      ],
      ['streams that the server ended', String(heard.ended), '0', isFine(heard.ended === 0)],
      ['p99 of a message at the steady rate', `${sent.latency.p99.toFixed(1)} ms`, '', ''],
      [
        'events to each stream',
        `${(heard.events / settings.streams / (sent.seconds + settledAfterMs / 1_000)).toFixed(1)}/s`,
        '',
        '',
      ],
    ],
  }
}

function costOf(outcome: Outcome): number {
  const { node, postgres } = perRequest(outcome)
  return node + postgres
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
