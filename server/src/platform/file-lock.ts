import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The kernel's exclusive lock on an open file: it ends with the last process that has the file open, however that one
 * ended, and it also works between containers, which do not see each other's processes.
 *
 * `file` is undefined where the system has no such lock; then nothing is locked.
 */
export type FileLock = { file: number | undefined; [Symbol.dispose]: () => void }

/** Locks the file, which is created if it is missing; undefined when another process has locked it. */
export async function tryFileLock(path: string): Promise<FileLock | undefined> {
  const file = openLockFile(path)
  if (file === 'held') return undefined
  const lock = { file, [Symbol.dispose]: () => closeSync(file) }
  if (process.platform === 'darwin') return lock // opening the file has locked it
  const outcome = await runFlock(file)
  if (outcome === 'locked') return lock
  closeSync(file)
  return outcome === 'held' ? undefined : { file: undefined, [Symbol.dispose]: () => {} }
}

/** Waits for a lock; `pollMs` suits one that is only ever held for a moment. */
export async function waitForFileLock(path: string, pollMs = 50): Promise<FileLock> {
  for (;;) {
    const lock = await tryFileLock(path)
    if (lock !== undefined) return lock
    await sleep(pollMs)
  }
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

/** Node cannot lock a file; `flock`, which every Linux has, locks a file that it inherits, and the lock outlives it. */
async function runFlock(file: number): Promise<'locked' | 'held' | 'cannot'> {
  const child = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] })
  try {
    const [code] = await once(child, 'exit')
    return code === 0 ? 'locked' : code === 1 ? 'held' : 'cannot'
  } catch {
    return 'cannot' // it is not installed
  }
}
