import { destination, type Logger, pino, symbols } from 'pino'

export type Log = Logger

/**
 * One JSON line an event, on standard error: standard output belongs to what a command was asked for.
 * Written in the background in small chunks, because a write for each request would cost the hot path
 * more than its handler; `flush` before exit.
 */
export function openLog(level: string): { log: Log; flush: () => void } {
  const stream = destination({ fd: 2, sync: false, minLength: 4096, periodicFlush: 500 })
  const log = pino({ level, base: null, serializers: { err: describeError } }, stream)
  return { log, flush: () => stream.flushSync() }
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
