import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The right to run a PostgreSQL in the folder beside which the lock file lies. It is the kernel's lock on an open file:
 * `file` is handed to the PostgreSQL that is started, and all its processes inherit it, so the lock lasts until the
 * last of them is gone, however it ended. Others see it whatever process numbers they see: in another container too.
 *
 * `file` is undefined where no such lock can be had; PostgreSQL's own lock files must do then.
 */
export type FolderLock = { file: number | undefined; [Symbol.dispose]: () => void }

/** Takes the lock; undefined when somebody has it. */
export async function tryFolderLock(folder: string): Promise<FolderLock | undefined> {
  const file = openLockFile(lockPath(folder))
  if (file === 'held') return undefined
  const lock = { file, [Symbol.dispose]: () => closeSync(file) }
  if (process.platform === 'darwin') return lock // it was locked as it was opened
  const outcome = await runFlock(file)
  if (outcome === 'locked') return lock
  closeSync(file)
  return outcome === 'held' ? undefined : { file: undefined, [Symbol.dispose]: () => {} }
}

export function lockPath(folder: string): string {
  return join(folder, '..', 'postgres.lock')
}

/** Systems that descend from BSD lock a file as they open it. */
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

/** Node cannot lock a file; `flock`, which every Linux has, locks one that it is handed, and the lock outlives it. */
async function runFlock(file: number): Promise<'locked' | 'held' | 'cannot'> {
  const child = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] })
  try {
    const [code] = await once(child, 'exit')
    return code === 0 ? 'locked' : code === 1 ? 'held' : 'cannot'
  } catch {
    return 'cannot' // it is not installed
  }
}
