import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { readSources, type Source } from '../helpers/sources.ts'

const generated = 'server/src/platform/database/tables.ts'

/** A folder with more files is hard to read for a newcomer: split it into subfolders. */
const maxFilesInFolder = 18
/** One file for each subject of the app, all of one form: whoever needs one reads that one. */
const roomy: Record<string, number> = { 'contract/app': 34 }

test('no folder of the product has too many files', async () => {
  const sources = (await readSources()).filter(({ file }) => !file.startsWith('server/test/'))
  const folders = Map.groupBy(sources, ({ file }) => dirname(file))
  const crowded = [...folders].filter(([folder, files]) => files.length > (roomy[folder] ?? maxFilesInFolder))
  assert.deepEqual(
    crowded.map(([folder, { length }]) => `${folder} has ${length} files`),
    [],
  )
})

const maxLines = 250

/** Every file that is too long, and every default export. */
function breaches(sources: Source[]): string[] {
  return sources.flatMap(({ file, text }) => [
    ...(text.trimEnd().split('\n').length > maxLines && file !== generated ? [`${file} is too long`] : []),
    ...(/^export\s+(default\b|\{[^}]*\bas\s+default\b)/m.test(text) ? [`${file} has a default export`] : []),
  ])
}

test('files are short, and export by name only', async () => {
  assert.deepEqual(breaches(await readSources()), [])
})

test('the check finds a long file and a default export', () => {
  const file = 'server/src/people/lists/create.ts'
  const seen = (text: string) => breaches([{ file, text }])
  assert.deepEqual(seen('x\n'.repeat(maxLines)), [])
  assert.deepEqual(seen('x\n'.repeat(maxLines + 1)), [`${file} is too long`])
  for (const text of [
    'export default function x() {}',
    'const x = 1\nexport { x as default }',
    'export {\n  x as default\n}',
  ]) {
    assert.deepEqual(seen(text), [`${file} has a default export`])
  }
})
