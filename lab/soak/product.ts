import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { PoolConfig } from 'pg'
import { readStalls, watchLoopFlag } from '../common/event-loop.ts'
import { isAlive, stopServer, untilListening } from '../common/server-process.ts'

export type DatabaseAddress = Pick<PoolConfig, 'connectionString' | 'host' | 'user' | 'database'>

/** The product as `npm start` runs it, in a process of its own. */
export type Product = {
  /** The checkout that it runs from. */
  server: string
  port: number
  certificate: string
  pid: number
  dataDir: string
  environment: Record<string, string>
  /** For our own queries: directly, not through a proxy between the product and its database. */
  database: DatabaseAddress
  isAlive: () => boolean
  /** Kills it, as a crash does, and leaves its database running. */
  kill: () => Promise<void>
  /** The end of its log. */
  log: () => string
  /** The longest block of its event loop since the last call. */
  readStallMs: () => Promise<number>
  [Symbol.asyncDispose]: () => Promise<void>
}

export type ProductOptions = {
  server: string
  environment?: Record<string, string>
  database?: DatabaseAddress
  logFile?: string | undefined
  /** An existing one, which is kept; without it a temporary one. */
  dataDir?: string
  /** A command prefix, such as one that limits its memory. */
  wrapper?: string[]
}

export const ownerKey = 'a-key-that-the-soak-run-knows'

export async function startProduct(options: ProductOptions): Promise<Product> {
  const { server, logFile, wrapper = [] } = options
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'patchbay-soak-')))
  const environment = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    NODE_OPTIONS: watchLoopFlag,
    PORT: '0',
    DATA_DIR: dataDir,
    OWNER_API_KEY: ownerKey,
    OWNER_EMAIL: 'owner@example.com',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
    ...options.environment,
  }
  if (logFile) await mkdir(dirname(logFile), { recursive: true })
  const file = logFile ?? join(dataDir, 'server.log')
  const [command = '', ...args] = [...wrapper, join(server, 'server/cli.ts'), 'start', '--json']
  const child = spawn(command, args, { cwd: server, stdio: ['ignore', 'pipe', openSync(file, 'a')], env: environment })
  const exited = once(child, 'exit')
  const killAtExit = () => child.kill('SIGTERM') // it stops its database too
  process.once('exit', killAtExit)
  void exited.then(() => process.off('exit', killAtExit))
  const log = () => readEnd(file)
  const ended = exited.then(() => Promise.reject(new Error(`the server did not start: ${log().slice(-2_000)}`)))
  ended.catch(() => {}) // matters only until it is ready
  const listening = await Promise.race([untilListening(child), ended])
  const { pid = 0 } = child
  return {
    server,
    ...listening,
    pid,
    dataDir,
    environment,
    database: options.database ?? { host: join(dataDir, 'postgres'), user: 'patchbay', database: 'postgres' },
    isAlive: () => isAlive(child),
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    log,
    readStallMs: async () => (await readStalls(pid, dataDir)).maxMs,
    [Symbol.asyncDispose]: async () => {
      await stopServer(child, dataDir)
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const readBytes = 20_000_000

/** An attack may fill a log with gigabytes. */
function readEnd(file: string): string {
  const opened = openSync(file, 'r')
  try {
    const { size } = fstatSync(opened)
    const end = Buffer.alloc(Math.min(size, readBytes))
    return end.toString('utf8', 0, readSync(opened, end, 0, end.length, size - end.length))
  } finally {
    closeSync(opened)
  }
}
