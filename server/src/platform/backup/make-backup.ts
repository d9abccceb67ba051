/*
 * Backups of the embedded database, and their way back: `receive-base-backup.ts` takes a copy over the replication
 * protocol, `read-base.ts` verifies one, `backup-folder.ts` says which folders are whole backups.
 */

import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import type { DatabaseAddress, Db } from '../database/db.ts'
import { tryFileLock } from '../file-lock.ts'
import { cannotWrite, isFileError, makeFolder, syncFolder, writeSynced } from '../files.ts'
import { OperatorError } from '../operator-error.ts'
import { version } from '../version.ts'
import {
  type Backup,
  type BackupFacts,
  backupName,
  factsFile,
  keyFile,
  listBackups,
  removeBackup,
  removeCutOff,
  unfinishedName,
} from './backup-folder.ts'
import { noteBackup, readDatabaseFacts } from './installation.ts'
import { baseFile, manifestFile, readBase } from './read-base.ts'
import { receiveBaseBackup } from './receive-base-backup.ts'
import { pruneSegments } from './wal-archive.ts'

type BackupOptions = {
  address: DatabaseAddress
  dataDir: string
  /** Each backup gets a folder of its own in this one, named by its time. */
  to: string
  /** Goes into the backup, in clear text. */
  secretKey: string | undefined
  /** How many backups to keep in the folder, this one included; undefined: all. */
  keep: number | undefined
}

type MadeBackup = Backup & { removed: Backup[] }

/**
 * Takes a backup of the running database. When it returns, the backup is whole, on disk, and was read back and compared
 * with PostgreSQL's manifest. Whatever fails before leaves nothing that looks like a backup.
 */
export async function makeBackup(db: Db, { to, dataDir, keep, ...options }: BackupOptions): Promise<MadeBackup> {
  const target = await openTarget(to, dataDir)
  using lock = await tryFileLock(join(target, 'backup.lock')).catch((cause) =>
    Promise.reject(cannotWrite(target, cause)),
  )
  if (!lock) throw new OperatorError(`Another backup to ${to} is running; wait until it is done.`)
  if (lock.file !== undefined) await removeCutOff(target)

  const { now: startedAt } = await readDatabaseFacts(db)
  const folder = join(target, backupName(startedAt))
  const unfinished = unfinishedName(folder)
  try {
    await mkdir(unfinished, { mode: 0o700 })
    const facts = await fill(unfinished, db, { ...options, startedAt })
    await rename(unfinished, folder)
    await syncFolder(target)
    // Noted in any case: where older ones cannot be removed, a try every ten minutes would only fill the disk.
    const removed = await removeOlder(target, { folder, facts }, keep).finally(() => noteBackup(db, facts.endedAt))
    return { folder, facts, removed }
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true }).catch(() => {}) // the next backup removes it
    throw isFileError(error) ? cannotWrite(folder, error) : error
  }
}

type FillOptions = Pick<BackupOptions, 'address' | 'secretKey'> & { startedAt: Date }

async function fill(folder: string, db: Db, { address, secretKey, startedAt }: FillOptions): Promise<BackupFacts> {
  const written = openArchive(join(folder, baseFile))
  const { manifest, ...positions } = await receiveBaseBackup(address, written.keep)
  const { now, ...database } = await readDatabaseFacts(db)
  await writeSynced(join(folder, manifestFile), manifest.toString('utf8'))
  if (secretKey !== undefined) await writeSynced(join(folder, keyFile), `${secretKey}\n`)
  const sha256 = written.sha256()
  const { files, bytes } = await readBase(folder, { sha256 }).catch((cause) => {
    throw isFileError(cause)
      ? cause
      : new OperatorError(`The backup is not as it was sent: ${cause.message}.`, { cause })
  })
  const facts: BackupFacts = {
    format: 1,
    patchbayVersion: version,
    ...database,
    ...positions,
    startedAt: startedAt.toISOString(),
    endedAt: now.toISOString(),
    files,
    databaseBytes: bytes,
    sizeBytes: (await stat(join(folder, baseFile))).size,
    sha256,
    hasSecretKey: secretKey !== undefined,
  }
  await writeSynced(join(folder, factsFile), `${JSON.stringify(facts, null, 2)}\n`)
  await syncFolder(folder)
  return facts
}

/** Compresses at the fastest level: a third to a fifth of the size, for little more than what the checksums cost. */
function openArchive(file: string) {
  const hash = createHash('sha256')
  async function* hashed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  async function keep(tar: Readable): Promise<void> {
    const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } })
    await pipeline(tar, compress, hashed, createWriteStream(file, { flags: 'wx', mode: 0o600 }))
    await using handle = await open(file, 'r+')
    await handle.sync()
  }
  return { keep, sha256: () => hash.digest('hex') }
}

/**
 * Backups of other installations in the same folder are not counted, and stay. So does the one just made, whatever the
 * others are named: a clock that was ahead gave them a later time. Of the archive, what none that is kept needs goes too.
 */
async function removeOlder(target: string, made: Backup, keep: number | undefined): Promise<Backup[]> {
  if (keep === undefined) return []
  const { systemIdentifier, archiveFolder } = made.facts
  const others = (await listBackups(target)).filter(
    ({ folder, facts }) => folder !== made.folder && facts.systemIdentifier === systemIdentifier,
  )
  const surplus = Math.max(0, others.length - (keep - 1))
  const [older, kept] = [others.slice(0, surplus), [...others.slice(surplus), made]]
  try {
    for (const backup of older) await removeBackup(backup)
    const archived = kept.map(({ facts }) => facts).filter((facts) => facts.archiveFolder === archiveFolder)
    if (archiveFolder !== null) await pruneSegments(archiveFolder, archived)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new OperatorError(`${made.folder} is whole, but what is too old could not be removed: ${reason}.`, { cause })
  }
  return older
}

/** Makes the folder that backups go to. One inside DATA_DIR is refused: it would be lost together with it. */
async function openTarget(given: string, dataDir: string): Promise<string> {
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
