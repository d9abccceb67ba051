import { setTimeout as sleep } from 'node:timers/promises'
import { type Attempt, openPersistentClient } from '../soak/kills/client.ts'
import { openFlappingReceiver } from '../soak/kills/receiver.ts'
import { makeTenant } from '../soak/kills/world.ts'
import { check } from './check.ts'
import { type Cluster, startCluster } from './database/cluster.ts'
import { openDatabaseProxy } from './proxy.ts'
import { type Figures, print } from './report.ts'
import type { Place, Scenario } from './scenario.ts'
import { openQuery, pauseBetween, startServers } from './servers.ts'

/** Messages a second: the gap is measured to a fortieth of a second. */
const perSecond = 40

/** A time in which nothing may be acknowledged, in milliseconds of this process's clock. */
type Silence = { fromMs: number; untilMs: number }

/** What happens to the hosts under load; returns when all three replicate again. */
type Event = (cluster: Cluster) => Promise<Silence | undefined>

const switchOver: Event = async (cluster) => {
  await cluster.switchOver()
  await cluster.untilWhole()
  return undefined
}

const killPrimary: Event = async (cluster) => {
  const former = await cluster.primary()
  former.killPostmaster()
  await cluster.untilReplaced(former)
  await cluster.untilWhole()
  return undefined
}

const loseNode: Event = async (cluster) => {
  const former = await cluster.primary()
  await former.kill()
  await cluster.untilReplaced(former)
  former.start()
  await cluster.untilWhole()
  return undefined
}

/** Longer than any statement may take: a timeout must not end the wait for a standby as if there had been one. */
const withoutStandbyMs = 20_000

const loseStandbys: Event = async (cluster) => {
  const primary = await cluster.primary()
  const standbys = cluster.nodes.filter((node) => node !== primary)
  for (const standby of standbys) await standby.kill()
  await sleep(500) // answers on their way
  const fromMs = performance.now()
  await sleep(withoutStandbyMs)
  const untilMs = performance.now()
  for (const standby of standbys) standby.start()
  await cluster.untilWhole()
  return { fromMs, untilMs }
}

export const failovers: Scenario[] = [
  {
    name: 'switchover',
    title: 'the primary is moved with patronictl',
    needs: ['patroni'],
    run: (place) => runFailover(place, switchOver),
  },
  {
    name: 'kill-primary',
    title: "kill -9 of the primary's postmaster",
    needs: ['patroni'],
    run: (place) => runFailover(place, killPrimary),
  },
  {
    name: 'lose-node',
    title: 'Patroni, postmaster and backends of the primary are killed; later the node comes back',
    needs: ['patroni'],
    run: (place) => runFailover(place, loseNode),
  },
  {
    name: 'lose-standbys',
    title: 'both standbys are killed: nothing is acknowledged until one is back',
    needs: ['patroni'],
    run: (place) => runFailover(place, loseStandbys),
  },
  {
    name: 'kill-primary-haproxy',
    title: "kill -9 of the primary's postmaster, with HAProxy as the address of the database",
    needs: ['patroni', 'haproxy'],
    run: (place) => runFailover(place, killPrimary, openDatabaseProxy),
  },
]

/** Two servers take messages and answer them while the event happens. */
async function runFailover(place: Place, event: Event, openProxy?: typeof openDatabaseProxy): Promise<Figures> {
  const { started, random } = place
  const cluster = await startCluster(place)
  const url = openProxy ? cluster.urlAt(await openProxy(place, cluster.nodes)) : cluster.url
  const receiver = started.use(await openFlappingReceiver(random, 0))
  const servers = await startServers({ roles: ['all', 'all'], url, ...place }, started)
  const [first] = servers
  if (!first) throw new Error('no server was started')
  const tenant = await makeTenant(first.product, receiver.url)
  const [port = 0, ...otherPorts] = servers.map((server) => server.port)
  const client = openPersistentClient({ port, otherPorts, apiKey: tenant.apiKey, perSecond })
  await pauseBetween(5, 8, random())
  print('  now')
  const silence = await event(cluster)
  print('  all three hosts replicate again')
  await pauseBetween(5, 8, random())
  const asked = await client.finish()
  const figures = await check({ servers, tenant, query: openQuery(url), asked, arrived: receiver.arrived, kills: 1 })
  return { ...figures, broken: [...figures.broken, ...acknowledgedIn(silence, asked)] }
}

function acknowledgedIn(silence: Silence | undefined, asked: Attempt[]): string[] {
  if (!silence) return []
  const isIn = (atMs: number) => atMs >= silence.fromMs && atMs <= silence.untilMs
  return asked
    .filter(({ status, sentAtMs, tookMs }) => status === 200 && isIn(sentAtMs + tookMs))
    .map(({ messageSid }) => `N1: ${messageSid} was acknowledged while no standby could have it`)
}
