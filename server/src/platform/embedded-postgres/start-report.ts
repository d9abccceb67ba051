import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The output of one start of PostgreSQL: on standard error until its log is open, and in the log afterwards. */
type StartReport = {
  /** The file for its standard output and error. */
  output: number
  /** The lines that say why it did not start, or else the last lines. */
  failureReason: () => string
}

export function openStartReport(folder: string): StartReport {
  const file = startLogPath(folder)
  const before = logSizes(folder)
  rmSync(file, { force: true }) // not truncated: a PostgreSQL that still runs writes to the removed file
  return {
    output: openSync(file, 'a', 0o600),
    failureReason: () => {
      const logs = [...logSizes(folder)].map(([log, size]) => readTail(log, Math.min(before.get(log) ?? 0, size)))
      return pickReasons([readTail(file), ...logs].join('\n').split('\n'))
    },
  }
}

/** What PostgreSQL says of its last start before its log is open. */
export function startLogPath(folder: string): string {
  return join(folder, '..', 'postgres-start.log')
}

function logSizes(folder: string): Map<string, number> {
  const logs = join(folder, 'log')
  try {
    return new Map(readdirSync(logs).map((name) => [join(logs, name), statSync(join(logs, name)).size]))
  } catch {
    return new Map() // the first start
  }
}

/** Those lines of a start that explain why it failed. */
function pickReasons(lines: string[]): string {
  const written = lines.map((line) => line.trim()).filter((line) => line !== '' && !isOfTooEarly(line))
  const reasons = written.filter((line) => /\b(FATAL|PANIC|ERROR|HINT|DETAIL):|^\S*postgres: /.test(line))
  return (reasons.length > 0 ? reasons : written).slice(-3).join(' ')
}

/** What it answers to whoever connects before it is ready. */
export function isOfTooEarly(line: string): boolean {
  return ofTooEarly.test(line)
}

const ofTooEarly =
  /the database system is (starting up|shutting down|in recovery mode|not (yet )?accepting connections)/

const mostBytes = 65_536

/** The end of a log, from a position on; empty where there is none. Never more is read: a log may have gigabytes. */
export function readTail(file: string, from = 0): string {
  try {
    const handle = openSync(file, 'r')
    try {
      const { size } = fstatSync(handle)
      const start = Math.max(from, size - mostBytes)
      const tail = Buffer.alloc(Math.max(0, size - start))
      return tail.toString('utf8', 0, readSync(handle, tail, 0, tail.length, start))
    } finally {
      closeSync(handle)
    }
  } catch {
    return ''
  }
}
