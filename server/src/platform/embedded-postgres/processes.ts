import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type PostgresProcesses = { postmaster: number | undefined; backends: number[] }

/**
 * Which PostgreSQL processes run in `folder` now. Reads the process table rather than `postmaster.pid`, because after a
 * kill that file names a process that has ended, is a zombie, or is another program that got the same process id.
 */
export function findProcesses(folder: string): PostgresProcesses {
  if (process.platform !== 'linux') return { postmaster: livePidInLockFile(folder), backends: [] }
  const wanted = identityOf(folder)
  if (wanted === undefined) return { postmaster: undefined, backends: [] }
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const titles = pids
    .filter((pid) => identityOf(`/proc/${pid}/cwd`) === wanted)
    .map((pid) => ({ pid, title: readOrUndefined(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '' }))
  // A postmaster keeps its command line; each child of it takes a title such as "postgres: checkpointer".
  const backends = titles.filter(({ title }) => title.startsWith('postgres: ')).map(({ pid }) => pid)
  const postmaster = titles.find(({ title }) => /^[^\0]*\/postgres\0/.test(title))?.pid
  return { postmaster, backends }
}

/**
 * Whether the PostgreSQL that runs in `folder` was told to stop, by whomever: it notes that in `postmaster.pid`. The file of
 * one that was killed meanwhile says it too.
 */
export function isStopping(folder: string): boolean {
  const lines = readOrUndefined(() => readFileSync(join(folder, 'postmaster.pid'), 'utf8'))?.split('\n') ?? []
  return lines[statusLine]?.trim() === 'stopping' && findProcesses(folder).postmaster === Number(lines[0])
}

/** The eighth line: `starting`, `ready`, `standby` or `stopping`, each padded to eight characters. */
const statusLine = 7

/** Device and inode instead of the path, which differs for a process that has the folder mounted elsewhere. */
function identityOf(folder: string): string | undefined {
  return readOrUndefined(() => {
    const { dev, ino } = statSync(folder, { bigint: true })
    return `${dev} ${ino}`
  })
}

function livePidInLockFile(folder: string): number | undefined {
  const pid = Number(readOrUndefined(() => readFileSync(join(folder, 'postmaster.pid'), 'utf8'))?.split('\n')[0])
  return isAlive(pid) ? pid : undefined
}

export function isAlive(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Sends a signal to a process that may have ended already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (isAlive(pid)) throw error
  }
}

/** A process may end between being listed and being read. */
function readOrUndefined(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
