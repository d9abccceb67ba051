import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { parsePhone, spacedPhone } from '../../../src/people/contacts/phone.ts'
import { csvLine, withoutGuard } from '../../../src/platform/text/csv.ts'
import { makeContact, startShop } from '../../helpers/app-contacts.ts'
import { sharedApp, startApp, type TestApp } from '../../helpers/harness.ts'
import { countsOf, importFile } from '../../helpers/imports.ts'
import { insertManyContacts } from '../../helpers/many-contacts.ts'
import { until } from '../../helpers/until.ts'

const hostile = [
  { firstName: '=cmd()', lastName: "'quoted", phone: '+447700900001' },
  { firstName: "'=HYPERLINK(1)", lastName: "''@x", phone: '+15551234567' },
  { firstName: '+44 7700', lastName: '-1+1', email: '=a@example.com' },
  { firstName: 'a "b" c', lastName: 'two\nlines', email: 'quotes@example.com' },
  { firstName: 'semi;colon', lastName: 'com,ma\ttab', email: 'x@example.com' },
  { firstName: '0123', lastName: "'99", phone: '+4912345678' },
  { firstName: '@everyone', lastName: '－全角', email: 'shared@example.com' },
  { firstName: null, lastName: 'Second', email: 'shared@example.com' },
]

async function rowsOf({ db }: TestApp) {
  const columns = ['id', 'firstName', 'lastName', 'phone', 'email', 'externalId', 'createdAt'] as const
  return db.selectFrom('contacts').select(columns).orderBy('id').execute()
}

test('an import of what was exported matches every row and changes nothing, however hostile the names are', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { browser } = await startShop(app)
  for (const fields of hostile) await makeContact(browser, fields)
  await sql`update contacts set external_id = '+447700900009' where phone = '+447700900001'`.execute(app.db)
  await sql`update contacts set external_id = '00012345678901234567' where email = 'x@example.com'`.execute(app.db)
  const before = await rowsOf(app)
  const { body, headers } = await browser.call('GET', '/api/contacts/export')
  assert.equal(headers['content-disposition'], 'attachment; filename="contacts.csv"')
  for (const overwrites of [false, true]) {
    const counts = countsOf(await importFile(browser, body, { overwrites }))
    const n = hostile.length
    assert.deepEqual(counts, { rows: n, done: n, added: 0, changed: 0, same: n, failed: 0 })
  }
  assert.deepEqual(await rowsOf(app), before)
  const cells = (parse(body, { bom: true }) as unknown as string[][]).slice(1).flatMap((row) => row.slice(0, 5))
  const runs = cells.filter((cell) => /^[=+\-@\t\r]/.test(cell) && !/^\+\d{1,3} [\d-]+$/.test(cell))
  assert.deepEqual(runs, [], 'no cell is a formula or a number to a spreadsheet')
})

test('a phone number has a space that keeps it from being a number, and is read again as it was', () => {
  for (const phone of ['+447700900123', '+15551234567', '+351912345678', '+4712345678', '+2901234', '+8613800138000']) {
    const spaced = spacedPhone(phone)
    assert.match(spaced, /^\+\d{1,3} \d[\d-]*$/)
    assert.equal(parsePhone(spaced), phone)
    assert.equal(csvLine([spaced]), `${spaced}\r\n`)
  }
  for (const text of ['=1', "'=1", "''=1", "'a", '0', "'0", '-', '+44 1', 'plain', "'", "''"]) {
    const [[cell = ''] = []] = parse(csvLine([{ exactly: text }])) as unknown as string[][]
    assert.equal(withoutGuard(cell), text)
  }
})

test('an export is of all, of a search or of a list, and is written down', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  const rival = await startShop(app)
  await insertManyContacts(app, { ...rival.shop, count: 3 })
  await insertManyContacts(app, { ...shop, count: 2_500 })
  await makeContact(browser, { firstName: 'Zoë', phone: '+447700900001' })
  const count = async (query: string) => {
    const { status, body } = await browser.call('GET', `/api/contacts/export${query}`)
    assert.equal(status, 200)
    const ids = (parse(body, { bom: true, columns: true }) as Record<string, string>[]).map((row) => row['Contact ID'])
    assert.equal(new Set(ids).size, ids.length, 'nobody is there twice')
    return ids.length
  }
  assert.equal(await count(''), 2_501)
  assert.equal(await count('?q=zoe'), 1)
  assert.equal(await count('?q=first'), 2_500)
  assert.equal(await count(`?listId=${shop.listId}`), 2_500)
  assert.equal(await count(`?listId=${shop.listId}&q=last12`), 111)
  assert.equal((await browser.call('GET', `/api/contacts/export?listId=${rival.shop.listId}`)).status, 404)
  const { body } = await browser.call('GET', '/api/audit')
  assert.deepEqual(
    body.events.map(({ act, details }: { act: string; details: unknown }) => [act, details]).slice(0, 3),
    [
      ['contacts exported', { of: 'a search', listId: shop.listId, list: 'Customers' }],
      ['contacts exported', { of: 'a list', listId: shop.listId, list: 'Customers' }],
      ['contacts exported', { of: 'a search' }],
    ],
  )
})

test('an export stops when its reader is gone', async () => {
  await using app = await startApp()
  const { shop, browser } = await startShop(app)
  await insertManyContacts(app, { ...shop, count: 20_000 })
  const socket = connect({ port: Number(new URL(app.url).port), ca: app.certificate, servername: 'localhost' })
  socket.on('error', () => {})
  const head = ['GET /api/contacts/export HTTP/1.1', 'host: localhost', `cookie: ${browser.cookie}`]
  socket.write(`${head.join('\r\n')}\r\nsec-fetch-site: same-origin\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
  await until(async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()
    `.execute(app.db)
    return rows.length === 0
  }, 'it goes on')
  assert.deepEqual(
    app.log.filter((line) => line.includes('"level":50')),
    [],
  )
})
