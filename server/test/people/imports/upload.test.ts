import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@patchbay/contract/limits.ts'
import { sql } from 'kysely'
import { pruneImports } from '../../../src/people/imports/due-store.ts'
import { startShop } from '../../helpers/app-contacts.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { makePeople, readErrors, untilImport, upload } from '../../helpers/imports.ts'

const begin = { fileName: 'people.csv', encoding: 'UTF-8' }

test('a part may be sent again, another one under its number is refused, and the file is read once', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { browser } = await startShop(app)
  const { body: made } = await browser.call('POST', '/api/imports', begin)
  const put = (n: number, part: string) => browser.call('PUT', `/api/imports/${made.id}/parts/${n}`, { part })
  assert.equal((await put(1, 'x')).body.error.message, 'Part 0 is the next; this is part 1.')
  assert.equal((await put(0, 'phone\n+4477')).status, 200)
  assert.equal((await put(0, 'phone\n+4477')).status, 200)
  assert.equal((await put(0, 'phone\n+4478')).status, 409)
  assert.equal((await put(1, '00900077\n')).status, 200)
  const read = (parts: number) => browser.call('POST', `/api/imports/${made.id}/read`, { parts })
  assert.equal((await read(3)).body.error.message, '2 parts of the file are here, not 3.')
  assert.equal((await read(2)).status, 200)
  assert.equal((await read(2)).status, 200)
  const { rows, firstRows } = await untilImport(browser, made.id, 'ready')
  assert.deepEqual([rows, firstRows], [1, [['+447700900077']]])
  assert.equal((await put(2, 'late')).status, 409)
})

test('what is no file of contacts is refused with a sentence', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { browser } = await startShop(app)
  const refusalOf = async (text: string) => {
    const job = await untilImport(browser, await upload(browser, text), 'refused', 'ready')
    return job.refusal
  }
  assert.equal(await refusalOf('\n\n'), 'The file is empty.')
  assert.equal(await refusalOf('name,phone\n'), 'The file has a header, and no row below it.')
  assert.match((await refusalOf('name,phone\n"Ana,+44\nBo,+45')) ?? '', /^Line 2: a quote is opened here/)
  assert.match((await refusalOf(`${'c,'.repeat(120)}d\n1`)) ?? '', /has 121 columns; it can have 100/)
  assert.match((await refusalOf(`phone\n${'1\n'.repeat(limits.importRows + 1)}`)) ?? '', /more than 100,000 rows/)
})

test('a file is not larger than allowed, and few imports are unfinished', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const { body: made } = await browser.call('POST', '/api/imports', begin)
  await sql`update imports set bytes = ${limits.importBytes - 5}`.execute(app.db)
  const part = await browser.call('PUT', `/api/imports/${made.id}/parts/0`, { part: '123456' })
  assert.deepEqual([part.status, part.body.error.message], [413, 'A file can have 32 MiB.'])
  const others = await Promise.all(Array.from({ length: 5 }, () => browser.call('POST', '/api/imports', begin)))
  assert.deepEqual(others.map(({ status }) => status).sort(), [200, 200, 409, 409, 409])
  assert.equal((await browser.call('DELETE', `/api/imports/${made.id}`)).status, 200)
  assert.equal((await browser.call('POST', '/api/imports', begin)).status, 200)
})

test('columns are chosen before the start, and the preview follows; a start without an identifier is refused', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { browser } = await startShop(app)
  const id = await upload(browser, makePeople(300))
  const { mapping } = await untilImport(browser, id, 'ready')
  const choose = (chosen: string[]) => browser.call('PUT', `/api/imports/${id}/mapping`, { mapping: chosen })
  assert.equal((await choose(['phone'])).body.error.message, 'The file has 5 columns; mapping has 1.')
  await choose(['firstName', 'phone', 'none', 'none', 'none'])
  assert.equal((await untilImport(browser, id, 'ready')).wrong, 300, 'surnames are no phone numbers')
  const go = (chosen: string[]) =>
    browser.call('POST', `/api/imports/${id}/start`, { mapping: chosen, listId: null, overwrites: false })
  assert.match((await go(['firstName', 'none', 'none', 'none', 'none'])).body.error.message, /^Choose a column/)
  assert.equal((await go(mapping)).status, 200)
  assert.equal((await untilImport(browser, id, 'finished')).added, 300)
  assert.equal((await choose(mapping)).body.error.message, 'This import was started already.')
  assert.equal((await browser.call('DELETE', `/api/imports/${id}`)).status, 409)
})

