import { type Log, openLog } from '../src/platform/log.ts'
import { openInstruments } from '../src/platform/metrics/instruments.ts'
import { version } from '../src/platform/version.ts'
import type { Run } from './declarations.ts'
import { banner } from './shared/banner.ts'
import { openCredentials } from './shared/credentials-file.ts'

/** npm forwards the Ctrl-C that the terminal has already sent to us; both count as one signal. */
const sameSignalMs = 2_000

export const start: Run<'start'> = async ({ config, json, print }) => {
  const startedAt = performance.now()
  const instruments = openInstruments()
  const number = config.processes === 1 ? undefined : 0
  const { log, flush } = openLog(config.logLevel, { format: config.logFormat, number, lines: instruments.logLines })
  const stopRequested = onStopSignal(log)
  try {
    // Loaded here only: the other commands do not need them.
    const { startServer } = await import('../main.ts')
    const { openAppFiles } = await import('../src/app/page/open-app-files.ts')
    const credentials = openCredentials(config, json || process.stdout.isTTY === true)
    const openFiles = () => openAppFiles(log, process.stderr.isTTY && !json ? showBuild : () => {})
    const server = await startServer(config, log, { instruments, keep: credentials.keep, openFiles })
    const { text, facts } = await banner(config, server, credentials.stayIn)
    process.stdout.on('error', (error) => log.warn({ reason: error.message }, 'standard output cannot be written'))
    const { role, processes } = config
    log.info({ version, role, processes, port: server.port, ms: msSince(startedAt) }, 'ready')
    print(facts, text) // after the log, so that on a terminal it is what stands last
    process.stdout.write('', (error) => void (error ?? credentials.wereShown()))
    const reason = await Promise.race([stopRequested, server.failed])
    const stoppingAt = performance.now()
    log.info({ reason: typeof reason === 'string' ? reason : reason.message }, 'stopping')
    if (typeof reason === 'string') await server.drain()
    await server.stop()
    log.info({ ms: msSince(stoppingAt) }, 'stopped')
    if (typeof reason !== 'string') throw reason
  } finally {
    flush()
  }
  return undefined
}

function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}

let building: NodeJS.Timeout | undefined

/** One line that counts the seconds, and goes when the build is done. */
function showBuild(isBuilding: boolean): void {
  if (!isBuilding) {
    clearInterval(building)
    process.stderr.write('\r\x1b[K')
    return
  }
  const startedAt = performance.now()
  const show = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    process.stderr.write(`\r  building the app … ${seconds} s`)
  }
  show()
  building = setInterval(show, 1_000)
}

/** Resolves with the name of the signal. */
function onStopSignal(log: Log): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let firstAt: number | undefined
  const onSignal = (signal: string) => {
    firstAt ??= performance.now()
    resolve(signal)
    if (performance.now() - firstAt < sameSignalMs) return
    log.warn({ signal }, 'second stop signal; exiting without waiting')
    process.exit(1)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return promise
}
