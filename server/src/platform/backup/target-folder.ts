import { realpath } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { makeFolder } from '../make-folder.ts'
import { OperatorError } from '../operator-error.ts'

/** Makes the folder that backups go to. One inside DATA_DIR is refused: it would be lost together with it. */
export async function openTarget(given: string, dataDir: string): Promise<string> {
  const folder = resolve(given)
  if (isInside(await realParts(folder), await realParts(dataDir))) {
    throw new OperatorError(
      `${given} is inside DATA_DIR (${dataDir}); give a folder outside of it, best of all on another disk or machine.`,
    )
  }
  await makeFolder(folder, 0o700).catch((cause) => Promise.reject(cannotWrite(folder, cause)))
  return folder
}

/** The path without symbolic links, of a folder whose last parts may not exist yet. */
async function realParts(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined || path === dirname(path)) return real ?? path
  return resolve(await realParts(dirname(path)), relative(dirname(path), path))
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || !(way === '..' || way.startsWith('../'))
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
