import { openPersistentClient } from '../soak/kills/client.ts'
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

/** What happens to the primary under load; returns when another host has taken over and all three replicate again. */
type Event = (cluster: Cluster) => Promise<void>

const switchOver: Event = async (cluster) => {
  await cluster.switchOver()
  await cluster.untilWhole()
}

const killPrimary: Event = async (cluster) => {
  const former = await cluster.primary()
  former.killPostmaster()
  await cluster.untilReplaced(former)
  await cluster.untilWhole()
}

const loseNode: Event = async (cluster) => {
  const former = await cluster.primary()
  await former.kill()
  await cluster.untilReplaced(former)
  former.start()
  await cluster.untilWhole()
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
  await event(cluster)
  print('  all three hosts replicate again')
  await pauseBetween(5, 8, random())
  const asked = await client.finish()
  return await check({ servers, tenant, query: openQuery(url), asked, arrived: receiver.arrived, kills: 1 })
}
