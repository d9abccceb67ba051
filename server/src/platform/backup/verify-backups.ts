import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isFileError } from '../files.ts'
import { OperatorError } from '../operator-error.ts'
import {
  type Backup,
  type BackupFacts,
  factsFile,
  isNamedAsBackup,
  keyFile,
  listBackups,
  listFolders,
  readBackup,
} from './backup-folder.ts'
import { missingAs, readBase } from './read-base.ts'

/** What was found: how much was read, or what is wrong. `facts` is null where the backup does not say them. */
export type Verification = {
  folder: string
  facts: BackupFacts | null
  files: number
  bytes: number
  problem: string | null
}

/** The backup itself, or all whole ones of a folder of backups, oldest first. */
export async function findBackups(from: string): Promise<Backup[]> {
  const single = await readBackup(from)
  const all = single ? [single] : await listBackups(from).catch(noneIfMissing(from))
  if (all.length > 0) return all
  throw noBackup(from)
}

/** The folders of `findBackups`, and those that are named as backups and do not say what they are. */
export async function findFolders(from: string): Promise<string[]> {
  if (await readBackup(from)) return [from]
  const itself = isNamedAsBackup(from) ? [from] : []
  const all = await listFolders(from).then((below) => [...itself, ...below], noneIfMissing(from))
  if (all.length > 0) return all
  throw noBackup(from)
}

function noBackup(from: string): OperatorError {
  return new OperatorError(
    `There is no whole backup in ${from}; give a folder that \`patchbay backup\` has made, or the one it was given.`,
  )
}

/** A folder that cannot be read may have backups in it. */
function noneIfMissing(from: string): (error: unknown) => never[] {
  return (cause) => {
    if (!isFileError(cause)) throw cause
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return []
    throw new OperatorError(`${from} cannot be read (${cause.code}); run the command as the user that made it.`, {
      cause,
    })
  }
}

/** Reads all of a backup, as a restore would, and writes nothing. */
export async function verifyBackup(folder: string): Promise<Verification> {
  const backup = await readBackup(folder)
  if (!backup) return { folder, facts: null, files: 0, bytes: 0, problem: `${factsFile} is missing or damaged` }
  const { facts } = backup
  try {
    const { files, bytes } = await readBase(folder, { sha256: facts.sha256 })
    await checkKeyFile(backup)
    return { folder, facts, files, bytes, problem: null }
  } catch (error) {
    return { folder, facts, files: 0, bytes: 0, problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Throws when the backup should have the secret key in it and has not. */
export async function checkKeyFile({ folder, facts }: Backup): Promise<void> {
  if (!facts.hasSecretKey) return
  const key = await readFile(join(folder, keyFile), 'utf8').catch(missingAs(keyFile))
  if (key.trim() === '') throw new Error(`${keyFile} is empty`)
}
