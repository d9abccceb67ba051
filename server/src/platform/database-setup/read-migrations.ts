import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../../../migrations')

export type Migration = {
  version: number
  name: string
  file: string
  text: string
  /** Whether servers of the version before can run on the schema that it leaves. */
  runsBeside: boolean
}

let known: Promise<Migration[]> | undefined

/** All migrations of this code, in order: read once, so that files added to the folder later have no effect. */
export async function readMigrations(): Promise<Migration[]> {
  known ??= readFolder()
  return known
}

async function readFolder(): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(files.map(readMigration))
}

async function readMigration(file: string): Promise<Migration> {
  const text = await readFile(join(folder, file), 'utf8')
  // A migration without the declaration counts as incompatible.
  const runsBeside = declaration.exec(text)?.[1] === 'yes'
  return { version: Number(file.slice(0, 4)), name: file.slice(5, -4), file, text, runsBeside }
}

/** The first line of a migration. */
export const declaration = /^-- Runs beside servers of the version before: (yes|no)\b/

/** The schema version of this code. */
export async function knownVersion(): Promise<number> {
  return (await readMigrations()).at(-1)?.version ?? 0
}
