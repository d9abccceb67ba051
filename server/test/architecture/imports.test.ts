import assert from 'node:assert/strict'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { groups } from '../../scripts/rooms.ts'
import { importsOf, readOuterSources, readSources, type Source } from '../helpers/sources.ts'

/** Every import that points the wrong way, as `file -> imported`. */
function wrongImports(sources: Source[]): string[] {
  return sources
    .filter(({ file }) => !file.startsWith('server/test/'))
    .flatMap(({ file, text }) => importsOf(file, text).map((imported) => ({ file, imported })))
    .filter(({ file, imported }) => !isAllowed(file, imported))
    .map(({ file, imported }) => `${file} -> ${imported}`)
}

function isAllowed(file: string, imported: string): boolean {
  if (file.startsWith('contract/')) return imported.startsWith('contract/')
  if (imported.startsWith('contract/')) return true
  if (imported.startsWith('server/test/')) return false
  if (!file.startsWith('server/src/')) return true // main, commands and scripts are composition roots
  if (!imported.startsWith('server/src/')) return false
  const [from, to] = [placeOf(file), placeOf(imported)]
  if (from.group === undefined) return true // api-handlers.ts, app-handlers.ts and worker.ts may import everything
  if (to.group === undefined) return false
  const isSameRoom = from.group === to.group && from.room === to.room
  if (isSameRoom) return rank(file) >= rank(imported)
  return isAbove(to, from) && rank(imported) < 2
}

type Place = { group: string | undefined; room: string | undefined }

/** `server/src/people/contacts/find.ts` is in the room `contacts` of the group `people`; a group's own files have none. */
function placeOf(file: string): Place {
  const [group, room] = file.slice('server/src/'.length).split('/').slice(0, -1)
  return { group, room }
}

/** A group's own files, such as those of `outbox`, are above all of its rooms. */
function isAbove(to: Place, from: Place): boolean {
  if (to.group !== from.group) return levelOf(to.group) < levelOf(from.group)
  if (to.room === undefined || from.room === undefined) return to.room === undefined
  return lineOf(to) < lineOf(from)
}

function levelOf(group: string | undefined): number {
  const level = groups.findIndex(({ name }) => name === group)
  assert.notEqual(level, -1, `${group} is not in the order of groups`)
  return level
}

function lineOf({ group, room = '' }: Place): number {
  const line = groups[levelOf(group)]?.rooms.findIndex((rooms) => rooms.includes(room)) ?? -1
  assert.notEqual(line, -1, `${group}/${room} is not in the order of rooms`)
  return line
}

/** Inside a folder: handlers and stages call operations, operations call the store. */
function rank(file: string): number {
  const name = basename(file)
  if (name.endsWith('-handlers.ts') || name === 'stage.ts') return 2
  if (name === 'receivers.ts') return -1 // names that stores need too
  return name.endsWith('store.ts') ? 0 : 1
}

test('imports point one way', async () => {
  const sources = await readSources()
  assert.ok(sources.flatMap(({ file, text }) => importsOf(file, text)).length > 100)
  assert.deepEqual(wrongImports(sources), [])
})

test('the check finds an import that points the wrong way', () => {
  const wrong: [file: string, imported: string][] = [
    ['server/src/people/contacts/store.ts', './create.ts'],
    ['server/src/people/contacts/create.ts', './api-handlers.ts'],
    ['server/src/people/contacts/create.ts', '../lists/change.ts'],
    ['server/src/people/contacts/create.ts', '../../journey/media/store.ts'],
    ['server/src/journey/media/fetch.ts', '../messages/store.ts'],
    ['server/src/outbox/receivers.ts', '../business/accounts/store.ts'],
    ['server/src/platform/database/db.ts', '../../business/accounts/store.ts'],
    ['server/src/platform/embedded-postgres/embedded-postgres.ts', '../../people/contacts/phone.ts'],
    ['server/src/platform/database/db.ts', '../config/config.ts'],
    ['server/src/platform/database/db.ts', '../outbound/client.ts'],
    ['server/src/platform/log.ts', './text/email.ts'],
    ['server/src/people/lists/api-handlers.ts', '../contacts/app-handlers.ts'],
    ['server/src/people/lists/api-handlers.ts', '../../api-handlers.ts'],
    ['server/src/people/lists/change.ts', '../../../main.ts'],
    ['server/src/worker.ts', '../main.ts'],
    ['server/main.ts', './test/harness.ts'],
    ['contract/api/contacts.ts', '../../server/src/platform/ids.ts'],
  ]
  for (const [file, imported] of wrong) {
    for (const text of [
      `import { x } from '${imported}'`,
      `import type {\n  X,\n} from '${imported}'`,
      `export { x } from '${imported}'`,
      `const { x } = await import('${imported}')`,
      `import '${imported}'`,
    ]) {
      assert.deepEqual(wrongImports([{ file, text }]), [`${file} -> ${join(dirname(file), imported)}`])
    }
  }
  const text =
    "import { a } from '../contacts/find.ts'\nimport { b } from '@patchbay/contract/api/lists.ts'\nimport c from 'pg'"
  assert.deepEqual(wrongImports([{ file: 'server/src/people/lists/api-handlers.ts', text }]), [])
  assert.throws(() => wrongImports([{ file: 'server/src/misc/a.ts', text }]), /not in the order of groups/)
  assert.throws(() => wrongImports([{ file: 'server/src/people/misc/a.ts', text }]), /not in the order of rooms/)
})

