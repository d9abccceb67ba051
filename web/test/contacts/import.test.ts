import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../../server/test/helpers/until.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { openSignedIn, type Site, startSite } from '../helpers/site.ts'

const lines = [
  'given_name;mobile;mail;loyalty_no',
  'Ottoline;+44 7700 900512;otto@example.com;88-1204',
  'Zoë;07700 900 77;;88-1205',
  'Liz;;liz@@example;88-1206',
  'Marta;+44 7700 900342;marta@example.com;88-1207',
]

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  await page.getByLabel('Choose a file').setInputFiles({ name, mimeType: 'text/csv', buffer })
}

async function namesIn({ app, account }: Site): Promise<(string | null)[]> {
  const rows = await app.db
    .selectFrom('contacts')
    .select('firstName')
    .where('accountId', '=', account.accountId)
    .orderBy('firstName')
    .execute()
  return rows.map(({ firstName }) => firstName)
}

test('a file is chosen, seen, imported and mended in place, and the last look says the same', async () => {
  await using site = await startSite()
  await site.account.post('/contacts', { phone: '+447700900342', lastName: 'Lindqvist' })
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/contacts')
  await page.getByRole('link', { name: 'Import', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'Import contacts' })
  await choose(page, 'spring.csv', Buffer.from(lines.join('\r\n'), 'latin1'))
  await sheet.getByText('4 rows · semicolon · Windows-1252').waitFor()
  await sheet.getByText('2 of 4 rows are ready.').waitFor()
  await sheet.getByText('About 1 is somebody you know').waitFor()
  assert.equal(await sheet.getByLabel('mobile becomes').inputValue(), 'phone')
  await sheet.getByLabel('loyalty_no becomes').selectOption('External ID')
  await sheet.getByLabel('mail becomes').selectOption('Leave out')
  await sheet.getByText('3 of 4 rows are ready.').waitFor()
  await sheet.getByLabel('mail becomes').selectOption('E-mail')
  await sheet.getByText('2 of 4 rows are ready.').waitFor()
  await assertAccessible(page)
  await sheet.getByLabel('Put them on a list').selectOption('Customers')
  await sheet.getByRole('button', { name: 'Import 2 contacts' }).click()
  await sheet.getByText('1 new').waitFor()
  await sheet.getByText('1 matched, blanks filled').waitFor()
  await sheet.getByText('2 rows need a look').waitFor()
  await sheet.getByText('All 2 can be reached by their ID.').waitFor()
  await assertAccessible(page)

  const phone = sheet.getByLabel('Phone of line 3')
  assert.equal(await phone.inputValue(), '07700 900 77')
  await phone.fill('+44')
  await phone.press('Enter')
  await sheet.getByText('A phone number has 7 to 15 digits').waitFor()
  await phone.fill('+44 7700 900077')
  await sheet.getByRole('button', { name: 'Take it: line 3' }).click()
  await sheet.getByText('1 row needs a look').waitFor()
  await sheet.getByText('2 new').waitFor()
  await sheet.getByText('All 3 can be reached by their ID.').waitFor()
  assert.deepEqual(await namesIn(site), ['Marta', 'Ottoline', 'Zoë'])
  const download = page.waitForEvent('download')
  await sheet.getByRole('link', { name: 'Get them as CSV' }).click()
  assert.equal((await download).suggestedFilename(), 'not-imported.csv')

  await sheet.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'Zoë' }).waitFor()
  await page.getByRole('link', { name: 'Import', exact: true }).click()
  await sheet.getByRole('button', { name: 'Open spring.csv' }).click()
  await sheet.getByLabel('E-mail of line 4').waitFor()
})

test('a choice that is made while another is still being kept does not undo it', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/contacts/import')
  await choose(page, 'spring.csv', Buffer.from(lines.join('\n')))
  const [column, country] = [page.getByLabel('loyalty_no becomes'), page.getByLabel('Numbers without a country code')]
  await page.getByText('2 of 4 rows are ready.').waitFor()
  const held = Promise.withResolvers<void>()
  await page.route('**/mapping', async (route) => {
    await held.promise
    await route.continue()
  })
  await column.selectOption('External ID')
  await country.selectOption('GB')
  assert.deepEqual([await column.inputValue(), await country.inputValue()], ['externalId', 'GB'])
  held.resolve()
  const kept = () =>
    site.app.db
      .selectFrom('imports')
      .select(['mapping', 'country'])
      .where('accountId', '=', site.account.accountId)
      .executeTakeFirstOrThrow()
  await until(async () => (await kept()).country === 'GB', 'the country is not kept')
  assert.ok(String((await kept()).mapping).includes('externalId'), 'the column is kept too')
  await page
    .getByRole('button', { name: /^Import \d+ contact/ })
    .and(page.locator(':enabled'))
    .waitFor()
  assert.equal(await column.inputValue(), 'externalId')

  const again = Promise.withResolvers<void>()
  await page.route('**/mapping', async (route) => {
    await again.promise
    await route.continue()
  })
  await country.selectOption('')
  assert.equal(await country.inputValue(), '', 'shown before it is kept')
  again.resolve()
  await until(async () => (await kept()).country === null, 'the country is not taken back')
})

