import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Client } from 'pg'
import type { Target } from '../load/connection.ts'
import type { Processes } from '../measure.ts'
import { connectTo } from './connect.ts'

export const comparedNames = ['fastifyNoop', 'productNoop', 'product', 'naive'] as const
export type ComparedName = (typeof comparedNames)[number]

/** Those of the delivery section: the product, and the product that keeps what should leave and delivers none of it. */
export type SenderName = 'deliverer' | 'keeper'
/** `answerer`: the product, with its bot. */
type ServerName = ComparedName | SenderName | 'answerer'

/** A server under test, in a process of its own, with a database of its own if it uses one. */
export type RunningServer = Target & {
  name: ServerName
  processes: Processes
  dataDir: string
  connect: () => Promise<Client>
  /** Runs a command of its checkout beside it, as an operator does, and returns what it prints as JSON. */
  command: (...words: string[]) => Promise<Record<string, unknown>>
  /** Rejects when it ends without having been told to. */
  died: Promise<never>
  [Symbol.asyncDispose]: () => Promise<void>
}

export const apiKey = 'a-key-that-the-benchmark-knows'

/**
 * Where to leave what is of use when something is wrong or slow; left out, the log goes nowhere. `checkout`: of another
 * version than this one.
 */
export type Traces = { logFolder: string | undefined; profileFolder: string | undefined; checkout?: string }

const repositoryRoot = resolve(import.meta.dirname, '../../..')
/** As `npm start` does: its first line says what Node is told. */
const product = ['server/cli.ts', 'start', '--json']
const commands: Record<ServerName, string[]> = {
  fastifyNoop: [process.execPath, 'lab/bench/servers/fastify-noop.ts'],
  productNoop: [process.execPath, 'lab/bench/servers/product-noop.ts'],
  product,
  naive: [process.execPath, 'lab/bench/servers/naive.ts'],
  deliverer: product,
  keeper: product,
  answerer: product,
}

export async function startServer(name: ServerName, folder: string, traces: Traces): Promise<RunningServer> {
  const dataDir = join(folder, name)
  await mkdir(dataDir)
  const { logFolder, profileFolder, checkout = repositoryRoot } = traces
  const flags = profileFolder ? ['--cpu-prof', `--cpu-prof-dir="${resolve(profileFolder, name)}"`] : []
  if (name === 'answerer') flags.push('--import ./lab/bench/servers/watch-loop.ts')
  const log = logFolder ? openSync(join(logFolder, `${name}.log`), 'w') : ('ignore' as const)
  const [command = '', ...args] = commands[name]
  // Nothing but this: the caller's own settings must not change what is compared. The limit is on and never met.
  const env = {
    PATH: dirname(process.execPath),
    PORT: '0',
    DATA_DIR: dataDir,
    OWNER_API_KEY: apiKey,
    RATE_LIMIT_PER_MINUTE: '1000000000',
    ...(name === 'keeper' ? { ROLE: 'api' } : {}),
  }
  const child = spawn(resolve(checkout, command), args, {
    cwd: checkout,
    stdio: ['ignore', 'pipe', log],
    env: { ...env, NODE_OPTIONS: flags.join(' ') },
  })
  const exited = once(child, 'exit')
  let isStopping = false
  const died = exited.then(([code, signal]) => {
    if (isStopping) return new Promise<never>(() => {})
    throw new Error(`${name} ended with ${signal ?? code}; --logs FOLDER keeps its words`)
  })
  died.catch(() => {}) // of use only to who waits for it
  const { url, certificateFile } = await Promise.race([readiness(name, child), died])
  const postmaster = postmasterOf(dataDir)
  return {
    name,
    port: Number(new URL(url).port),
    certificate: await readFile(certificateFile, 'utf8'),
    processes: { node: child.pid ?? 0, postmaster },
    dataDir,
    connect: () => connectTo(dataDir),
    command: (...words) => runCommand(checkout, words, env),
    died,
    [Symbol.asyncDispose]: () => {
      if (isStopping) return exited.then(() => {}) // some end before the others do
      isStopping = true
      return stop(child, exited, postmaster)
    },
  }
}

const readyWithinMs = 60_000

type Ready = { url: string; certificateFile: string }

async function readiness(name: ServerName, child: ChildProcess): Promise<Ready> {
  const { promise, resolve: becomeReady, reject } = Promise.withResolvers<Ready>()
  const giveUp = setTimeout(() => {
    child.kill('SIGTERM')
    reject(new Error(`${name} was not ready within ${readyWithinMs / 1_000} s`))
  }, readyWithinMs)
  let printed = ''
  child.stdout?.on('data', (data) => {
    printed += data
    if (printed.trimEnd().endsWith('}')) becomeReady(JSON.parse(printed))
  })
  return promise.finally(() => clearTimeout(giveUp))
}

function postmasterOf(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return undefined // the fastifyNoop one has no database
  }
}

async function runCommand(
  checkout: string,
  words: string[],
  env: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(resolve(checkout, 'server/cli.ts'), [...words, '--json'], {
    cwd: checkout,
    env,
  })
  return JSON.parse(stdout)
}

const stopsWithinMs = 30_000

/** A server that ends in order takes its database with it; one that does not is ended, and its database after it. */
async function stop(child: ChildProcess, exited: Promise<unknown>, postmaster: number | undefined): Promise<void> {
  child.kill('SIGTERM')
  const ended = await Promise.race([exited.then(() => true), sleep(stopsWithinMs, false, { ref: false })])
  if (!ended) child.kill('SIGKILL')
  await exited
  try {
    if (postmaster !== undefined) process.kill(postmaster, 'SIGINT')
  } catch {} // gone, as it should be
}