/** Import cycles, each as the names of its members; type imports count too. */
function cycles(imports: Map<string, Iterable<string>>): string[][] {
  const found: string[][] = []
  const path: string[] = []
  const done = new Set<string>()
  function follow(name: string): void {
    const begin = path.indexOf(name)
    if (begin >= 0) found.push(path.slice(begin))
    if (begin >= 0 || done.has(name)) return
    path.push(name)
    for (const imported of imports.get(name) ?? []) follow(imported)
    path.pop()
    done.add(name)
  }
  for (const name of imports.keys()) follow(name)
  return found
}

const importsByFile = (sources: Source[]) => new Map(sources.map(({ file, text }) => [file, importsOf(file, text)]))

/** Imports by folder, without its subfolders. The entry point of the process is left out. */
function importsByFolder(sources: Source[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  for (const { file, text } of sources) {
    if (file === 'server/cli.ts') continue
    const folder = folders.getOrInsertComputed(dirname(file), () => new Set())
    for (const imported of importsOf(file, text).map(dirname)) if (imported !== dirname(file)) folder.add(imported)
  }
  return folders
}

test('no file and no folder is in an import cycle, not even for a type', async () => {
  const sources = await readSources()
  assert.deepEqual(cycles(importsByFile(sources)), [])
  assert.deepEqual(cycles(importsByFolder(sources)), [])
})

test('no file outside of the server is in an import cycle, not even for a type', async () => {
  const sources = await readOuterSources()
  assert.ok(
    ['web/src/', 'web/test/', 'lab/soak/', 'demo/'].every((begin) =>
      sources.some(({ file }) => file.startsWith(begin)),
    ),
  )
  assert.deepEqual(cycles(importsByFile(sources)), [])
})

const schemas = 'contract/schema.ts'

/** Files of the app that load schemas, by way of the contract. Types are gone when they run. */
function loadsSchemas(app: Source[], contract: Source[]): string[] {
  const loaded = ({ file, text }: Source) =>
    importsOf(file, text.replace(/^(import|export) type [^']*'[^']+'/gm, '')).filter((one) =>
      one.startsWith('contract/'),
    )
  const imports = new Map(contract.map((one) => [one.file, loaded(one)]))
  const reach = (file: string): boolean => file === schemas || (imports.get(file) ?? []).some(reach)
  return app.flatMap((one) =>
    loaded(one)
      .filter(reach)
      .map((imported) => `${one.file} -> ${imported}`),
  )
}

test('the app loads no schema: what it takes of the contract besides types are plain values, in files without schemas', async () => {
  const contract = (await readSources()).filter(({ file }) => file.startsWith('contract/'))
  const app = (await readOuterSources()).filter(({ file }) => /^web\/(src|chat)\//.test(file))
  assert.ok(app.length > 100)
  assert.deepEqual(loadsSchemas(app, contract), [])
  const file = 'web/src/inbox/a.ts'
  const text = "import { routes } from '@patchbay/contract/app/channels.ts'"
  assert.equal(loadsSchemas([{ file, text }], contract).length, 1)
  assert.equal(loadsSchemas([{ file, text: text.replace('import', 'import type') }], contract).length, 0)
})

test('the check finds import cycles of files and of folders', () => {
  const sources = [
    { file: 'server/src/a/one.ts', text: "import type { Two } from './two.ts'" },
    { file: 'server/src/a/two.ts', text: "import type { One } from './one.ts'\nimport { x } from '../b/three.ts'" },
    { file: 'server/src/b/three.ts', text: "import { y } from '../a/four.ts'" },
    { file: 'server/src/a/four.ts', text: '' },
  ]
  assert.deepEqual(cycles(importsByFile(sources)), [['server/src/a/one.ts', 'server/src/a/two.ts']])
  assert.deepEqual(cycles(importsByFolder(sources)), [['server/src/a', 'server/src/b']])
})
