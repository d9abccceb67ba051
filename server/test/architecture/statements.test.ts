import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pool } from 'pg'
import { storesWithStatements } from '../../scripts/describe-statements.ts'
import { makeDatabase } from '../helpers/databases.ts'
import { importsOf, readSources, type Source } from '../helpers/sources.ts'

const helper = 'server/src/platform/database/prepared.ts'
/** Names statements by their texts, of all stores: they are written out where they are built. */
const namesByText = 'server/src/platform/database/planned-db.ts'

/** What is wrong with how the product runs statements by name, each as a sentence that says what to do. */
function complaints(sources: Source[], listed: string[]): string[] {
  const product = sources.filter(
    ({ file }) =>
      file.startsWith('server/') && !/^server\/(test|scripts)\//.test(file) && file !== helper && file !== namesByText,
  )
  const stores = product.filter(({ file, text }) => importsOf(file, text).includes(helper))
  const known = stores.map(({ file }) => file)
  return [
    ...product
      .filter(({ text }) => makesNamedQuery(text))
      .map(({ file }) => `${file} makes a query with a name itself: use prepared()`),
    ...stores
      .filter(({ text }) => !/^export const statements = \{/m.test(text) || callsWithOthers(text))
      .map(({ file }) => `${file} must give prepared() its own exported \`statements\``),
    ...known.filter((file) => !listed.includes(file)).map((file) => `${file} is not listed in describe-statements.ts`),
    ...listed.filter((file) => !known.includes(file)).map((file) => `${file} runs nothing by name any more`),
  ]
}

/** An object with a name and a text, in either order, as the driver takes it, in a file that queries by the driver. */
function makesNamedQuery(text: string): boolean {
  return (
    /\.query\b|\bQueryConfig\b/.test(text) &&
    /\{(?=[^{}]*(?<=[{,]\s*)name\s*[:,}])[^{}]*(?<=[{,]\s*)text\s*[:,}]/.test(text)
  )
}

/** Whether `prepared` is used in another way than to call it with `statements`. */
function callsWithOthers(text: string): boolean {
  const code = text.replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '')
  const uses = code.match(/\bprepared\b(?!\.ts)/g)?.length ?? 0
  const calls = code.match(/\bprepared\(statements,/g)?.length ?? 0
  return uses !== calls + 1 // its import
}

test('a statement that is run by name is one of the exported statements of its store, which server/sql has', async () => {
  assert.deepEqual(complaints(await readSources(), Object.keys(storesWithStatements)), [])
})

test('the check finds a statement that is run by name and not written out', () => {
  const file = 'server/src/x/store.ts'
  const imported = `import { prepared } from '../platform/database/prepared.ts'\n`
  const exported = 'export const statements = { x }\n'
  const run = (call: string) => `${imported}pool.query(${call})\n${exported}`
  const found = (text: string, listed = [file]) => complaints([{ file, text }], listed).length
  assert.equal(found(run(`prepared(statements, 'x')`)), 0)
  assert.equal(found(run(`prepared(statements, 'x')`), []), 1)
  assert.equal(found(run(`prepared(others, 'x')`)), 1)
  assert.equal(found(run(`prepared({ x: 'select' }, 'x')`)), 1)
  assert.equal(found(`const named = prepared\n${run(`prepared(statements, 'x')`)}`), 1)
  assert.equal(found(run(`prepared(statements, 'x')`).replace('export ', '')), 1)
  assert.equal(found('select'), 1)
  for (const query of [
    `{ name: 'x', text: statements.x, values: [{ a }] }`,
    `{ text: 'select', name }`,
    `{\n  values,\n  name,\n  text,\n}`,
  ]) {
    assert.equal(found(`pool.query(${query})`, []), 1, query)
    assert.equal(found(`const query: QueryConfig = ${query}`, []), 1, query)
  }
})

test('a test that runs a statement by name fails, unless server/sql has it with this text', async (t) => {
  await using database = await makeDatabase()
  const pool = new Pool(database.address)
  const words = t.mock.method(process.stderr, 'write', () => true)
  async function fails(name: string, text: string): Promise<boolean> {
    const before = process.exitCode
    await assert.rejects(pool.query({ name, text }), new RegExp(`^Error: the statement ${name} is run `))
    const after = process.exitCode
    process.exitCode = before
    return before !== 1 && after === 1
  }
  const known = storesWithStatements['server/src/journey/intake/removal-store.ts']?.['find-removing'] ?? ''
  assert.deepEqual((await pool.query({ name: 'find-removing', text: known })).rows, [])
  assert.ok(await fails('find-keys', known))
  assert.ok(await fails('find-nothing', 'select 1'))
  assert.equal(words.mock.callCount(), 2)
  await pool.end()
})
