import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { optOut } from '../../../src/journey/conversations/consent.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { makeContact, startShop } from '../../helpers/app-contacts.ts'
import { secretKey, sharedApp, startApp } from '../../helpers/harness.ts'
import {
  countsOf,
  importFile,
  makePeople,
  phoneOf,
  readErrors,
  start,
  untilImport,
  upload,
} from '../../helpers/imports.ts'

/** The rows of a file that cannot be imported, each with what its reason must say. */
const bad: [n: number, line: string, reason: RegExp][] = [
  [12, 'Ann,Bad,07700 900 77,a@example.com,', /needs a \+ and a country code/],
  [48, 'Liz,Bad,,liz@@example.com,', /two @ signs/],
  [77, 'No,Body,,,', /Neither a phone number nor an e-mail address/],
  [131, 'Far,Away,+999 12 34 567,,', /^\+999 is no country code/],
  [200, 'Too,Few', /has 2 cells, and the header 5/],
  [201, 'Too,Many,,m@example.com,,,extra', /has 7 cells, and the header 5/],
  [333, `${'x'.repeat(257)},Long,,l@example.com,`, /at most 256 characters/],
  [334, 'Excel,Was,4.477E+11,,here', /A spreadsheet has shortened/],
  [498, 'Plain,Wrong,,not an address,', /no @ sign/],
]

test('an import of 500 rows with bad ones imports exactly the others, and says of each bad one what is wrong', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { shop, browser } = await startShop(app)
  const file = makePeople(500, new Map(bad.map(([n, line]) => [n, line])))
  const good = 500 - bad.length

  const id = await upload(browser, file)
  const preview = await untilImport(browser, id, 'ready')
  assert.deepEqual(
    [preview.rows, preview.wrong, preview.known, preview.delimiter, preview.mapping],
    [500, bad.length, 0, 'comma', ['firstName', 'lastName', 'phone', 'email', 'externalId']],
  )
  await start(browser, id, { listId: shop.listId })
  const first = await untilImport(browser, id, 'finished')
  assert.deepEqual(countsOf(first), { rows: 500, done: 500, added: good, changed: 0, same: 0, failed: bad.length })

  const contacts = await app.db.selectFrom('contacts').select(['firstName', 'phone', 'email', 'externalId']).execute()
  assert.equal(contacts.length, good)
  const [three] = contacts.filter(({ externalId }) => externalId === 'ext-3')
  assert.deepEqual(three, { firstName: 'First3', phone: '+447700100003', email: 'p3@example.com', externalId: 'ext-3' })
  const { body: lists } = await browser.call('GET', '/api/lists')
  assert.equal(lists.lists[0].contacts, good)

  const errors = await readErrors(browser, id)
  assert.deepEqual(
    errors.map(({ n, line }) => [n, line]),
    bad.map(([n]) => [n, n + 2]),
  )
  for (const [at, [, , reason]] of bad.entries()) assert.match(errors[at]?.reason ?? '', reason)
  const csv = await browser.call('GET', `/api/imports/${id}/errors/csv`)
  const [head, ...lines] = parse(csv.body, { bom: true, relaxColumnCount: true }) as unknown as string[][]
  assert.deepEqual(head, ['given_name', 'surname', 'mobile', 'mail', 'external id', 'Line', 'Reason'])
  assert.equal(lines.length, bad.length)
  assert.deepEqual(lines[1]?.slice(0, 6), ['Liz', 'Bad', '', 'liz@@example.com', '', '50'])

  const again = await importFile(browser, file, { listId: shop.listId })
  assert.deepEqual(countsOf(again), { rows: 500, done: 500, added: 0, changed: 0, same: good, failed: bad.length })
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, good)
  assert.equal(
    (await app.db.selectFrom('importBlocks').select('fromRow').execute()).length,
    0,
    'the rows are forgotten',
  )
  assert.equal((await app.db.selectFrom('importParts').select('n').execute()).length, 0, 'the text is forgotten')
  const { body: audit } = await browser.call('GET', '/api/audit')
  assert.deepEqual(
    audit.events.filter(({ act }: { act: string }) => act === 'contacts imported').map(({ details }: never) => details),
    [again.id, id].map((importId) => ({
      importId,
      file: 'people.csv',
      rows: 500,
      listId: shop.listId,
      list: 'Customers',
    })),
  )
})