test('uploads that were left, files that nobody imported and rows that were not imported are deleted in time', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  const insert = (id: string, state: string, age: string) =>
    sql`
      insert into imports (account_id, id, state, file_name, encoding, created_at, ended_at)
      values (${shop.accountId}, ${`imp_${id}`}, ${state}, 'f', 'UTF-8', now() - ${age}::interval,
        case when ${state} in ('finished', 'stopped') then now() - ${age}::interval end)
    `.execute(app.db)
  await insert('new upload', 'uploading', '50 minutes')
  await insert('old upload', 'uploading', '70 minutes')
  await insert('new file', 'ready', '23 hours')
  await insert('old file', 'ready', '25 hours')
  await insert('new one', 'finished', '29 days')
  await insert('old one', 'finished', '31 days')
  await insert('long run', 'running', '31 days')
  for (const id of ['new one', 'old one']) {
    await sql`
      insert into import_errors (account_id, import_id, n, line, reason, cells, keys)
      values (${shop.accountId}, ${`imp_${id}`}, 0, 1, 'r', '[]', '{}')
    `.execute(app.db)
  }
  await pruneImports(app.db)
  const left = await app.db.selectFrom('imports').select('id').orderBy('id').execute()
  assert.deepEqual(
    left.map(({ id }) => id.slice(4)),
    ['long run', 'new file', 'new one', 'new upload'],
  )
  assert.equal((await app.db.selectFrom('importErrors').select('n').execute()).length, 1)
  assert.ok(browser)
})

test('numbers without a country code are read as those of the country chosen, rows go onto a new list, and one to mend says whom it is about', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { browser } = await startShop(app)
  const lines = ['Ana,Lima,07700 900001,', 'Bo,Ek,+46 70 174 06 05,', 'Cy,Fox,12,', 'Di,Gray,,d@@example.com']
  const id = await upload(browser, ['first name,last name,phone,mail', ...lines, ''].join('\n'))
  const { mapping, wrong } = await untilImport(browser, id, 'ready')
  assert.equal(wrong, 3, 'without a country')
  const choose = (country: string) => browser.call('PUT', `/api/imports/${id}/mapping`, { mapping, country })
  assert.equal((await choose('XX')).status, 400)
  assert.equal((await choose('GB')).status, 200)
  assert.equal((await untilImport(browser, id, 'ready')).wrong, 2)
  const body = { mapping, country: 'GB', listId: null, newList: 'Spring', overwrites: false }
  assert.equal((await browser.call('POST', `/api/imports/${id}/start`, body)).status, 200)
  const { listId, added } = await untilImport(browser, id, 'finished')
  assert.equal(added, 2)
  const { body: lists } = await browser.call('GET', '/api/lists')
  const list = lists.lists.find((one: { id: string }) => one.id === listId)
  assert.deepEqual([list.name, list.contacts], ['Spring', 2])
  const { body: audit } = await browser.call('GET', '/api/audit?q=spring')
  const [{ act, details }] = audit.events
  assert.deepEqual(
    [act, details],
    ['contacts imported', { importId: id, file: 'people.csv', rows: 4, listId, list: 'Spring' }],
  )
  const phones = await app.db.selectFrom('contacts').select('phone').orderBy('phone').execute()
  assert.deepEqual(
    phones.map(({ phone }) => phone),
    ['+447700900001', '+46701740605'],
  )
  const errors = await readErrors(browser, id)
  assert.deepEqual(
    errors.map(({ name }) => name),
    ['Cy Fox', 'Di Gray'],
  )
  const mended = await browser.call('POST', `/api/imports/${id}/errors/${errors[0]?.n}`, { value: '07700 900002' })
  assert.deepEqual([mended.status, mended.body.error], [200, null])
})
