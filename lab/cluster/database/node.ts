import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProcesses, signal } from '../../../server/src/platform/embedded-postgres/processes.ts'
import { freePort } from '../../common/free-port.ts'
import { type Program, startProgram } from '../program.ts'
import { findPostgres, isRoot } from '../requirements.ts'
import { readSample } from '../sample.ts'

/** A host of the database: Patroni, and the PostgreSQL that it runs. */
export type Node = {
  name: string
  port: number
  restPort: number
  configFile: string
  logFile: string
  start: () => void
  /** Patroni has exited, and not because we killed it. */
  hasFailed: () => boolean
  /** Ends PostgreSQL's postmaster alone, as a crash of it does. */
  killPostmaster: () => void
  /** Ends everything of the node at once, as a loss of power does. */
  kill: () => Promise<void>
}

type Passwords = { postgres: string; replicator: string }

type Place = { name: string; folder: string; logFolder: string; etcd: string[]; passwords: Passwords }

export async function makeNode(place: Place): Promise<Node> {
  const { name, logFolder } = place
  const folder = join(place.folder, name)
  const data = join(folder, 'data')
  const configFile = join(folder, 'patroni.yml')
  const logFile = join(logFolder, `${name}.log`)
  const [port, restPort] = [await freePort(), await freePort()]
  mkdirSync(folder, { mode: 0o700 })
  await writeFile(configFile, await configOf(place, { folder, data, port, restPort }), { mode: 0o600 })
  if (isRoot) execFileSync('chown', ['-R', 'postgres:postgres', folder])

  let patroni: Program | undefined
  let isKilled = false
  return {
    name,
    port,
    restPort,
    configFile,
    logFile,
    start: () => {
      isKilled = false
      patroni = startProgram('patroni', { args: [configFile], logFile, asPostgres: true })
    },
    hasFailed: () => patroni !== undefined && !patroni.isAlive() && !isKilled,
    killPostmaster: () => {
      const { postmaster } = findProcesses(data)
      if (postmaster === undefined) throw new Error(`${name} runs no PostgreSQL`)
      signal(postmaster, 'SIGKILL')
    },
    kill: async () => {
      isKilled = true
      await patroni?.kill()
      await killPostgres(data)
    },
  }
}

/** Until none is left: a postmaster may be starting a child at this moment. */
async function killPostgres(data: string): Promise<void> {
  for (;;) {
    const { postmaster, backends } = findProcesses(data)
    const pids = [...(postmaster === undefined ? [] : [postmaster]), ...backends]
    if (pids.length === 0) return
    for (const pid of pids) signal(pid, 'SIGKILL')
    await sleep(50)
  }
}

type Own = { folder: string; data: string; port: number; restPort: number }

function configOf({ name, etcd, passwords }: Place, { folder, data, port, restPort }: Own): Promise<string> {
  return readSample('patroni/patroni.yml', {
    'name: n1': `name: ${name}`,
    '[10.0.0.11:2379, 10.0.0.12:2379, 10.0.0.13:2379]': `[${etcd.join(', ')}]`,
    '10.0.0.11:8008': `127.0.0.1:${restPort}`,
    '10.0.0.11:5432': `127.0.0.1:${port}`,
    '10.0.0.0/24': '127.0.0.1/32',
    '/var/lib/postgresql/15/patchbay.pgpass': join(folder, 'pgpass'),
    '/var/lib/postgresql/15/patchbay': data,
    '/usr/lib/postgresql/15/bin': findPostgres() ?? '',
    '/var/run/postgresql': folder,
    'password-of-postgres': passwords.postgres,
    'password-of-replicator': passwords.replicator,
  })
}
