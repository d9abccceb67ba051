import { constants, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { destination, type Logger, type LoggerOptions, levels, pino, symbols } from 'pino'
import { type Lines, textLines } from './log-text.ts'

export type Log = Logger

type LineCounts = { add: (level: 'warning' | 'error') => void }

type LogOptions = {
  /** The format of the lines; unset: text on a terminal, else JSON. */
  format?: 'text' | 'json' | undefined
  /** Which of several processes writes: each line has it. */
  number?: number | undefined
  /** Counts the lines that somebody should look at. */
  lines?: LineCounts
}

/**
 * One line for each event, on standard error: standard output is for the result of a command. It is JSON for programs, and
 * text for people. When nobody reads it, lines are buffered up to a limit; the others are dropped, and their number is
 * logged once it is read again.
 */
export function openLog(level: string, options: LogOptions = {}): { log: Log; flush: () => void } {
  const { number, lines: counts, format = isatty(2) ? 'text' : 'json' } = options
  let dropped = 0
  let isEnding = false
  const fd = openStandardError()
  const output = destination({ fd, sync: false, ...sizes, retryEAGAIN: () => !isEnding })
  const batches = batchLines((batch) => output.write(batch))
  const showsAll = levels.values[level] !== undefined && levels.values[level] <= debugLevel
  const lines = format === 'json' ? batches : textLines(isatty(fd) ? writeAtOnce(fd) : batches, { showsAll })
  const base = number === undefined ? null : { process: number }
  const hooks = counts ? countingLines(counts) : {}
  const log = pino({ level, base, serializers: { err: describeError }, hooks }, lines)
  output.on('drop', (batch: string) => {
    dropped += batch.split('\n').length - 1
  })
  output.on('drain', () => {
    if (dropped > 0) log.warn({ lines: dropped }, 'log lines were dropped: nobody read standard error')
    dropped = 0
  })
  const flush = () => {
    lines.flush()
    try {
      output.flushSync()
    } catch {
      output.destroy() // nobody reads it: writing the rest would block for ever
    }
  }
  // Before the logger's own listener, which would retry for ever.
  process.prependOnceListener('exit', () => {
    isEnding = true
    flush()
  })
  return { log, flush }
}

const debugLevel = levels.values.debug ?? 20

/** Writes at once, so that lines are in order with what else a terminal shows. One that was stopped misses them. */
function writeAtOnce(fd: number): Lines {
  return {
    write: (line) => {
      try {
        writeSync(fd, `${clearLine}${line}`)
      } catch {
        // It does not take more, or is gone.
      }
    },
    flush: () => {},
  }
}

/** A line that shows progress is drawn again by whoever draws it. */
const clearLine = '\r\x1b[K'

function countingLines(counts: LineCounts): NonNullable<LoggerOptions['hooks']> {
  const { warn, error } = levels.values as Record<'warn' | 'error', number>
  return {
    logMethod(args, write, level) {
      if (level >= warn) counts.add(level < error ? 'warning' : 'error')
      write.apply(this, args)
    },
  }
}

/**
 * Opens it again as non-blocking, so that a write to a pipe that nobody reads fails: a write that blocks in the kernel
 * would keep the process from exiting. Where it cannot be opened, as with a socket, file descriptor 2 is used as it is.
 */
function openStandardError(): number {
  try {
    return openSync('/dev/fd/2', constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK)
  } catch {
    return 2
  }
}

const batchLength = 32_768

/** Some ten thousand lines may wait to be written. */
const sizes = { maxWrite: 4 * batchLength, maxLength: 2 * 1024 * 1024 }

const batchMs = 500

/**
 * Writes lines in batches. At each write the output measures all that it has buffered, and it writes from another thread;
 * waking that thread can suspend ours on a busy machine. Together that cost 15 µs a request.
 */
function batchLines(write: (batch: string) => void): Lines {
  let lines: string[] = []
  let length = 0
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
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
      timer ??= setTimeout(flush, batchMs).unref()
      if (length >= batchLength) flush()
    },
    flush,
  }
}

/**
 * Writes the log line of a request. It is on the hot path, so it is formatted here and not by the logger: its values are
 * numbers and identifiers of our own, with nothing to escape.
 */
export function logRequest(log: Log, line: RequestLine): void {
  if (!log.isLevelEnabled('info')) return
  const { reqId, method, route, status, ms, accountId, client, traceId } = line
  const who = `${accountId ? `,"accountId":"${accountId}"` : ''}${client ? `,"client":"${client}"` : ''}`
  const trace = traceId ? `,"traceId":"${traceId}"` : ''
  const fields = `"reqId":"${reqId}","method":"${method}","route":"${route}","status":${status},"ms":${ms.toFixed(1)}`
  writeLine(log, `${fields}${who}${trace},"msg":"request"`)
}

/** Writes the log line of an attempt to deliver an event. */
export function logAttempt(
  log: Log,
  { accountId, id, receiver, attempt, outcome, ms, traceId, spanId }: AttemptLine,
): void {
  if (!log.isLevelEnabled('info')) return
  const trace = traceId ? `,"traceId":"${traceId}","spanId":"${spanId}"` : ''
  const fields = `"accountId":"${accountId}","id":"${id}","receiver":"${receiver}","attempt":${attempt},"outcome":"${outcome}"`
  writeLine(log, `${fields},"ms":${ms}${trace},"msg":"delivery attempt"`)
}

function writeLine(log: Log, fields: string): void {
  const stream = Reflect.get(log, symbols.streamSym) as { write: (line: string) => void } // where the logger itself writes
  const base = Reflect.get(log, symbols.chindingsSym) as string // the number of the process, formatted already
  stream.write(`{"level":30,"time":${Date.now()}${base},${fields}}\n`)
}

type AttemptLine = {
  accountId: string
  id: string
  receiver: string
  attempt: number
  outcome: string
  ms: number
  traceId?: string | undefined
  spanId?: string | undefined
}

export type RequestLine = {
  reqId: string
  method: string
  route: string
  status: number
  ms: number
  /** Whose key or session it had, and the address it came from, where they are known. */
  accountId?: string | undefined
  client?: string | undefined
  traceId?: string | undefined
}

/** Only these fields are logged: database errors have row values in `detail` and statements in `query`. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? error.code : undefined
  const cause = error.cause === undefined ? undefined : describeError(error.cause)
  return { type: error.name, code, message: error.message, stack: error.stack, cause }
}
