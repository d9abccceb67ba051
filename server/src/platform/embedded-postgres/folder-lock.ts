import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The exclusive right to run a PostgreSQL in a folder; the lock file is beside it. It is the kernel's lock on an open
 * file: the PostgreSQL that is started and all its processes inherit `file`, so the lock lasts until the last of them
 * has ended, however it ended. It also works between containers, which do not see each other's processes.
 *
 * `file` is undefined where the system has no such lock; then only PostgreSQL's own lock files protect the folder.
 */
export type FolderLock = { file: number | undefined; [Symbol.dispose]: () => void }

/** Takes the lock; undefined when another process has it. */
export async function tryFolderLock(folder: string): Promise<FolderLock | undefined> {
  const file = openLockFile(lockPath(folder))
  if (file === 'held') return undefined
  const lock = { file, [Symbol.dispose]: () => closeSync(file) }
  if (process.platform === 'darwin') return lock // opening the file has locked it
  const outcome = await runFlock(file)
  if (outcome === 'locked') return lock
  closeSync(file)
  return outcome === 'held' ? undefined : { file: undefined, [Symbol.dispose]: () => {} }
}

export function lockPath(folder: string): string {
  return join(folder, '..', 'postgres.lock')
}

/** O_EXLOCK of BSD systems: opening the file also locks it. */
const darwinExclusiveLock = 0x20

function openLockFile(path: string): number | 'held' {
  const { O_RDWR, O_CREAT, O_NONBLOCK } = constants
  if (process.platform !== 'darwin') return openSync(path, O_RDWR | O_CREAT, 0o600)
  try {
    return openSync(path, O_RDWR | O_CREAT | O_NONBLOCK | darwinExclusiveLock, 0o600)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 'held'
    throw error
  }
}

/**
 * Node cannot lock a file; `flock`, which every Linux has, locks the file that it inherits, and the lock outlives it.
 */
async function runFlock(file: number): Promise<'locked' | 'held' | 'cannot'> {
  const child = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] })
  try {
    const [code] = await once(child, 'exit')
    return code === 0 ? 'locked' : code === 1 ? 'held' : 'cannot'
  } catch {
    return 'cannot' // it is not installed
  }
}
