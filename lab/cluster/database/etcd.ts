import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../common/free-port.ts'
import { endOf, startProgram } from '../program.ts'

/** Debian's build for arm64 starts only when it is told that one knows what one does. */
const environment: Record<string, string> = process.arch === 'x64' ? {} : { ETCD_UNSUPPORTED_ARCH: process.arch }

/** Three members of etcd, which decide who is the primary; returns their addresses. */
export async function startEtcd(folder: string, logFolder: string, started: AsyncDisposableStack): Promise<string[]> {
  const members = await Promise.all(
    [0, 1, 2].map(async (n) => ({ name: `e${n}`, client: await freePort(), peer: await freePort() })),
  )
  const all = members.map(({ name, peer }) => `${name}=http://127.0.0.1:${peer}`).join(',')
  for (const { name, client, peer } of members) {
    const args = Object.entries({
      name,
      'data-dir': join(folder, name),
      logger: 'zap',
      'listen-client-urls': `http://127.0.0.1:${client}`,
      'advertise-client-urls': `http://127.0.0.1:${client}`,
      'listen-peer-urls': `http://127.0.0.1:${peer}`,
      'initial-advertise-peer-urls': `http://127.0.0.1:${peer}`,
      'initial-cluster': all,
      'initial-cluster-state': 'new',
    }).map(([option, value]) => `--${option}=${value}`)
    started.use(startProgram('etcd', { args, logFile: join(logFolder, `${name}.log`), environment }))
  }
  const addresses = members.map(({ client }) => `127.0.0.1:${client}`)
  for (const giveUpAt = performance.now() + 30_000; !(await areHealthy(addresses)); await sleep(200)) {
    if (performance.now() > giveUpAt) throw new Error(`etcd did not start: ${endOf(join(logFolder, 'e0.log'))}`)
  }
  return addresses
}

async function areHealthy(addresses: string[]): Promise<boolean> {
  const asked = addresses.map(async (address) => (await fetch(`http://${address}/health`)).ok)
  return (await Promise.all(asked).catch(() => [false])).every((ok) => ok)
}
