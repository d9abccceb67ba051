import { type Log, openLog } from '../src/platform/log.ts'
import type { Run } from './declarations.ts'
import { banner } from './shared/banner.ts'
import { openCredentials } from './shared/credentials-file.ts'

/** npm forwards the Ctrl-C that the terminal has already sent to us; both count as one signal. */
const sameSignalMs = 2_000

export const start: Run<'start'> = async ({ config, json, print }) => {
  const { log, flush } = openLog(config.logLevel)
  const stopRequested = onStopSignal(log)
  try {
    const { startServer } = await import('../main.ts') // loaded here only: the other commands do not need it
    const credentials = openCredentials(config, json || process.stdout.isTTY === true)
    const server = await startServer(config, log, credentials.keep)
    const { text, facts } = await banner(config, server, credentials.stayIn)
    process.stdout.on('error', (error) => log.warn({ reason: error.message }, 'standard output cannot be written'))
    print(facts, text)
    process.stdout.write('', (error) => void (error ?? credentials.wereShown()))
    const failure = await Promise.race([stopRequested, server.failed])
    await server.stop()
    if (failure) throw failure
  } finally {
    flush()
  }
  return undefined
}

function onStopSignal(log: Log): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let firstAt: number | undefined
  const onSignal = (signal: string) => {
    firstAt ??= performance.now()
    resolve(undefined)
    if (performance.now() - firstAt < sameSignalMs) return
    log.warn({ signal }, 'second stop signal; exiting without waiting')
    process.exit(1)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return promise
}
