import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { readSources, type Source } from '../helpers/sources.ts'

const generated = 'server/src/platform/database/tables.ts'

/** More files than a newcomer reads the names of: then it gets rooms of its own. */
const mostInRoom = 18

test('no room of the product has too many files', async () => {
  const sources = (await readSources()).filter(({ file }) => !file.startsWith('server/test/'))
  const rooms = Map.groupBy(sources, ({ file }) => dirname(file))
  const crowded = [...rooms].filter(([, files]) => files.length > mostInRoom)
  assert.deepEqual(
    crowded.map(([room, { length }]) => `${room} has ${length} files`),
    [],
  )
})

const longest = 250

/** Every file that is too long to be read alone, and every default export. */
function breaches(sources: Source[]): string[] {
  return sources.flatMap(({ file, text }) => [
    ...(text.trimEnd().split('\n').length > longest && file !== generated ? [`${file} is too long`] : []),
    ...(/^export\s+(default\b|\{[^}]*\bas\s+default\b)/m.test(text) ? [`${file} has a default export`] : []),
  ])
}

test('files are short, and export by name only', async () => {
  assert.deepEqual(breaches(await readSources()), [])
})

test('a long file and a default export are seen', () => {
  const file = 'server/src/lists/create.ts'
  const seen = (text: string) => breaches([{ file, text }])
  assert.deepEqual(seen('x\n'.repeat(longest)), [])
  assert.deepEqual(seen('x\n'.repeat(longest + 1)), [`${file} is too long`])
  for (const text of [
    'export default function x() {}',
    'const x = 1\nexport { x as default }',
    'export {\n  x as default\n}',
  ]) {
    assert.deepEqual(seen(text), [`${file} has a default export`])
  }
})
