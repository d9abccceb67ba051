import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../synced-file.ts'

/** What `backup.json` says: it is written last, so a folder that has it was whole. */
export type BackupFacts = {
  format: 1
  patchbayVersion: string
  postgresMajor: number
  systemIdentifier: string
  timeline: number
  startedAt: string
  endedAt: string
  startLsn: string
  endLsn: string
  walSegmentBytes: number
  /** Where the write-ahead log was archived when it was taken, if it was. */
  archiveFolder: string | null
  files: number
  /** Of the files in it, without compression. */
  databaseBytes: number
  /** Of the archive as it is on disk. */
  sizeBytes: number
  sha256: string
  hasSecretKey: boolean
}

export const factsFile = 'backup.json'
export const keyFile = 'secret.key'
const unfinishedSuffix = '.unfinished'

export type Backup = { folder: string; facts: BackupFacts }

/** `2026-11-16T120000Z`: sorts by time, and is a name on every file system. */
export function backupName(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(':', '')}Z`
}

const finishedName = /^\d{4}-\d\d-\d\dT\d{6}Z$/

export function unfinishedName(name: string): string {
  return `${name}${unfinishedSuffix}`
}

/** The backup in this folder; undefined when it is none, or not a whole one. */
export async function readBackup(folder: string): Promise<Backup | undefined> {
  const text = await readFile(join(folder, factsFile), 'utf8').catch(() => undefined)
  if (text === undefined || folder.endsWith(unfinishedSuffix)) return undefined
  const facts: BackupFacts = JSON.parse(text)
  return facts.format === 1 ? { folder, facts } : undefined
}

/** All whole backups below a folder, oldest first. */
export async function listBackups(parent: string): Promise<Backup[]> {
  const names = (await readdir(parent)).filter((name) => finishedName.test(name)).sort()
  const found = await Promise.all(names.map((name) => readBackup(join(parent, name))))
  return found.filter((backup) => backup !== undefined)
}

/** Removes what backups left that were cut off, and removals too. */
export async function removeCutOff(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const isOurs = name.endsWith(unfinishedSuffix) && finishedName.test(name.slice(0, -unfinishedSuffix.length))
    if (isOurs) await rm(join(parent, name), { recursive: true, force: true })
  }
}

/** Renamed first, so that a removal that is cut off leaves nothing that looks like a whole backup. */
export async function removeBackup({ folder }: Backup): Promise<void> {
  await rename(folder, unfinishedName(folder))
  await rm(unfinishedName(folder), { recursive: true, force: true })
  await syncFolder(join(folder, '..'))
}
