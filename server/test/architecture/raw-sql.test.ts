import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { literalsIn } from '../helpers/literals.ts'
import { namesTenantTable, tablesWithoutAccount } from '../helpers/raw-sql.ts'
import { readSources, type Source } from '../helpers/sources.ts'
import { reviewed } from './reviewed-sql.ts'

type Statement = { file: string; line: number; text: string; isAccountFirst: boolean }

/** Every piece of SQL in the product that names a table with rows of many accounts, wherever it is put together. */
function statementsIn(sources: Source[]): Statement[] {
  return sources
    .filter(({ file }) => file.startsWith('server/') && !/^server\/(test|scripts)\//.test(file))
    .flatMap(({ file, text }) => {
      const isAccountFirst = /\[\s*accountId\b/.test(text) // in the list of parameters
      return literalsIn(text).map((literal) => ({ file, ...literal, isAccountFirst }))
    })
    .filter(({ text }) => namesTenantTable(text))
}

const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ')

/** How the list names a statement: a digest of all of it, and its first words for the reader. */
function keyOf({ text }: Statement): string {
  const digest = createHash('sha256').update(oneLine(text)).digest('hex').slice(0, 8)
  return `${digest} ${oneLine(text).replaceAll('${', '{').slice(0, 60)}`.trim()
}

/** What is wrong with a list of statements and its review, each as a sentence that says what to do. */
function complaints(statements: Statement[], list: typeof reviewed): string[] {
  const open = statements.filter((one) => tablesWithoutAccount(one.text, one).length > 0)
  const listed = list.flatMap(({ file, statements }) => statements.map((key) => `${file}: ${key}`))
  const found = open.map((one) => `${one.file}: ${keyOf(one)}`)
  return [
    ...open.filter((_, n) => !listed.includes(found[n] ?? '')).map(complaint),
    ...listed
      .filter((one) => !found.includes(one))
      .map((one) => `reviewed-sql.ts lists what is gone or changed: ${one}`),
  ]
}

function complaint(statement: Statement): string {
  const { file, line, text } = statement
  const tables = new Set(tablesWithoutAccount(text, statement))
  return [
    `${file}:${line} reads or writes ${[...tables].join(', ')} without saying of which account.`,
    'Add a condition on account_id. If it must go across accounts, or says the account in a way that this check cannot',
    `read, have it reviewed and list it in reviewed-sql.ts with the reason: ${keyOf(statement)}`,
  ].join(' ')
}

test('raw SQL names the account in every table with rows of many, or is on the reviewed list', async () => {
  const statements = statementsIn(await readSources())
  assert.ok(statements.length > 80, 'the statements of the product are found')
  assert.deepEqual(complaints(statements, reviewed), [])
})

test('the check finds raw SQL without the account, however it is written', () => {
  const open = [
    'select id from contacts',
    'select id from contacts as c where c.id = :id',
    'select id from contacts where account_id = :id',
    'select id from contacts where account_id <> :accountId',
    'select id from contacts where account_id = :accountId or id = :id',
    'select id from contacts where (account_id = :accountId or id = :id) and true',
    'select id from contacts -- where account_id = :accountId',
    "select id from contacts where name = 'account_id = :accountId'",
    'select from lists l join contacts c on c.id = l.id where l.account_id = :accountId',
    'select from lists l, contacts c where l.account_id = :accountId',
    'select from lists l join contacts c on c.account_id = l.account_id',
    'select from lists where account_id = :accountId and exists (select from contacts where id = :id)',
    'select from lists where account_id = :accountId union all select from contacts',
    'with x as (select id from contacts) select from lists where account_id = :accountId',
    'update contacts set phone = null where id = :id',
    'update lists l set name = c.phone from contacts c where l.account_id = :accountId',
    'delete from contacts where id = any (:ids)',
    'insert into lists (id, name) values (:id, :name)',
    'insert into users (account_id, email) values (:accountId, :email) on conflict (email) do update set email = null',
    'select from accounts where kind = :kind',
    'select id from contacts where account_id = $1',
    'select from :table',
  ]
  for (const text of open) {
    assert.equal(complaints(statementsIn([sourceOf(text)]), []).length, 1, text)
  }
  const named = [
    'select id from contacts where account_id = :accountId and (id = :id or phone = :phone)',
    'select from lists l join contacts c on c.account_id = l.account_id where l.account_id = :accountId',
    'select from json_to_recordset($1) as g ("accountId" text) join contacts c on c.account_id = g."accountId"',
    'insert into lists as l (account_id, id) select :accountId, id from x on conflict (account_id, id) do update set id = l.id',
    'select from accounts where id = :accountId',
    'select from installation',
  ]
  for (const text of named) {
    assert.deepEqual(complaints(statementsIn([sourceOf(text)]), []), [], text)
  }
})

/** A file with this statement, in which `:name` is an expression. */
function sourceOf(text: string): Source {
  const statement = text.replace(/:(\w+)/g, (_, name) => `\${${name}}`)
  return { file: 'server/src/x/store.ts', text: `const x = sql\`${statement}\`` }
}

test('a reviewed statement that is changed must be reviewed again', () => {
  const statement = (text: string): Statement => ({
    file: 'server/src/x/store.ts',
    line: 1,
    text,
    isAccountFirst: false,
  })
  const before = statement('select id from contacts limit 1')
  const entry = { file: before.file, reason: 'for a test', statements: [keyOf(before)] }
  assert.deepEqual(complaints([before], [entry]), [])
  assert.equal(complaints([statement('select id from contacts limit 2')], [entry]).length, 2)
  assert.equal(complaints([], [entry]).length, 1)
})

/**
 * PostgreSQL may run such a subquery once for each row of the table, where it takes the table for small, and each time it
 * locks the next row: more is claimed than the limit says. `= any (array(…))` is run once.
 */
const mayRunAgain = /\bin\s*\(\s*select\b[^;]*?\blimit\b[^()]*\bfor (?:no key )?update\b/

test('no statement claims rows by a subquery that may run more than once', async () => {
  const statements = statementsIn((await readSources()).filter(({ file }) => file.startsWith('server/src/')))
  assert.deepEqual(
    statements.filter(({ text }) => mayRunAgain.test(text)).map(({ file, line }) => `${file}:${line}`),
    [],
  )
  assert.match(
    'update a set b = 1 where ctid in (select ctid from a order by c limit 1 for update skip locked)',
    mayRunAgain,
  )
  assert.doesNotMatch('update a set b = 1 where ctid = any (array(select ctid from a limit 1 for update))', mayRunAgain)
})

test('every query across accounts says why', async () => {
  const uses = (await readSources())
    .filter(({ file }) => /^server\/(src|commands|[^/]+$)/.test(file) && !file.startsWith(checkItself))
    .flatMap(({ file, text }) => usesWithoutReason(text).map((line) => `${file}:${line}`))
  assert.deepEqual(uses, [], 'write a comment above it that begins with or contains "across accounts"')
})

const checkItself = 'server/src/platform/database/'

/** The lines that use `acrossAccounts` without a comment in the lines just above it that says why. */
function usesWithoutReason(text: string): number[] {
  const lines = text.split('\n')
  return [...lines.entries()]
    .filter(
      ([n, line]) =>
        line.includes('acrossAccounts(') && !/across accounts/i.test(lines.slice(Math.max(0, n - 4), n).join(' ')),
    )
    .map(([n]) => n + 1)
}
