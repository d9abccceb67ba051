import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { orInterrupted } from '../interrupt.ts'
import { cpuBetween, readCpu } from '../measure.ts'
import { type RunningServer, startServer } from '../servers/start.ts'
import { asText } from '../table.ts'
import { fillAccounts } from './fill.ts'
import { idleTable } from './report.ts'

/** What a server costs while nobody asks it for anything, in milliseconds of CPU a second. */
export type Idle = { seconds: number; servers: IdleServer[] }

type IdleServer = { accounts: number; conversations: number; nodeMs: number; postgresMs: number }

const sizes = [
  { accounts: 1, conversations: 0 },
  { accounts: 2_000, conversations: 10_000 },
]

type Times = { settleSeconds: number; seconds: number }

/** After a minute the search and the reports have all that was filled in, and have stopped to look for it. */
const usual: Times = { settleSeconds: 65, seconds: 30 }

export async function benchIdle(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      settle: { type: 'string', default: String(usual.settleSeconds) },
      seconds: { type: 'string', default: String(usual.seconds) },
    },
  })
  await using started = new AsyncDisposableStack()
  const times = { settleSeconds: Number(values.settle), seconds: Number(values.seconds) }
  const work = measureIdle(started, times).then((idle) => process.stdout.write(asText(idleTable(idle))))
  await orInterrupted(work)
}

/** Both at once: each has processes of its own, and together they take a few hundredths of a core. */
export async function measureIdle(started: AsyncDisposableStack, times: Times = usual): Promise<Idle> {
  const folder = await makeTemporaryFolder('patchbay-bench-idle-', started)
  const servers: RunningServer[] = []
  for (const { accounts, conversations } of sizes) {
    const own = join(folder, String(accounts))
    await mkdir(own)
    const server = started.use(await startServer('product', own, { logFolder: undefined, profileFolder: undefined }))
    servers.push(server)
    const database = await server.connect()
    await fillAccounts(database, { accounts, conversations })
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
