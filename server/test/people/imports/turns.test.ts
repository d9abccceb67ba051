import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'node:test'
import { sql } from 'kysely'
import { claimImport, type DueImport } from '../../../src/people/imports/due-store.ts'
import { workOnImport } from '../../../src/people/imports/work-on-import.ts'
import { startShop } from '../../helpers/app-contacts.ts'
import { secretKey, sharedApp } from '../../helpers/harness.ts'
import { countsOf, makePeople, readErrors, start, takeTurn, untilImport, upload } from '../../helpers/imports.ts'
import { assertRefused } from '../../helpers/refusals.ts'

/** As a spreadsheet writes them, in which somebody has once touched a cell far to the right. */
const wide = (row: string) => `${row}${','.repeat(60_000)}`

test('blank cells beyond the header are dropped, and a row with others is an error without its cells', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { browser } = await startShop(app)
  const rows = [wide('Ana,+44 7700 900001'), `Bo,+44 7700 900002${','.repeat(50_000)}secret`, 'Cy,+44 7700 900003']
  const id = await upload(browser, ['name,phone', ...rows, ''].join('\n'))
  const { firstRows } = await untilImport(browser, id, 'ready')
  assert.deepEqual(firstRows, [
    ['Ana', '+44 7700 900001'],
    ['Cy', '+44 7700 900003'],
  ])
  const { rows: blocks } = await sql<{ text: string }>`select rows::text as text from import_blocks`.execute(app.db)
  assert.ok(JSON.stringify(blocks).length < 300, JSON.stringify(blocks).slice(0, 500))
  await start(browser, id)
  const { added, failed } = countsOf(await untilImport(browser, id, 'finished'))
  assert.deepEqual([added, failed], [2, 1])
  const [error] = await readErrors(browser, id)
  assert.deepEqual([error?.line, error?.reason], [3, 'This row has 50002 cells, and the header 2 cells.'])
  const { rows: kept } = await sql<{ cells: unknown }>`select cells from import_errors`.execute(app.db)
  assert.deepEqual(kept, [{ cells: [] }])
})

test('imports take turns, also while a file is read, and no block is larger than a statement should take apart', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const { browser: neighbour } = await startShop(app)
  const long = 'x'.repeat(30_000)
  const people = Array.from({ length: 60 }, (_, n) => `${long}${n},+44 7700 ${100_000 + n}`)
  const file = ['notes,phone', ...people, wide('y,+44 7700 200000'), ''].join('\n')
  const id = await upload(browser, file, 120_000)
  const small = await upload(neighbour, makePeople(10))
  const turns: string[] = []
  for (let job = await takeTurn(app); job; job = await takeTurn(app)) turns.push(job.importId)
  const order = turns[0] === id ? [id, small] : [small, id] // neither was served before
  assert.deepEqual(turns.slice(0, 4), [...order, ...order], 'they take turns')
  const [read, beside] = [await untilImport(browser, id, 'ready'), await untilImport(neighbour, small, 'ready')]
  assert.deepEqual([read.rows, read.wrong, beside.rows, beside.wrong], [61, 0, 10, 0])
  const { rows: blocks } = await sql<{ n: number; bytes: number; from: number }>`
    select jsonb_array_length(rows) as n, length(rows::text) as bytes, from_row as "from" from import_blocks
    where import_id = ${id} order by from_row
  `.execute(app.db)
  assert.ok(Math.max(...blocks.map(({ bytes }) => bytes)) < 400_000)
  const ends = blocks.map(({ n, from }) => n + from)
  assert.deepEqual(
    blocks.map(({ from }) => from),
    [0, ...ends.slice(0, -1)],
    'every row once',
  )
  assert.equal(ends.at(-1), 61)
})

test('a claim leases one import, also where PostgreSQL knows of no more than one', async () => {
  await using app = await sharedApp()
  await upload((await startShop(app)).browser, makePeople(3))
  await sql`vacuum analyze imports`.execute(app.db)
  for (let n = 1; n <= 3; n += 1) await upload((await startShop(app)).browser, makePeople(3))
  assert.equal((await claimImport(app.db, 'one')).length, 1)
  const leased = await sql`select from imports where leased_until > now()`.execute(app.db)
  assert.equal(leased.rows.length, 1)
})

