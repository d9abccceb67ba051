import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { findBinaries } from '../../server/src/platform/embedded-postgres/binaries.ts'
import {
  databaseEnvironment,
  ensureCluster,
  folderAsSeenInside,
  superuser,
} from '../../server/src/platform/embedded-postgres/cluster.ts'
import { runAs } from '../../server/src/platform/embedded-postgres/run-as.ts'
import { settings } from '../../server/src/platform/embedded-postgres/settings.ts'
import { freePort } from '../common/free-port.ts'

type TcpDatabase = { url: string; [Symbol.asyncDispose]: () => Promise<void> }

/** A PostgreSQL on a TCP port, like one on another machine. */
export async function startTcpDatabase(more: Record<string, string> = {}): Promise<TcpDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-soak-'))
  const data = join(folder, 'postgres')
  const binaries = await findBinaries()
  await ensureCluster(binaries, data)
  const port = await freePort()
  const own = { listen_addresses: '127.0.0.1', port: String(port), ...more }
  const args = [...settings(), ...Object.entries(own).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const child = spawn(binaries.postgres, ['-D', folderAsSeenInside(data), ...args], {
    ...runAs(),
    cwd: data,
    env: databaseEnvironment,
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  process.once('exit', () => child.kill('SIGINT'))
  const url = `postgres://${superuser}@127.0.0.1:${port}/postgres`
  await untilReached(url)
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilReached(connectionString: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const client = new Client({ connectionString })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (tries === 100) throw error
      await sleep(200)
    }
  }
}
