import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../../src/platform/config/config.ts'

const root = resolve(import.meta.dirname, '../../../..')

/** Every name that the configuration asks its environment for. */
function settingNames(): Set<string> {
  const names = new Set<string>()
  const environment: Record<string, string | undefined> = {}
  readConfig(new Proxy(environment, { get: (_, name) => void names.add(String(name)) }))
  return names
}

/** Of others: the shell, Node, and the images of PostgreSQL and Caddy. */
const ofOthers = /^(PATH|NODE_COMPILE_CACHE|POSTGRES_\w+|PGDATA|SITE_ADDRESS)$/

/** Names that a file sets for a process, as its format writes it. */
const formats: Record<string, RegExp> = {
  Dockerfile: /^(?:ENV| {3}) ([A-Z][A-Z0-9_]*)=/gm,
  'ops/compose/*.yaml': /^ +([A-Z][A-Z0-9_]*): /gm,
  'ops/systemd/*.service': /(?:^#?Environment=|(?<=^#?Environment=.*) )([A-Z][A-Z0-9_]*)=/gm,
}

for (const [pattern, written] of Object.entries(formats)) {
  test(`every setting in ${pattern} is one that Patchbay reads`, () => {
    const known = settingNames()
    for (const file of filesOf(pattern)) {
      const names = [...readFileSync(join(root, file), 'utf8').matchAll(written)].map(([, name = '']) => name)
      assert.ok(names.length > 0, `${file} sets nothing`)
      const unknown = names.filter((name) => !known.has(name) && !ofOthers.test(name))
      assert.deepEqual(unknown, [], file)
    }
  })
}

test('every setting is described in docs/operations.md', () => {
  const text = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  assert.deepEqual(
    [...settingNames()].filter((name) => !text.includes(`\`${name}\``)),
    [],
  )
})

function filesOf(pattern: string): string[] {
  const files = globSync(pattern, { cwd: root })
  assert.ok(files.length > 0, `there is no ${pattern}`)
  return files
}