test('blanks are filled, and nothing is overwritten unless that was asked for; then never the external id', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { browser } = await startShop(app)
  const contactId = await makeContact(browser, { firstName: 'Marta', phone: '+447700900342' })
  const file = 'Vorname;Nachname;Handy;E-Mail;External ID\nMarga;Lindqvist;0044 7700 900342;M@Example.com;web-1\n'
  const read = async () => {
    const { body } = await browser.call('GET', `/api/contacts/${contactId}`)
    const { firstName, lastName, phone, email, externalId } = body
    return { firstName, lastName, phone, email, externalId }
  }
  assert.equal((await importFile(browser, file)).changed, 1)
  const filled = { lastName: 'Lindqvist', phone: '+447700900342', email: 'm@example.com', externalId: 'web-1' }
  assert.deepEqual(await read(), { firstName: 'Marta', ...filled })
  assert.equal((await importFile(browser, file)).same, 1)
  assert.equal((await importFile(browser, file, { overwrites: true })).changed, 1)
  assert.deepEqual(await read(), { firstName: 'Marga', ...filled })
  const other = await importFile(browser, file.replace('web-1', 'web-2'), { overwrites: true })
  assert.deepEqual([other.failed, (await readErrors(browser, other.id))[0]?.field], [1, 'externalId'])
  assert.deepEqual(await read(), { firstName: 'Marga', ...filled })
})

test('a bad row is mended in place: it says what is still wrong, and is counted once it is in', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { shop, browser } = await startShop(app)
  const lines = ['name,phone', 'Ana Lima,07700 900 77', 'Bo,+447700900001', 'Cy,+447700900001']
  const { id } = await importFile(browser, lines.join('\r\n'), { listId: shop.listId })
  const mend = (value: string) => browser.call('POST', `/api/imports/${id}/errors/0`, { value })
  const still = await mend('+1')
  assert.match(still.body.error.reason, /7 to 15 digits/)
  assert.deepEqual(
    (await readErrors(browser, id)).map(({ value, line }) => [value, line]),
    [['+1', 2]],
  )
  assert.deepEqual((await mend('+44 7700 900077')).body, { error: null })
  assert.equal((await mend('+44 7700 900077')).status, 404, 'it is in already')
  const { body: after } = await browser.call('GET', `/api/imports/${id}`)
  assert.deepEqual(countsOf(after), { rows: 3, done: 3, added: 2, changed: 0, same: 1, failed: 0 })
  const { body } = await browser.call('GET', `/api/contacts?listId=${shop.listId}`)
  assert.deepEqual(body.contacts.map(({ firstName }: never) => firstName).sort(), ['Ana', 'Bo'])
})

test('whoever opted out and was erased is opted out again by an import', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { shop, browser } = await startShop(app)
  const contactId = (await makeContact(browser, { phone: '+447700900077' })) as ContactId
  const ref = { accountId: shop.accountId, contactId }
  await optOut(app.db, ref)
  await eraseContact({ db: app.db, secretKey }, ref)
  await importFile(browser, `phone\n+447700900077\n${phoneOf(1)}\n`)
  const contacts = await app.db.selectFrom('contacts').select(['phone', 'optedOutBy']).orderBy('phone').execute()
  assert.deepEqual(contacts, [
    { phone: '+447700100001', optedOutBy: null },
    { phone: '+447700900077', optedOutBy: 'returned' },
  ])
})

test('a stopped import keeps what is in, and ends', async () => {
  await using app = await sharedApp() // without a worker, so that it is stopped before it ends
  const { browser } = await startShop(app)
  const id = await upload(browser, makePeople(3))
  await app.db
    .updateTable('imports')
    .set({ state: 'running', startedAt: new Date(), rows: 3, done: 1, added: 1 })
    .execute()
  const { body } = await browser.call('POST', `/api/imports/${id}/stop`)
  assert.deepEqual([body.state, body.done, body.added], ['stopped', 1, 1])
  await using worker = await startApp({ ROLE: 'all' }, app.database)
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.ok(worker)
  assert.equal((await untilImport(browser, id, 'stopped')).done, 1)
})
