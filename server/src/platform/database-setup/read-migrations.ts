import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../../../migrations')

export type Migration = {
  version: number
  name: string
  file: string
  text: string
  /** Whether servers that know nothing of it can go on working on the schema that it leaves. */
  runsBeside: boolean
}

let known: Promise<Migration[]> | undefined

/** All migrations that this code knows, in order: as it was when it started, whatever is put into its folder since. */
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
  // One that does not say so is taken for one that cannot.
  const runsBeside = declaration.exec(text)?.[1] === 'yes'
  return { version: Number(file.slice(0, 4)), name: file.slice(5, -4), file, text, runsBeside }
}

/** What a migration says of itself in its first line. */
export const declaration = /^-- Runs beside servers of the version before: (yes|no)\b/

/** The version of the schema that this code works on. */
export async function knownVersion(): Promise<number> {
  return (await readMigrations()).at(-1)?.version ?? 0
}
