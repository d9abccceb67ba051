import { constants } from 'node:fs'
import { access, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OperatorError } from './operator-error.ts'

/** Makes the data folder, and says in a sentence why nothing can be written there. */
export async function openDataFolder(dataDir: string): Promise<void> {
  await makeFolder(dataDir, 0o700)
    .then(() => access(dataDir, constants.W_OK))
    .catch((cause) => Promise.reject(cannotWrite(`DATA_DIR (${dataDir})`, cause)))
}

/** Makes a folder and those above it. Not with `recursive`, which never returns where none can be made, as in /proc. */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  if (await isFolder(folder)) return
  if (folder !== dirname(folder)) await makeFolder(dirname(folder), mode)
  await mkdir(folder, { mode }).catch(async (error) => {
    if (!(await isFolder(folder))) throw error // else another process was first
  })
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** Writes a file, by default readable by its owner only, and returns when it is on disk. */
export async function writeSynced(file: string, text: string, mode = 0o600): Promise<void> {
  await using handle = await open(file, 'w', mode)
  await handle.chmod(mode) // `open` sets the mode of new files only
  await handle.writeFile(text)
  await handle.sync()
}

/** Returns when the names of the files in a folder are on disk too. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** For a `catch`: another process was first. */
export function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error
}

/** An error of the file system, as one sentence. */
export function cannotWrite(path: string, cause: unknown): OperatorError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
  return new OperatorError(`Cannot write ${path}: ${reasons[code] ?? code}.`, { cause })
}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full; free some space, or give another folder',
  EDQUOT: "the user's quota of the disk is used up; give another folder",
  EFBIG: 'the largest size of a file is reached, as `ulimit -f` shows it',
  EACCES: 'this user may not write there; run the command as another user, or give another folder',
  EPERM: 'this user may not write there; run the command as another user, or give another folder',
  EROFS: 'the file system is read-only; give another folder',
  ENOTDIR: 'a part of the path is a file; give the path of a folder',
  EEXIST: 'a file is in the way; give the path of a folder',
  ENOENT: 'no folder can be made there; give another one',
  EIO: 'the disk has a fault; give another folder, and look at the log of the system',
}

export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error
}
