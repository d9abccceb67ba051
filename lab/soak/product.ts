import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolConfig } from 'pg'

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
  const watcher = resolve(import.meta.dirname, '../bench/servers/watch-loop.ts')
  const environment = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    NODE_OPTIONS: `--import ${watcher}`,
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
  const isAlive = () => child.exitCode === null && child.signalCode === null
  const log = () => readEnd(file)
  const ended = exited.then(() => Promise.reject(new Error(`the server did not start: ${log().slice(-2_000)}`)))
  ended.catch(() => {}) // matters only until it is ready
  const { url, certificateFile } = await Promise.race([readiness(child), ended])
  return {
    server,
    port: Number(new URL(url).port),
    certificate: await readFile(certificateFile, 'utf8'),
    pid: child.pid ?? 0,
    dataDir,
    environment,
    database: options.database ?? { host: join(dataDir, 'postgres'), user: 'patchbay', database: 'postgres' },
    isAlive,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    log,
    readStallMs: () => readStallMs(child, dataDir),
    [Symbol.asyncDispose]: async () => {
      await stop(child, exited, dataDir)
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

type Ready = { url: string; certificateFile: string }

function readiness(child: ChildProcess): Promise<Ready> {
  const { promise, resolve: becomeReady, reject: fail } = Promise.withResolvers<Ready>()
  let printed = ''
  child.stdout?.on('data', (data) => {
    printed += data
    if (!printed.trimEnd().endsWith('}')) return
    const said: Partial<Ready> = JSON.parse(printed)
    if (said.url !== undefined) becomeReady(said as Ready)
    else fail(new Error(`the server did not start: ${printed}`))
  })
  return promise
}

async function readStallMs(child: ChildProcess, dataDir: string): Promise<number> {
  const file = join(dataDir, 'event-loop.json')
  await rm(file, { force: true })
  child.kill('SIGUSR2')
  const giveUpAt = performance.now() + 30_000
  while (performance.now() < giveUpAt) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text !== '') return JSON.parse(text).maxMs
    await sleep(50)
  }
  return Number.POSITIVE_INFINITY // its event loop did not respond at all
}

const stopsWithinMs = 20_000

/** A server that stops cleanly stops its database too; otherwise both are killed. */
async function stop(child: ChildProcess, exited: Promise<unknown>, dataDir: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  const ended = await Promise.race([exited.then(() => true), sleep(stopsWithinMs, false, { ref: false })])
  if (!ended) child.kill('SIGKILL')
  await exited
  const lockFile = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => undefined)
  if (lockFile === undefined) return // no embedded database, or it has stopped cleanly
  try {
    process.kill(postmasterIn(lockFile), 'SIGINT')
    await sleep(2_000)
  } catch {} // it has exited
}

export function postmasterIn(lockFile: string): number {
  return Number(lockFile.split('\n')[0])
}
