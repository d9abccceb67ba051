import { chown, type FileHandle, mkdir, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '../database/db.ts'
import { majorVersion, removeUnfinished, unfinishedPrefix } from '../embedded-postgres/cluster.ts'
import { type RunAs, runAs } from '../embedded-postgres/run-as.ts'
import { lockPath } from '../embedded-postgres/start.ts'
import { type FileLock, tryFileLock } from '../file-lock.ts'
import { cannotWrite, isFileError, makeFolder, syncFolder, writeSynced } from '../files.ts'
import { OperatorError } from '../operator-error.ts'
import { type Backup, keyFile } from './backup-folder.ts'
import { readLastTransaction } from './installation.ts'
import { readBase, type Sink } from './read-base.ts'
import { replay } from './replay.ts'
import { checkKeyFile, findBackups } from './verify-backups.ts'
import { copySegments, findArchive } from './wal-archive.ts'

type RestoreOptions = {
  dataDir: string
  /** A backup, or a folder of backups. */
  from: string
  until: Date | undefined
  /** Where the write-ahead log since the backup is; undefined: where the backup says. */
  archive: string | undefined
  /** Runs on the restored database before it is put in place; when it throws, nothing is. */
  finish: (db: Db, backup: Backup) => Promise<void>
}

export type RestoreResult = {
  backup: Backup
  files: number
  /** What was replayed from the archive; undefined when there was none. */
  archive: { segments: number; missing: string | undefined } | undefined
  lastTransactionAt: Date | null
}

/**
 * Restores a backup into a DATA_DIR without a database. It is verified, started, and brought to the wanted time in a
 * folder that nobody takes for a database, and renamed at the end: all of it is there, or nothing.
 */
export async function restoreBackup({ dataDir, from, until, archive, finish }: RestoreOptions): Promise<RestoreResult> {
  const backup = await pickBackup(from, until)
  const archiveFolder = await findArchive(backup.facts, archive, until)
  await makeFolder(dataDir, 0o700).catch((cause) => Promise.reject(cannotWrite(dataDir, cause)))
  using lock = await lockEmpty(dataDir)
  await removeUnfinished(dataDir, lock.file !== undefined)
  const unfinished = await mkdtemp(join(dataDir, `${unfinishedPrefix}${process.pid}-`))
  const folder = join(unfinished, 'postgres')
  try {
    await checkKey(backup, dataDir)
    const { files } = await extract(backup, folder)
    const copied = archiveFolder === undefined ? undefined : await copySegments(archiveFolder, folder, backup.facts)
    const lastTransactionAt = await replay(folder, until, async (db) => {
      await finish(db, backup)
      return readLastTransaction(db)
    })
    await placeKey(backup, dataDir)
    await rename(folder, join(dataDir, 'postgres'))
    await syncFolder(dataDir)
    return { backup, files, archive: copied, lastTransactionAt }
  } catch (error) {
    throw isFileError(error) ? cannotWrite(dataDir, error) : error
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** The backup itself, or of a folder of backups the newest one that ended before the wanted time. */
async function pickBackup(from: string, until: Date | undefined): Promise<Backup> {
  const all = await findBackups(from)
  const backup = all.findLast(({ facts }) => until === undefined || new Date(facts.endedAt) <= until)
  if (!backup) {
    throw new OperatorError(
      `${all.length === 1 ? 'The backup' : 'The oldest backup'} ended at ${all[0]?.facts.endedAt}, after ${until?.toISOString()}; that time needs an older one.`,
    )
  }
  if (String(backup.facts.postgresMajor) === majorVersion) return backup
  throw new OperatorError(
    `The backup is of PostgreSQL ${backup.facts.postgresMajor} and this Patchbay has ${majorVersion}; restore it with Patchbay ${backup.facts.patchbayVersion}, then see docs/upgrade.md.`,
  )
}

/** What may be in DATA_DIR: keys, which an operator may have put there first, and what a cut-off attempt left. */
const allowed = new Set(['secret.key', 'tls', 'tls.lock', 'postgres.lock', 'postgres-start.log', 'lost+found'])

/** With the lock, no server starts in the folder and no other restore runs. */
async function lockEmpty(dataDir: string): Promise<FileLock> {
  const lock = await tryFileLock(lockPath(join(dataDir, 'postgres'))).catch((cause) =>
    Promise.reject(cannotWrite(dataDir, cause)),
  )
  const present = (await readdir(dataDir)).filter((name) => !allowed.has(name) && !name.startsWith(unfinishedPrefix))
  if (lock && present.length === 0) return lock
  lock?.[Symbol.dispose]()
  const reason = present[0] === undefined ? 'a server or another restore runs in it' : `it has ${present[0]} in it`
  throw new OperatorError(`DATA_DIR (${dataDir}) is not empty: ${reason}; move it away, or set another DATA_DIR.`)
}

async function extract({ folder, facts }: Backup, target: string): Promise<{ files: number }> {
  const owner = runAs()
  await mkdir(target, { mode: 0o700 })
  if (owner) await chown(target, owner.uid, owner.gid)
  await using sink = extractTo(target, owner)
  return await readBase(folder, { sha256: facts.sha256, sink }).catch((cause) => {
    if (isFileError(cause) && cause.path?.startsWith(target)) throw cause
    throw new OperatorError(
      `The backup in ${folder} cannot be used: ${cause.message}; restore another one, or copy this one again from where it was made.`,
      { cause },
    )
  })
}

/** Checks the key before all else: a database that cannot be started takes as long to restore. */
async function checkKey(backup: Backup, dataDir: string): Promise<void> {
  if ((await readdir(dataDir)).includes(keyFile)) return
  await checkKeyFile(backup).catch((cause) => {
    throw new OperatorError(
      `The backup in ${backup.folder} cannot be used: ${cause.message}; put the key into ${join(dataDir, keyFile)}, or restore another one.`,
      { cause },
    )
  })
}

/** A key that is in DATA_DIR already stays: `finish` has checked that it is the one of this database. */
async function placeKey({ folder, facts }: Backup, dataDir: string): Promise<void> {
  if (!facts.hasSecretKey || (await readdir(dataDir)).includes(keyFile)) return
  await writeSynced(join(dataDir, keyFile), await readFile(join(folder, keyFile), 'utf8'))
}

/**
 * Writes the files of a backup into a folder, as the user that PostgreSQL runs as. They are not synced one by one:
 * PostgreSQL syncs its whole folder when it starts on one that was not shut down cleanly.
 */
function extractTo(folder: string, owner: RunAs | undefined): Sink & AsyncDisposable {
  let file: FileHandle | undefined

  async function close(): Promise<void> {
    await file?.close()
    file = undefined
  }

  return {
    begin: async ({ path, kind }) => {
      await close()
      if (isLeftOut(path)) return
      const target = join(folder, path)
      if (kind === 'folder') {
        await mkdir(target, { recursive: true, mode: 0o700 })
        if (owner) await chown(target, owner.uid, owner.gid)
      } else {
        file = await open(target, 'wx', 0o600)
        if (owner) await file.chown(owner.uid, owner.gid)
      }
    },
    write: async (piece) => {
      await file?.writeFile(piece)
    },
    [Symbol.asyncDispose]: close,
  }
}

/** The lock file of a socket names a process that may be another one by now; and a copy begins a log of its own. */
function isLeftOut(path: string): boolean {
  return path.startsWith('.s.PGSQL.') || path === 'postmaster.pid' || path.startsWith('log/')
}
