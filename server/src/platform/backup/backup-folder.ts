import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { syncFolder } from '../files.ts'

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
  /** The size of the files in it, without compression. */
  databaseBytes: number
  /** The size of the archive as it is on disk. */
  sizeBytes: number
  sha256: string
  hasSecretKey: boolean
}

export const factsFile = 'backup.json'
export const keyFile = 'secret.key'
const unfinishedSuffix = '.unfinished'

export type Backup = { folder: string; facts: BackupFacts }

/** Writes the time as `2026-11-16T120000Z`, which sorts by time, and is a name on every file system. */
export function backupName(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(':', '')}Z`
}

const finishedName = /^\d{4}-\d\d-\d\dT\d{6}Z$/

export function unfinishedName(name: string): string {
  return `${name}${unfinishedSuffix}`
}

/** The backup in this folder; undefined when it is none, or not a whole one, or what it says of itself is damaged. */
export async function readBackup(folder: string): Promise<Backup | undefined> {
  const text = await readFile(join(folder, factsFile), 'utf8').catch(() => undefined)
  if (text === undefined || folder.endsWith(unfinishedSuffix)) return undefined
  const facts = readFacts(text)
  return facts && { folder, facts }
}

function readFacts(text: string): BackupFacts | undefined {
  try {
    const facts: BackupFacts | null = JSON.parse(text)
    return facts?.format === 1 ? facts : undefined
  } catch {
    return undefined
  }
}

/** The folders below one that are named as backups are, oldest first. */
export async function listFolders(parent: string): Promise<string[]> {
  const names = (await readdir(parent)).filter((name) => finishedName.test(name)).sort()
  return names.map((name) => join(parent, name))
}

/** All whole backups below a folder, oldest first. */
export async function listBackups(parent: string): Promise<Backup[]> {
  const found = await Promise.all((await listFolders(parent)).map(readBackup))
  return found.filter((backup) => backup !== undefined)
}

export function isNamedAsBackup(folder: string): boolean {
  return finishedName.test(basename(folder))
}

/** Removes what backups left that were cut off, and removals too. */
export async function removeCutOff(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const isOurs = name.endsWith(unfinishedSuffix) && finishedName.test(name.slice(0, -unfinishedSuffix.length))
    if (isOurs) await rm(join(parent, name), { recursive: true, force: true })
  }
}

/** Renames it first, so that a removal that is cut off leaves nothing that looks like a whole backup. */
export async function removeBackup({ folder }: Backup): Promise<void> {
  await rename(folder, unfinishedName(folder))
  await rm(unfinishedName(folder), { recursive: true, force: true })
  await syncFolder(join(folder, '..'))
}
