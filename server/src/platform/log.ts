import { constants, openSync } from 'node:fs'
import { destination, type Logger, pino, symbols } from 'pino'

export type Log = Logger

/**
 * One JSON line an event, on standard error: standard output belongs to what a command was asked for. When nobody reads
 * it, lines are kept up to a limit; the others are counted, and the count is told once it flows again.
 */
export function openLog(level: string): { log: Log; flush: () => void } {
  let dropped = 0
  let isEnding = false
  const output = destination({ fd: openStandardError(), sync: false, ...sizes, retryEAGAIN: () => !isEnding })
  const lines = bundleLines((bundle) => output.write(bundle))
  const log = pino({ level, base: null, serializers: { err: describeError } }, lines)
  output.on('drop', (bundle: string) => {
    dropped += bundle.split('\n').length - 1
  })
  output.on('drain', () => {
    if (dropped > 0) log.warn({ lines: dropped }, 'log lines were dropped: nobody read standard error')
    dropped = 0
  })
  const flush = () => {
    lines.handOver()
    try {
      output.flushSync()
    } catch {
      output.destroy() // nobody reads: what is left would be waited for without end
    }
  }
  // Before the logger's own listener, which would try for ever.
  process.prependOnceListener('exit', () => {
    isEnding = true
    flush()
  })
  return { log, flush }
}

/**
 * Opened anew, so that a pipe that nobody reads says so: a write that waits in the kernel would keep the process from
 * ending. Where that cannot be done, as with a socket, it is used as it is.
 */
function openStandardError(): number {
  try {
    return openSync('/dev/fd/2', constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK)
  } catch {
    return 2
  }
}

const bundleLength = 32_768

/** What waits to be written may be some ten thousand lines. */
const sizes = { maxWrite: 4 * bundleLength, maxLength: 2 * 1024 * 1024 }

const bundleMs = 500

/**
 * Hands lines over many at a time. The output measures all it holds at each write and writes from another thread, and
 * waking that one can put ours to sleep on a busy machine: together 15 µs a request.
 */
function bundleLines(write: (bundle: string) => void): { write: (line: string) => void; handOver: () => void } {
  let lines: string[] = []
  let length = 0
  let timer: NodeJS.Timeout | undefined

  function handOver(): void {
    clearTimeout(timer)
    timer = undefined
    if (lines.length > 0) write(lines.join(''))
    lines = []
    length = 0
  }

  return {
    write: (line) => {
      lines.push(line)
      length += line.length
      timer ??= setTimeout(handOver, bundleMs).unref()
      if (length >= bundleLength) handOver()
    },
    handOver,
  }
}

/**
 * Writes the one line that every request leaves. Made by hand where everything else goes through the logger, because it
 * is on the hot path: its values are numbers and words of our own, with nothing to escape.
 */
export function logRequest(log: Log, { reqId, method, route, status, ms }: RequestLine): void {
  if (!log.isLevelEnabled('info')) return
  const facts = `"reqId":"${reqId}","method":"${method}","route":"${route}","status":${status},"ms":${ms.toFixed(1)}`
  const stream = Reflect.get(log, symbols.streamSym) as { write: (line: string) => void } // where the logger itself writes
  stream.write(`{"level":30,"time":${Date.now()},${facts},"msg":"request"}\n`)
}

type RequestLine = { reqId: string; method: string; route: string; status: number; ms: number }

/** Database errors carry row values in `detail` and statements in `query`; only these fields are ours to write down. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? error.code : undefined
  const cause = error.cause === undefined ? undefined : describeError(error.cause)
  return { type: error.name, code, message: error.message, stack: error.stack, cause }
}
