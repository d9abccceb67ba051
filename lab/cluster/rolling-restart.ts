import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dueTimes } from '../common/due-times.ts'
import { freePort } from '../common/free-port.ts'
import { incomingPath, post } from '../common/public-api.ts'
import { openSender } from '../common/sender.ts'
import type { Attempt } from '../soak/kills/client.ts'
import { openFlappingReceiver } from '../soak/kills/receiver.ts'
import { makeTenant } from '../soak/kills/world.ts'
import { latencyOf } from '../soak/latency.ts'
import { startTcpDatabase } from '../soak/tcp-database.ts'
import { check } from './check.ts'
import { startProxy } from './proxy.ts'
import { type Figures, print } from './report.ts'
import { readSample } from './sample.ts'
import type { Place, Scenario } from './scenario.ts'
import { openQuery, type Server, startServers } from './servers.ts'

const requests = 10_000
const perSecond = 120

export const rollingRestart: Scenario = {
  name: 'rolling-restart',
  title: `${requests} requests through HAProxy while each of three servers is restarted with SIGTERM`,
  needs: ['haproxy'],
  run,
}

async function run(place: Place): Promise<Figures> {
  const { started, random } = place
  const { url } = started.use(await startTcpDatabase({ max_connections: '300' }))
  const receiver = started.use(await openFlappingReceiver(random, 0))
  const environment = { DRAIN_SECONDS: '5', TRUST_PROXY: '127.0.0.1/32' }
  const servers = await startServers({ roles: ['all', 'all', 'all'], url, environment, ...place }, started)
  const [first] = servers
  if (!first) throw new Error('no server was started')
  const port = await openServerProxy(place, servers)
  const tenant = await makeTenant(first.product, receiver.url)
  const restarting = restartAll(servers)
  restarting.catch(() => {}) // rethrown below
  const asked = await sendSteadily(port, tenant.apiKey)
  const restartedAtMs = await restarting
  const observed = { servers, tenant, query: openQuery(url), asked, arrived: receiver.arrived, kills: 0 }
  const figures = await check(observed)
  const failed = asked.filter(({ status }) => status !== 200)
  const wasShort = restartedAtMs > Math.max(...asked.map(({ sentAtMs }) => sentAtMs))
  return {
    ...figures,
    p99Ms: latencyOf(asked.map(({ tookMs }) => tookMs)).p99,
    broken: [
      ...failed.map(({ messageSid, status }) => `L1: ${messageSid} was answered with ${status}`),
      ...(wasShort ? ['The requests ended before the last restart did.'] : []),
      ...(figures.repliesDoubled > 0 ? [`D1: ${figures.repliesDoubled} replies came twice`] : []),
      ...figures.broken,
    ],
  }
}

/** HAProxy in front of the servers, in HTTP mode; returns its port. */
async function openServerProxy(place: Place, servers: Server[]): Promise<number> {
  const port = await freePort()
  const [own, trusted] = [join(place.folder, 'public.pem'), join(place.folder, 'servers.pem')]
  const certificates = servers.map(({ product }) => product.certificate)
  const key = await readFile(join(servers[0]?.product.dataDir ?? '', 'tls/key.pem'), 'utf8')
  await writeFile(own, `${certificates[0]}\n${key}`, { mode: 0o600 })
  await writeFile(trusted, certificates.join('\n'))
  const addresses = servers.map((server, n) => [`10.0.0.2${n + 1}:8443`, `127.0.0.1:${server.port}`])
  const config = await readSample('haproxy/patchbay.cfg', {
    ...Object.fromEntries(addresses),
    '10.0.0.20:443': `127.0.0.1:${port}`,
    '/etc/haproxy/patchbay.pem': own,
    '/etc/haproxy/patchbay-servers.pem': trusted,
  })
  await startProxy(place, config, port)
  return port
}

/** How long an operator waits after a server is ready: HAProxy asks every two seconds. */
const seenAgainMs = 4_000

/** One after the other; returns when the last was ready. */
async function restartAll(servers: Server[]): Promise<number> {
  await sleep(2_000)
  for (const server of servers) {
    await server.stop()
    await server.start()
    print(`  ${server.name} was restarted`)
    await sleep(seenAgainMs)
  }
  return performance.now()
}

/** Over keep-alive connections; nothing is sent again. */
async function sendSteadily(port: number, apiKey: string): Promise<Attempt[]> {
  const { sendOnce } = openSender({ port })
  const sending: Promise<Attempt>[] = []
  for await (const { n } of dueTimes(perSecond)) {
    if (n === requests) break
    const messageSid = `rolling ${n}`
    const customData = { messageSid, fromId: `person ${n % 200}`, toId: 'shop', body: 'Hello' }
    const sentAtMs = performance.now()
    const answer = sendOnce(post(apiKey, incomingPath, { customData }))
    sending.push(
      answer.then(({ status, messageId, failure }) => {
        if (status !== 200) print(`  ${messageSid}: ${status} ${failure ?? ''}`)
        const tookMs = performance.now() - sentAtMs
        return { messageSid, status, messageId, at: Date.now(), port, sentAtMs, tookMs }
      }),
    )
  }
  return await Promise.all(sending)
}
