import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { ProcessSamples } from '../src/app/operations/merged-metrics.ts'
import type { AppFiles } from '../src/app/page/open-app-files.ts'
import { type AskedAttempt, answerThrottle } from '../src/business/sessions/throttle/asked-throttle.ts'
import { countSignIns } from '../src/business/sessions/throttle/sign-in-throttle.ts'
import type { TlsFiles } from '../src/platform/https-server/certificate-files.ts'
import type { Log } from '../src/platform/log.ts'
import type { OperatorError } from '../src/platform/operator-error.ts'
import type { Peer } from '../src/platform/processes/peer.ts'
import { type ProcessGroup, startProcesses } from '../src/platform/processes/process-group.ts'
import type { Prepared } from './prepare-server.ts'

/** What a serving process is told at its start; everything else is in the environment, which is the same for all. */
export type Brief = {
  index: number
  port: number
  publicUrl: string
  tlsFiles: TlsFiles
  /** With these a client can resume its TLS session in any process. */
  ticketKeys: string
  /** Where the embedded database is; undefined: it is the one in DATABASE_URL. */
  embedded: { host: string; user: string; database: string } | undefined
  appFiles: AppFiles | undefined
  /** It is a restored copy that was told to do no background work. */
  isPaused: boolean
  isDraining: boolean
}

const metricsWithinMs = 2_000

/**
 * Runs the processes that serve. This process keeps the port and gives each connection to the next of them, counts
 * failed sign-ins for all, and replaces a process that dies.
 */
export async function supervise(
  started: AsyncDisposableStack,
  prepared: Prepared,
  log: Log,
): Promise<{ drain: () => void; failed: Promise<OperatorError> }> {
  const { config, reserved, metrics } = prepared
  const ticketKeys = randomBytes(48).toString('base64')
  const throttle = countSignIns()
  let isDraining = false
  let group: ProcessGroup | undefined
  const members = () => group?.members() ?? []

  function meet(peer: Peer, index: number): void {
    peer.on('brief', () => ({ ...briefOf(prepared), ticketKeys, index, isDraining }) satisfies Brief)
    peer.on('sign-in', (asked) => answerThrottle(throttle, asked as AskedAttempt))
  }

  let turn = 0
  const { retry } = reserved.distribute((socket) => {
    const all = members()
    turn += 1
    const next = all[turn % all.length]
    next?.peer.tell('connection', undefined, socket)
    return next !== undefined
  })
  const program = join(import.meta.dirname, 'serving-process.ts')
  group = await startProcesses({ count: config.processes, program, log, meet, onChange: retry })
  started.defer(async () => {
    await reserved[Symbol.asyncDispose]() // no connection comes to a process that stops
    await group.stop()
  })
  retry()
  metrics.watchProcesses(() => members().map(reporting))
  return {
    failed: group.failed,
    drain: () => {
      isDraining = true
      for (const { peer } of members()) peer.tell('drain')
    },
  }
}

function briefOf({ config, reserved, tls, database, isPaused, appFiles }: Prepared) {
  const { host = '', user = '', database: name = '' } = database.address
  const embedded = config.databaseUrl === undefined ? { host, user, database: name } : undefined
  return { port: reserved.port, publicUrl: config.publicUrl, tlsFiles: tls.files, embedded, isPaused, appFiles }
}

function reporting({ index, pid = 0, peer }: ReturnType<ProcessGroup['members']>[number]) {
  return { id: pid, index, read: () => peer.ask<ProcessSamples>('metrics', undefined, metricsWithinMs) }
}
