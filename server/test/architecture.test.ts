import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { type Db, openDb } from '../src/platform/db.ts'
import { makeDatabase } from './databases.ts'

/** Each folder may import its own files and folders on lines above it: never beside, never below. */
const order = [
  ['platform'],
  ['work', 'outbox', 'accounts'],
  ['contacts', 'media', 'credits'],
  ['lists', 'messages', 'campaigns'],
  ['knowledge'],
  ['engines'],
  ['intake', 'bot', 'delivery'],
  ['inbox', 'realtime'],
]

/** What is looked up before the account is known, and what knows no accounts. */
const directory = ['accounts', 'users', 'api_keys', 'installation', 'schema_migrations']

const root = resolve(import.meta.dirname, '../..')
const generated = 'server/src/platform/tables.ts'

type Source = { file: string; text: string }

async function readSources(): Promise<Source[]> {
  const sources: Source[] = []
  for await (const file of glob(['contract/**/*.ts', 'server/**/*.ts'], { cwd: root, exclude: ['**/node_modules'] })) {
    sources.push({ file, text: await readFile(join(root, file), 'utf8') })
  }
  return sources
}

/** Every import that points the wrong way, as `file -> imported`. */
function wrongImports(sources: Source[]): string[] {
  return sources
    .filter(({ file }) => !file.startsWith('server/test/'))
    .flatMap(({ file, text }) => importsOf(file, text).map((imported) => ({ file, imported })))
    .filter(({ file, imported }) => !isAllowed(file, imported))
    .map(({ file, imported }) => `${file} -> ${imported}`)
}

/** The files that a file imports, by path from the root; packages are left out. */
function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)]
    .map(([, name = '']) => name.replace(/^@patchbay\/contract\//, `${relative(dirname(file), 'contract')}/`))
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(file), name))
}

function isAllowed(file: string, imported: string): boolean {
  if (file.startsWith('contract/')) return imported.startsWith('contract/')
  if (imported.startsWith('contract/')) return true
  if (imported.startsWith('server/test/')) return false
  if (!file.startsWith('server/src/')) return true // main, commands and scripts put the parts together
  if (!imported.startsWith('server/src/')) return false
  const [from, to] = [folderOf(file), folderOf(imported)]
  if (from === undefined) return true // api.ts sits on top of everything
  if (to === undefined) return false
  if (from === to) return rank(file) >= rank(imported)
  return levelOf(to) < levelOf(from) && rank(imported) < 2
}

function folderOf(file: string): string | undefined {
  const [folder, ...rest] = file.slice('server/src/'.length).split('/')
  return rest.length === 0 ? undefined : folder
}

function levelOf(folder: string): number {
  const level = order.findIndex((line) => line.includes(folder))
  assert.notEqual(level, -1, `server/src/${folder} has no place in the order of folders`)
  return level
}

/** Inside a folder: doors call rules, rules call the store. */
function rank(file: string): number {
  const name = basename(file)
  if (name === 'routes.ts' || name === 'stage.ts') return 2
  return name.endsWith('store.ts') ? 0 : 1
}

test('imports point one way', async () => {
  const sources = await readSources()
  assert.ok(sources.flatMap(({ file, text }) => importsOf(file, text)).length > 100)
  assert.deepEqual(wrongImports(sources), [])
})

test('an import that points the wrong way is seen', () => {
  const wrong: [file: string, imported: string][] = [
    ['server/src/contacts/store.ts', './create.ts'],
    ['server/src/contacts/create.ts', './routes.ts'],
    ['server/src/contacts/create.ts', '../lists/create.ts'],
    ['server/src/contacts/create.ts', '../media/store.ts'],
    ['server/src/platform/db.ts', '../accounts/store.ts'],
    ['server/src/platform/embedded-postgres/socket.ts', '../../contacts/phone.ts'],
    ['server/src/lists/routes.ts', '../contacts/routes.ts'],
    ['server/src/lists/routes.ts', '../api.ts'],
    ['server/src/lists/create.ts', '../../main.ts'],
    ['server/src/api.ts', '../main.ts'],
    ['server/main.ts', './test/harness.ts'],
    ['contract/contacts.ts', '../server/src/platform/ids.ts'],
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
    "import { a } from '../contacts/find.ts'\nimport { b } from '@patchbay/contract/lists.ts'\nimport c from 'pg'"
  assert.deepEqual(wrongImports([{ file: 'server/src/lists/routes.ts', text }]), [])
  assert.throws(() => wrongImports([{ file: 'server/src/misc/a.ts', text }]), /no place/)
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

/** What is due next is asked across all accounts; everything else of a tenant is asked for one. */
const queues = [
  'attachments_due',
  'delivery_attempts_by_age',
  'entry_texts_by_model',
  'idempotency_keys_by_age',
  'unanswered_by_age',
  'turns_due',
]

/** Every key of a tenant's table, an index or a foreign key, that does not begin with the account. */
async function keysOfNoAccount(db: Db): Promise<string[]> {
  const { rows } = await sql<{ table: string; key: string; leads: string | null }>`
    select k.relid::regclass::text as "table", k.key, a.attname as leads
    from (
      select indrelid as relid, indexrelid::regclass::text as key, indkey[0] as first from pg_index
      union all
      select conrelid, conname::text, conkey[1] from pg_constraint where contype = 'f'
      union all
      select oid, 'a primary key', null from pg_class c
      where relkind in ('r', 'p') and not exists (select from pg_index where indrelid = c.oid and indisprimary)
    ) k
    join pg_class c on c.oid = k.relid and c.relnamespace = 'public'::regnamespace
    left join pg_attribute a on a.attrelid = k.relid and a.attnum = k.first
    order by 1, 2
  `.execute(db)
  assert.ok(rows.length > 10)
  return rows
    .filter(({ table, key, leads }) => !directory.includes(table) && !queues.includes(key) && leads !== 'account_id')
    .map(({ table, key }) => `${table}: ${key}`)
}

test("every key of a tenant's table begins with the account", async () => {
  await using database = await makeDatabase()
  const db = openDb(database.address, pino({ enabled: false }), 1)
  try {
    assert.deepEqual(await keysOfNoAccount(db), [])
    await sql`create index contacts_by_name on contacts (first_name, account_id)`.execute(db)
    await sql`create index contacts_by_expression on contacts (lower(first_name))`.execute(db)
    await sql`create table notes (account_id text, owner text references accounts (id))`.execute(db)
    assert.deepEqual(await keysOfNoAccount(db), [
      'contacts: contacts_by_expression',
      'contacts: contacts_by_name',
      'notes: a primary key',
      'notes: notes_owner_fkey',
    ])
  } finally {
    await db.destroy()
  }
})
