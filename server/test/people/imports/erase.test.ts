import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { makeContact, startShop } from '../../helpers/app-contacts.ts'
import { secretKey, sharedApp, type TestApp } from '../../helpers/harness.ts'
import { makePeople, phoneOf, readErrors, start, takeTurn, untilImport, upload } from '../../helpers/imports.ts'

async function startErasing(app: TestApp) {
  const { shop, browser } = await startShop(app)
  /** Makes a contact with these, and returns how to erase it. */
  const make = async (fields: object) => {
    const contactId = (await makeContact(browser, fields)) as ContactId
    return () => eraseContact({ db: app.db, secretKey }, { accountId: shop.accountId, contactId })
  }
  return { browser, make }
}

async function finishTurns(app: TestApp): Promise<void> {
  for (let job = await takeTurn(app); job; ) job = await takeTurn(app)
}

/** Which of these texts are in what is kept of imports, but for the text of a file that is not read yet. */
async function leftOf(app: TestApp, texts: string[]): Promise<string[]> {
  const { rows } = await sql<{ all: string }>`
    select concat(
      (select string_agg(i::text, '') from imports i), (select string_agg(b::text, '') from import_blocks b),
      (select string_agg(e::text, '') from import_errors e)
    ) as all
  `.execute(app.db)
  return texts.filter((text) => rows[0]?.all.includes(text))
}

test('who is erased while a file is sent or read is in neither its preview nor its rows, and does not come back by it', async () => {
  await using app = await sharedApp()
  const { browser, make } = await startErasing(app)
  const erasures = [
    await make({ phone: phoneOf(0) }),
    await make({ phone: '+447700900999', externalId: 'ext-1' }),
    await make({ email: 'p1500@example.com' }),
  ]
  const [whileSent, ...whileRead] = erasures
  const file = makePeople(2_000)
  const { body } = await browser.call('POST', '/api/imports', { fileName: 'people.csv', encoding: 'UTF-8' })
  const parts = Array.from({ length: Math.ceil(file.length / 20_000) }, (_, n) =>
    file.slice(n * 20_000, (n + 1) * 20_000),
  )
  for (const [n, part] of parts.entries()) {
    await browser.call('PUT', `/api/imports/${body.id}/parts/${n}`, { part })
    if (n === 0) await whileSent?.()
  }
  await browser.call('POST', `/api/imports/${body.id}/read`, { parts: parts.length })
  await takeTurn(app)
  assert.deepEqual(await leftOf(app, ['First0"', 'First1"']), ['First1"'], 'the first rows are read')
  for (const erase of whileRead) await erase()
  assert.deepEqual(await leftOf(app, ['First0"', 'First1"', 'First1500"']), [])
  await finishTurns(app)
  const { firstRows } = await untilImport(browser, body.id, 'ready')
  assert.deepEqual(
    firstRows.map(([name]) => name),
    ['First2', 'First3', 'First4'],
  )
  assert.deepEqual(await leftOf(app, ['First0"', 'First1"', 'First1500"', 'First1501"']), ['First1501"'])
  await start(browser, body.id)
  await finishTurns(app)
  const { added, failed } = await untilImport(browser, body.id, 'finished')
  assert.deepEqual([added, failed], [1_997, 0])
  const { rows } = await sql`select from imports where forgotten = 3 and erased = '{}'`.execute(app.db)
  assert.equal(rows.length, 1)
})

test('who is erased before the country of a file is chosen does not come back by a number that is recognized then', async () => {
  await using app = await sharedApp()
  const { browser, make } = await startErasing(app)
  const erase = await make({ phone: '+447700900123' })
  const id = await upload(browser, 'name,phone\nAna,07700 900123\nBo,07700 900124\n')
  await finishTurns(app)
  await erase()
  await start(browser, id, { country: 'GB' })
  await finishTurns(app)
  assert.equal((await untilImport(browser, id, 'finished')).added, 1)
  const contacts = await app.db.selectFrom('contacts').select('phone').execute()
  assert.deepEqual(contacts, [{ phone: '+447700900124' }])
})

test('an id of digits is found when its contact is erased, though it could be a phone number of the country', async () => {
  await using app = await sharedApp()
  const { browser, make } = await startErasing(app)
  const wrong = await make({ phone: '+447700900001', externalId: '2025550147' })
  const waiting = await make({ phone: '+447700900002', externalId: '0202555' })
  const mapping = ['externalId', 'email']
  const id = await upload(browser, 'id,email\n2025550147,nobody\n2025550148,no\n')
  await finishTurns(app)
  await start(browser, id, { country: 'US', mapping })
  await finishTurns(app)
  assert.equal((await readErrors(browser, id)).length, 2)
  await wrong()
  assert.equal((await readErrors(browser, id)).length, 1)

  // As an export writes it, so that a spreadsheet leaves it as it is.
  const second = await upload(browser, "id,email\n'0202555,ana@example.com\n0202556,bo@example.com\n")
  await finishTurns(app)
  await browser.call('PUT', `/api/imports/${second}/mapping`, { mapping, country: 'US' })
  await waiting()
  assert.deepEqual(await leftOf(app, ['ana@example.com', 'bo@example.com']), ['bo@example.com'])
})