test('a row of quoted line breaks and commas alone is refused in its first turn, and stops neither others nor the process', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const { browser: neighbour } = await startShop(app)
  const id = await upload(browser, `a,b,c\n${`"\n"${','.repeat(100_000)}`.repeat(40)}`, 120_000)
  const small = await upload(neighbour, makePeople(10))
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  await takeTurn(app, 20_000)
  delay.disable()
  assert.ok(delay.max < 500e6, `the process stood still for ${delay.max / 1e6} ms`)
  assert.match(String((await untilImport(browser, id, 'refused')).refusal), /^Line 2: .* more than 64 KiB/)
  for (let job = await takeTurn(app); job; job = await takeTurn(app)) assert.equal(job.importId, small)
  assert.equal((await untilImport(neighbour, small, 'ready')).rows, 10)
})

test('a process that dies while it reads costs one turn; a file that fails each time is refused, and can be seen so', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const id = await upload(browser, makePeople(2_000), 20_000)
  const moveOn = () => sql`update imports set leased_until = '-infinity'`.execute(app.db)
  await takeTurn(app)
  await claimImport(app.db, 'dies')
  await moveOn()
  for (let job = await takeTurn(app); job; job = await takeTurn(app)) assert.ok(job.attempts <= 2)
  const { rows, wrong } = await untilImport(browser, id, 'ready')
  assert.deepEqual([rows, wrong], [2_000, 0])

  const second = await upload(browser, makePeople(10))
  await sql`alter table import_blocks add constraint fails check (import_id <> ${sql.lit(second)})`.execute(app.db)
  for (let n = 1; n <= 8; n += 1, await moveOn()) {
    await assert.rejects(takeTurn(app), /fails/)
    const { rows: waits } = await sql<{ s: number }>`
      select round(extract(epoch from leased_until - now()))::integer as s from imports where id = ${second}
    `.execute(app.db)
    assert.ok(Math.abs((waits[0]?.s ?? 0) - 10 * n) <= 5, 'the next attempt waits longer each time')
  }
  await takeTurn(app)
  const { state, refusal } = await untilImport(browser, second, 'refused')
  assert.deepEqual([state, refusal], ['refused', refusedAs])
  const { rows: left } = await sql`select from import_parts where import_id = ${second}`.execute(app.db)
  assert.equal(left.length, 0)
})

const refusedAs = 'The file could not be read: it was tried 8 times, and failed. Divide the file, and import its parts.'

test('a discard wins against a file that is being read, and nothing of it is left', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const id = await upload(browser, makePeople(2_000), 20_000)
  await takeTurn(app)
  const [job] = await claimImport(app.db, 'reads')
  assert.equal((await browser.call('DELETE', `/api/imports/${id}`)).status, 200)
  const ctx = { db: app.db, secretKey, hint: () => {}, pause: async () => {} }
  await workOnImport({ ...ctx, stopping: new AbortController().signal }, job as DueImport)
  for (const table of ['imports', 'import_parts', 'import_blocks']) {
    const { rows } = await sql`select from ${sql.table(table)}`.execute(app.db)
    assert.equal(rows.length, 0, table)
  }
})

test('an import that was given up after its start is over like one that was stopped', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const id = await upload(browser, makePeople(10))
  for (let job = await takeTurn(app); job; ) job = await takeTurn(app)
  await start(browser, id)
  await sql`update imports set attempts = 8 where id = ${id}`.execute(app.db)
  await takeTurn(app)
  assert.equal((await untilImport(browser, id, 'refused')).done, 0)
  const stopped = await browser.call('POST', `/api/imports/${id}/stop`)
  assert.deepEqual([stopped.status, stopped.body.state], [200, 'refused'])
  assertRefused(await browser.call('DELETE', `/api/imports/${id}`), 'CONFLICT', { says: /is over/ })
})
