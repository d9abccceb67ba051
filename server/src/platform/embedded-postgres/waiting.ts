import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isOfTooEarly, readTail, startLogPath } from './start-report.ts'

/**
 * What a try to connect says: it accepts connections, it starts or recovers, it was told to stop, nothing listens, all
 * connections are taken, or no answer came.
 */
export type State = 'ready' | 'starting' | 'stopping' | 'down' | 'full' | 'silent'

export type Wait = {
  /** Called after each try. `isElsewhere`: the folder's lock is held by a process that cannot be seen here. */
  look: (state: State, isElsewhere: boolean) => void
  noteProgress: () => void
  /** Whether there was no progress for as long as the patience is. */
  isOver: () => boolean
  describe: () => string
  [Symbol.dispose]: () => void
}

type Options = { onWait: (reason: string) => void; patienceMs: number }

/**
 * How long to wait for a start, and for what: as long as PostgreSQL makes progress. That is a log that grows, or a recovery
 * under way, however long it takes; on a busy machine each step of a start may take as long as a whole start elsewhere.
 */
export function openWaiting(folder: string, { onWait, patienceMs }: Options): Wait {
  const since = performance.now()
  let progressAt = since
  let state: State = 'down'
  let size = sizeOfLogs(folder)
  const seconds = () => Math.round((performance.now() - since) / 1_000)
  const telling = setInterval(() => onWait(`${describe()}, for ${seconds()} s so far`), patienceMs / 3).unref()

  function noteProgress(): void {
    progressAt = performance.now()
  }

  function look(seen: State, isElsewhere: boolean): void {
    state = seen
    const before = size
    size = sizeOfLogs(folder)
    // It logs every try that it refuses: while it is full or stopping, a log that grows is our own doing. And one that
    // runs on another machine is not starting.
    const isWriting = size !== before && (state === 'down' || state === 'silent') && !isElsewhere
    if (isWriting || state === 'starting') noteProgress()
  }

  function describe(): string {
    const last = lastLine(folder)
    return `${descriptions[state]}${last ? ` (the last line of its log: ${last})` : ''}`
  }

  return {
    look,
    noteProgress,
    isOver: () => performance.now() - progressAt > patienceMs,
    describe,
    [Symbol.dispose]: () => clearInterval(telling),
  }
}

const descriptions: Record<State, string> = {
  ready: 'it accepts connections',
  starting: 'it is starting up, or recovering after a crash',
  stopping: 'it was told to stop, and waits for its sessions to end',
  down: 'it does not listen yet',
  full: 'all its connections are taken',
  silent: 'it does not answer',
}

function logsOf(folder: string): string[] {
  const logs = join(folder, 'log')
  try {
    return [startLogPath(folder), ...readdirSync(logs).map((name) => join(logs, name))]
  } catch {
    return [startLogPath(folder)] // the first start
  }
}

function sizeOfLogs(folder: string): number {
  return logsOf(folder).reduce((sum, log) => sum + (statOf(log)?.size ?? 0), 0)
}

function statOf(file: string): { size: number; mtimeMs: number } | undefined {
  return statSync(file, { throwIfNoEntry: false })
}

/** The last line of the log that was written last, without its time. */
function lastLine(folder: string): string | undefined {
  const [newest] = logsOf(folder).sort((a, b) => (statOf(b)?.mtimeMs ?? 0) - (statOf(a)?.mtimeMs ?? 0))
  const lines = readTail(newest ?? '').split('\n')
  return lines.findLast((line) => line.trim() !== '' && !isOfTooEarly(line))?.replace(/^.*?\[\d+\] +/, '')
}
