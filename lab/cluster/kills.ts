import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Query } from '../../server/test/helpers/global-rules.ts'
import { type Attempt, openPersistentClient } from '../soak/kills/client.ts'
import { type ArrivedReply, openFlappingReceiver } from '../soak/kills/receiver.ts'
import { makeTenant } from '../soak/kills/world.ts'
import { latencyOf } from '../soak/latency.ts'
import { startTcpDatabase } from '../soak/tcp-database.ts'
import { check } from './check.ts'
import { type Figures, print } from './report.ts'
import type { Place, Scenario } from './scenario.ts'
import { openQuery, pauseBetween, type Server, startServers } from './servers.ts'

const perSecond = 40
const mostP99Ms = 1_000
/** So that every kill meets replies in flight. */
const receiverTakesMs = 200
/** The default of WEBHOOK_IN_FLIGHT. */
const inFlightPerProcess = 4

export const processKills: Scenario[] = [
  {
    name: 'kill-all-roles',
    title: 'four processes with ROLE=all on one PostgreSQL, each killed in turn',
    needs: [],
    run: (place) => runKills(place, ['all', 'all', 'all', 'all']),
  },
  {
    name: 'kill-split-roles',
    title: 'two with ROLE=api and two with ROLE=worker on one PostgreSQL, each killed in turn',
    needs: [],
    run: (place) => runKills(place, ['api', 'api', 'worker', 'worker']),
  },
]

/** One kill: from when until when the killed process was missing, and what was in flight in any process. */
type Kill = { port: number; fromMs: number; untilMs: number; inFlight: Set<string> }

async function runKills(place: Place, roles: string[]): Promise<Figures> {
  const { started, random } = place
  const { url } = started.use(await startTcpDatabase({ max_connections: '300' }))
  const receiver = started.use(await openFlappingReceiver(random, 0, receiverTakesMs))
  const servers = await startServers({ roles, url, ...place }, started)
  const [first] = servers
  if (!first) throw new Error('no server was started')
  const tenant = await makeTenant(first.product, receiver.url)
  const query = openQuery(url)
  const [port = 0, ...otherPorts] = servers.filter(({ role }) => role !== 'worker').map((server) => server.port)
  const client = openPersistentClient({ port, otherPorts, apiKey: tenant.apiKey, perSecond })
  await pauseBetween(5, 8, random())
  const kills: Kill[] = []
  const loads: number[] = []
  for (const server of inRandomOrder(servers, random)) {
    kills.push(await killAndRestart(server, { query, arrived: receiver.arrived, random }))
    loads.push(loadavg()[0] ?? 0)
  }
  const asked = await client.finish()
  const { arrived } = receiver
  const figures = await check({ servers, tenant, query, asked, arrived, kills: kills.length })
  const p99Ms = latencyOf(othersDuring(kills, asked)).p99
  const broken = [...figures.broken, ...doubledWithoutReason(kills, arrived), ...tooSlow(p99Ms, Math.max(...loads))]
  return { ...figures, p99Ms, broken }
}

type World = { query: Query; arrived: ArrivedReply[]; random: () => number }

async function killAndRestart(server: Server, { query, arrived, random }: World): Promise<Kill> {
  const fromMs = performance.now()
  await server.kill()
  await sleep(100) // what it had written to its sockets arrives
  const inFlight = await findUnsettled(query, arrived)
  print(
    `  ${server.name} (${server.role}) was killed; replies that had arrived and were not recorded: ${inFlight.size}`,
  )
  await pauseBetween(3, 5, random())
  await server.start()
  await pauseBetween(3, 5, random())
  return { port: server.port, fromMs, untilMs: performance.now(), inFlight }
}

async function findUnsettled(query: Query, arrived: ArrivedReply[]): Promise<Set<string>> {
  const ids = arrived.map(({ messageId }) => messageId)
  const { rows } = await query('select id from deliveries where sent_at is null and id = any($1)', [ids])
  return new Set(rows.map(({ id }) => String(id)))
}

/** How long requests took that went to other processes while one was missing. */
function othersDuring(kills: Kill[], asked: Attempt[]): number[] {
  return kills.flatMap(({ port, fromMs, untilMs }) =>
    asked
      .filter((attempt) => attempt.port !== port && attempt.sentAtMs >= fromMs && attempt.sentAtMs < untilMs)
      .map(({ tookMs }) => tookMs),
  )
}

/** Only a reply that had arrived at the time of a kill, and was not recorded, may come again: a few for each kill. */
function doubledWithoutReason(kills: Kill[], arrived: ArrivedReply[]): string[] {
  const doubled = [...Map.groupBy(arrived, ({ messageId }) => messageId)].filter(([, hits]) => hits.length > 1)
  const most = kills.length * inFlightPerProcess
  return [
    ...doubled
      .filter(([id]) => !kills.some(({ inFlight }) => inFlight.has(id)))
      .map(([id, hits]) => `D1: reply ${id} arrived ${hits.length} times and was not in flight at any kill`),
    ...(doubled.length > most ? [`D1: ${doubled.length} replies came twice, ${most} at most were in flight`] : []),
  ]
}

/** On a machine that has more to do than it can, times say nothing about us. */
function tooSlow(p99Ms: number, load: number): string[] {
  if (p99Ms <= mostP99Ms || load >= availableParallelism()) return []
  return [`L1: p99 of requests to the other processes is ${p99Ms.toFixed(0)} ms, not ${mostP99Ms} at most`]
}

function inRandomOrder(servers: Server[], random: () => number): Server[] {
  return servers
    .map((server) => ({ server, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ server }) => server)
}
