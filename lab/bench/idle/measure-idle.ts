import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { cpuBetween, readCpu } from '../measure.ts'
import { untilCaughtUp } from '../sections/caught-up.ts'
import { type RunningServer, startServer } from '../servers/start.ts'
import { fillAccounts } from './fill.ts'

/** What a server costs while nobody asks it for anything, in milliseconds of CPU a second. */
export type Idle = { seconds: number; servers: IdleServer[] }

type IdleServer = { accounts: number; conversations: number; nodeMs: number; postgresMs: number }

const sizes = [
  { accounts: 1, conversations: 0 },
  { accounts: 2_000, conversations: 10_000 },
]

type Times = { settleSeconds: number; seconds: number }

/** From when the search and the reports have all that was filled in: they look at the account for half a minute longer. */
export const usualTimes: Times = { settleSeconds: 65, seconds: 30 }

const catchesUpWithinMs = 120_000

/** Both at once: each has processes of its own, and together they take a few hundredths of a core. */
export async function measureIdle(started: AsyncDisposableStack, times = usualTimes): Promise<Idle> {
  const folder = await makeTemporaryFolder('patchbay-bench-idle-', started)
  const servers: RunningServer[] = []
  for (const { accounts, conversations } of sizes) {
    const own = join(folder, String(accounts))
    await mkdir(own)
    const server = started.use(await startServer('product', own, { logFolder: undefined, profileFolder: undefined }))
    servers.push(server)
    const database = await server.connect()
    await fillAccounts(database, { accounts, conversations })
    await untilCaughtUp(database, catchesUpWithinMs)
    await database.end()
  }
  await sleep(times.settleSeconds * 1_000)
  const [before, startedAt] = [servers.map(({ processes }) => readCpu(processes)), performance.now()]
  await sleep(times.seconds * 1_000)
  const after = servers.map(({ processes }) => readCpu(processes))
  const seconds = (performance.now() - startedAt) / 1_000
  return {
    seconds,
    servers: sizes.map((size, n) => {
      const [first, last] = [before[n], after[n]]
      const { node, postgres } = first && last ? cpuBetween(first, last) : { node: Number.NaN, postgres: Number.NaN }
      return { ...size, nodeMs: node / 1_000 / seconds, postgresMs: postgres / 1_000 / seconds }
    }),
  }
}
