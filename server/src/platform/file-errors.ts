import { OperatorError } from './operator-error.ts'

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
