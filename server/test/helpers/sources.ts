import { glob, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

export type Source = { file: string; text: string }

export async function readSources(): Promise<Source[]> {
  const sources: Source[] = []
  for await (const file of glob(['contract/**/*.ts', 'server/**/*.ts'], { cwd: root, exclude: ['**/node_modules'] })) {
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
