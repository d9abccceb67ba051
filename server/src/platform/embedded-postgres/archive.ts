import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { makeFolder, syncFolder, writeSynced } from '../files.ts'
import { OperatorError } from '../operator-error.ts'
import { othersCanReach } from './binaries.ts'
import { runAs } from './run-as.ts'
import type { Settings } from './settings.ts'

/**
 * The folder that this installation's write-ahead log is archived to: a sub-folder of ARCHIVE_DIR that no other DATA_DIR
 * writes to, not even a restored copy of this one. A copy has the same segments up to a point, and others with the same
 * names afterwards: in one folder, a later restore would follow the wrong ones.
 *
 * A server decides; which folder it is stands in DATA_DIR, for the commands that start the database without one. Without
 * ARCHIVE_DIR it is forgotten: what comes later has a gap before it, and gets a new folder.
 */
export async function openArchive(dataDir: string, archiveDir: string | undefined): Promise<string | undefined> {
  const present = await readArchive(dataDir)
  if (archiveDir === undefined) {
    await rm(noteIn(dataDir), { force: true })
    return undefined
  }
  if (present !== undefined && dirname(present) === archiveDir) return present
  const day = new Date().toISOString().slice(0, 10)
  const folder = join(archiveDir, `${day}-${randomBytes(4).toString('hex')}`)
  await makeArchive(archiveDir, folder).catch((cause) => {
    throw cause instanceof OperatorError
      ? cause
      : new OperatorError(`ARCHIVE_DIR (${archiveDir}) cannot be used: ${cause.message}.`, { cause })
  })
  await makeFolder(dataDir, 0o700)
  await writeSynced(noteIn(dataDir), `${folder}\n`)
  await syncFolder(dataDir)
  return folder
}

/** The folder of the archive, as the last server has decided. */
export async function readArchive(dataDir: string): Promise<string | undefined> {
  const text = await readFile(noteIn(dataDir), 'utf8').catch(() => '')
  return text.trim() || undefined
}

function noteIn(dataDir: string): string {
  return join(dataDir, 'archive-folder')
}

async function makeArchive(archiveDir: string, folder: string): Promise<void> {
  const user = runAs()
  await makeFolder(archiveDir, user ? 0o711 : 0o700)
  if (user && !(await othersCanReach(archiveDir))) {
    throw new OperatorError(
      `PostgreSQL never runs as root, and user ${user.uid} cannot reach ARCHIVE_DIR (${archiveDir}); allow others to enter it and the folders above it (chmod o+x), or start Patchbay as an ordinary user.`,
    )
  }
  await mkdir(folder, { mode: 0o700 })
  if (user) await chown(folder, user.uid, user.gid)
  await syncFolder(archiveDir)
}

/**
 * A segment is archived when it is full, and after a minute at the latest while anything is written: that is how much is
 * lost with the disk of the database.
 */
export function archiveSettings(folder: string | undefined): Settings {
  if (folder === undefined) return {}
  return {
    archive_mode: 'on',
    archive_library: 'basic_archive',
    'basic_archive.archive_directory': folder,
    archive_timeout: '60',
  }
}

/** Whether a database that was found running archives where it should. */
export async function archivesTo(address: ClientConfig, archive: string | undefined): Promise<boolean> {
  const client = new Client(address)
  await client.connect()
  try {
    const { rows } = await client.query(
      `select nullif(current_setting('basic_archive.archive_directory', true), '') as archive`,
    )
    return (rows[0].archive ?? undefined) === archive
  } finally {
    await client.end()
  }
}
