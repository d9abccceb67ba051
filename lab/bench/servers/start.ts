import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Client } from 'pg'
import { watchLoopFlag } from '../../common/event-loop.ts'
import { runCommand } from '../../common/run-command.ts'
import { findPostmaster, type Listening, stopServer, untilListening } from '../../common/server-process.ts'
import type { Target } from '../load/connection.ts'
import type { Processes } from '../measure.ts'
import { connectTo } from './connect.ts'
import { pauseProcesses, resumeProcesses } from './pause.ts'

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
  /** Where it serves its metrics, if it does. */
  metricsPort: number | undefined
  connect: () => Promise<Client>
  /** Runs a command of its checkout beside it, as an operator does, and returns what it prints as JSON. */
  command: (...words: string[]) => Promise<Record<string, unknown>>
  /** Stops all its processes where they are, until `resume`; with `isDatabaseUsed` only Node. */
  pause: (isDatabaseUsed?: boolean) => void
  resume: () => void
  /** Rejects when it ends without having been told to. */
  died: Promise<never>
  [Symbol.asyncDispose]: () => Promise<void>
}

export const apiKey = 'a-key-that-the-benchmark-knows'

/**
 * Where to leave what is of use when something is wrong or slow; left out, the log goes nowhere. `checkout`: of another
 * version than this one. `metricsPort`: without it no metrics are served, which take a little of an idle server.
 */
export type Traces = {
  logFolder: string | undefined
  profileFolder: string | undefined
  checkout?: string
  metricsPort?: number
}

const repositoryRoot = resolve(import.meta.dirname, '../../..')
/** As `npm start` does: its first line says what Node is told, and with `NODE_COMPILE_CACHE` no compiler is loaded. */
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
  const { logFolder, profileFolder, checkout = repositoryRoot, metricsPort } = traces
  const flags = profileFolder ? ['--cpu-prof', `--cpu-prof-dir="${resolve(profileFolder, name)}"`] : []
  if (name === 'answerer') flags.push(watchLoopFlag)
  const log = logFolder ? openSync(join(logFolder, `${name}.log`), 'w') : ('ignore' as const)
  const [command = '', ...args] = commands[name]
  // Nothing but this: the caller's own settings must not change what is compared. The limit is on and never met.
  const env = {
    PATH: dirname(process.execPath),
    NODE_COMPILE_CACHE: resolve(checkout, 'node_modules/.cache/compiled'),
    PORT: '0',
    DATA_DIR: dataDir,
    OWNER_API_KEY: apiKey,
    RATE_LIMIT_PER_MINUTE: '1000000000',
    ...(metricsPort === undefined ? {} : { METRICS_PORT: String(metricsPort) }),
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
  const listening = await Promise.race([untilReady(name, child), died])
  const processes = { node: child.pid ?? 0, postmaster: findPostmaster(join(dataDir, 'postgres')) }
  return {
    name,
    ...listening,
    processes,
    dataDir,
    metricsPort,
    connect: () => connectTo(dataDir),
    command: (...words) => runCommand(checkout, words, env),
    pause: (isDatabaseUsed) => void (isStopping || pauseProcesses(processes, isDatabaseUsed)),
    resume: () => resumeProcesses(processes),
    died,
    [Symbol.asyncDispose]: () => {
      if (isStopping) return exited.then(() => {}) // some end before the others do
      isStopping = true
      resumeProcesses(processes) // one that is stopped does not end
      return stopServer(child, dataDir)
    },
  }
}

const readyWithinMs = 60_000

/** Ends a server that does not become ready. */
function untilReady(name: ServerName, child: ChildProcess): Promise<Listening> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const giveUp = setTimeout(() => {
    child.kill('SIGTERM')
    reject(new Error(`${name} was not ready within ${readyWithinMs / 1_000} s`))
  }, readyWithinMs)
  return Promise.race([untilListening(child), tooLate]).finally(() => clearTimeout(giveUp))
}
