import { glob, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

export type Source = { file: string; text: string }

/** Of the server and of what it shares with the app. */
export function readSources(): Promise<Source[]> {
  return readFiles(['contract/**/*.ts', 'server/**/*.ts'])
}

/** Of everything else that is TypeScript: the app, its tests, measurements, demo and operation. */
export function readOuterSources(): Promise<Source[]> {
  return readFiles(['web/**/*.{ts,tsx}', 'lab/**/*.ts', 'demo/**/*.ts', 'ops/**/*.ts'])
}

async function readFiles(patterns: string[]): Promise<Source[]> {
  const sources: Source[] = []
  for await (const file of glob(patterns, { cwd: root, exclude: ['**/node_modules', 'web/dist'] })) {
    sources.push({ file, text: await readFile(join(root, file), 'utf8') })
  }
  return sources
}

/** The files that a file imports, by path from the root; packages are left out. */
export function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)]
    .map(([, name = '']) => name.replace(/^@patchbay\/contract\//, `${relative(dirname(file), 'contract')}/`))
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(file), name))
}
