import { openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What one start of PostgreSQL says: until its own log is open, on its standard error; afterwards there. */
export type StartReport = {
  /** To be its standard output and error. */
  output: number
  /** The lines that say why it did not start, or else the last it said. */
  words: () => string
}

export function openStartReport(folder: string): StartReport {
  const file = join(folder, '..', 'postgres-start.log')
  const before = sizesOfLogs(folder)
  rmSync(file, { force: true }) // and not emptied: a PostgreSQL that still runs writes to its own
  return {
    output: openSync(file, 'a', 0o600),
    words: () => {
      const logs = [...sizesOfLogs(folder)].map(([log, size]) => tailOf(log, Math.min(before.get(log) ?? 0, size)))
      return choose([tailOf(file, 0), ...logs].join('\n').split('\n'))
    },
  }
}

function sizesOfLogs(folder: string): Map<string, number> {
  const logs = join(folder, 'log')
  try {
    return new Map(readdirSync(logs).map((name) => [join(logs, name), statSync(join(logs, name)).size]))
  } catch {
    return new Map() // there was no start before
  }
}

const mostBytes = 65_536

function tailOf(file: string, from: number): string {
  try {
    return readFileSync(file).subarray(from).subarray(-mostBytes).toString('utf8')
  } catch {
    return ''
  }
}

/** A start tells many things; those who want to know why there is none need these. */
function choose(lines: string[]): string {
  const said = lines.map((line) => line.trim()).filter((line) => line !== '')
  const reasons = said.filter((line) => /\b(FATAL|PANIC|ERROR|HINT|DETAIL):|^\S*postgres: /.test(line))
  return (reasons.length > 0 ? reasons : said).slice(-3).join(' ')
}
