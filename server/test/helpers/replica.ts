import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { embeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { findProcesses, signal } from '../../src/platform/embedded-postgres/processes.ts'
import { makeDataFolder } from './server-process.ts'

export type Node = {
  folder: string
  query: (text: string) => Promise<Record<string, unknown>[]>
  kill: () => Promise<void>
}

export type ReplicatedDatabase = {
  /** With both hosts, as DATABASE_URL takes it: the standby first. */
  url: string
  primary: Node
  standby: Node
  [Symbol.asyncDispose]: () => Promise<void>
}

/** A PostgreSQL and its synchronous standby, each in a folder of its own. */
export async function startReplicated(): Promise<ReplicatedDatabase> {
  await using made = new AsyncDisposableStack()
  const [primary, standby] = [await makeNode(made), await makeNode(made)]
  const source = `host=${primary.folder} user=patchbay application_name=standby`
  await writeFile(join(primary.folder, 'postgresql.auto.conf'), `synchronous_standby_names = 'standby'\n`)
  await writeFile(join(standby.folder, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  await writeFile(join(standby.folder, 'standby.signal'), '')
  for (const { folder } of [primary, standby]) {
    const database = made.adopt(embeddedPostgres(folder), async (running) => {
      await running.stop('fast')
      running[Symbol.dispose]()
    })
    await database.ensureRunning()
  }
  const hosts = [standby, primary].map(({ folder }) => encodeURIComponent(folder))
  const stack = made.move()
  return {
    url: `postgres://patchbay@${hosts.join(',')}/postgres`,
    primary,
    standby,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Each is a copy of the same cluster, as a standby must be. */
async function makeNode(made: AsyncDisposableStack): Promise<Node> {
  const { path } = made.use(await makeDataFolder())
  await chmod(path, 0o711) // when the tests run as root, the databases run as another user
  const folder = join(path, 'postgres')
  return {
    folder,
    query: async (text) => {
      const client = new Client({ host: folder, user: 'patchbay', database: 'postgres' })
      await client.connect()
      const { rows } = await client.query(text)
      await client.end()
      return rows
    },
    kill: async () => {
      const { postmaster, backends } = findProcesses(folder)
      for (const pid of [postmaster, ...backends]) if (pid) signal(pid, 'SIGKILL')
    },
  }
}