test('what is no CSV is refused with a sentence, and an import goes on while its sheet is closed', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site, { width: 360, height: 740 })
  const { page } = window
  await window.go('/contacts/import')
  await choose(page, 'book.xlsx', Buffer.from('PK\0\0\0binary'))
  await page.getByText('This is no text file.').waitFor()
  await choose(page, 'broken.csv', Buffer.from('name,phone\nAna,"+44\n'))
  await page.getByText('Line 2: a quote is opened here and never closed').waitFor()
  await page.getByRole('button', { name: 'Choose another' }).click()
  const people = Array.from({ length: 2_000 }, (_, n) => `Person ${n},p${n}@example.com`)
  await choose(page, 'many.csv', Buffer.from(`\ufeffName,E-mail\n${people.join('\n')}\n`, 'utf16le'))
  await page.getByText('2,000 rows · comma · UTF-16').waitFor()
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off')
  await page.getByRole('button', { name: 'Import 2,000 contacts' }).click()
  await page.getByText('You can close this; the import goes on.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await until(async () => (await namesIn(site)).length === 2_000, 'it does not go on')
  await page.getByRole('link', { name: 'Import' }).click()
  await page.getByText('all in').waitFor()
  await page.getByRole('button', { name: 'Open many.csv' }).click()
  await page.getByText('2,000 / 2,000').waitFor()
})

test('many contacts are chosen for a list and taken off it, by keyboard too, and exported', async () => {
  await using site = await startSite()
  for (const firstName of ['Ana', 'Ben', 'Cleo']) {
    await site.account.post('/contacts', { firstName, email: `${firstName.toLowerCase()}@example.com` })
  }
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go(`/lists/${site.account.listId}`)
  await page.getByRole('button', { name: 'Add many' }).click()
  await page.getByRole('menuitem', { name: 'Choose from contacts' }).click()
  await page.getByText('Choose who goes on Customers.').waitFor()
  await page.getByLabel('Select Ana').check()
  await page.getByLabel('Select Ben').focus()
  await page.keyboard.press('Space')
  await page.getByText('2 selected').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Add to Customers' }).click()
  await page.getByText('2 contacts are on Customers now.').waitFor()
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await page.getByText('2 members ·').waitFor()
  await page.getByLabel('Select all that are shown').check()
  await page.getByRole('button', { name: 'Remove from Customers' }).click()
  await page.getByText('2 contacts are off Customers.').waitFor()
  await page.getByText('No members yet.').waitFor()
  await window.go('/contacts?q=ana')
  await page.getByRole('link', { name: 'Ben' }).waitFor({ state: 'detached' })
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  assert.equal((await download).suggestedFilename(), 'contacts.csv')
})

test('on a phone too, many are chosen for a list, taken off it and exported', async () => {
  await using site = await startSite()
  for (const firstName of ['Ana', 'Ben']) {
    await site.account.post('/contacts', { firstName, email: `${firstName.toLowerCase()}@example.com` })
  }
  await using window = await openSignedIn(site)
  const { page } = window
  await page.setViewportSize({ width: 360, height: 740 })
  await window.go(`/lists/${site.account.listId}`)
  await page.getByRole('button', { name: 'Add many' }).click()
  await page.getByRole('menuitem', { name: 'Choose from contacts' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  await download
  await page.getByLabel('Select all that are shown').check()
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off')
  await page.getByRole('button', { name: 'Add to Customers' }).click()
  await page.getByText('2 contacts are on Customers now.').waitFor()
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await page.getByLabel('Select Ana').check()
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off')
  await page.getByRole('button', { name: 'Remove from Customers' }).click()
  await page.getByText('1 contact is off Customers.').waitFor()
  await page.getByText('1 member ·').waitFor()
})
