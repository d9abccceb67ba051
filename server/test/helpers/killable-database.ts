import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { embeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { findProcesses, signal } from '../../src/platform/embedded-postgres/processes.ts'
import { makeDataFolder } from './server-process.ts'

/** A database of the test's own, which can be killed. */
export async function startKillableDatabase(starting: AsyncDisposableStack) {
  const { path } = starting.use(await makeDataFolder())
  await chmod(path, 0o711) // when the tests run as root, the database runs as another user
  const folder = join(path, 'postgres')
  const database = starting.adopt(embeddedPostgres(folder), async (running) => {
    await running.stop('fast')
    running[Symbol.dispose]()
  })
  await database.ensureRunning()
  return {
    url: `postgres:///postgres?${new URLSearchParams({ host: folder, user: 'patchbay' })}`,
    address: { host: folder, user: 'patchbay', database: 'postgres' },
    /** Every process of it at once, as when the machine loses power. */
    kill: () => {
      const { postmaster, backends } = findProcesses(folder)
      for (const pid of [postmaster, ...backends]) if (pid) signal(pid, 'SIGKILL')
    },
    start: () => database.ensureRunning(),
  }
}
