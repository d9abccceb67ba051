import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertManyContacts } from '../../server/test/helpers/many-contacts.ts'
import { addMember } from '../../server/test/helpers/sessions.ts'
import { assertFine } from './helpers/axe.ts'
import { openSignedIn, type Site, startSite, type Window } from './helpers/site.ts'

const marta = { firstName: 'Marta', lastName: 'Lindqvist', phone: '+447700900342', email: 'marta@example.com' }

async function emailOf({ app, account }: Site, phone: string): Promise<string | null | undefined> {
  const row = await app.db
    .selectFrom('contacts')
    .select('email')
    .where('accountId', '=', account.accountId)
    .where('phone', '=', phone)
    .executeTakeFirst()
  return row?.email
}

test('a contact is created, changed and erased by clicking, and what is wrong stands under its field', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/contacts')
  await page.getByText('No contacts yet.').waitFor()
  await page.getByRole('link', { name: 'Download the certificate' }).waitFor() // that the call names
  await page.getByRole('button', { name: 'New contact' }).first().click()
  const sheet = page.getByRole('dialog', { name: 'New contact' })
  await sheet.getByRole('button', { name: 'Create contact' }).click()
  await sheet.getByText('Neither a phone number nor an e-mail address.').waitFor()
  await sheet.getByLabel('First name').fill('Marta')
  await sheet.getByLabel('Phone').fill('07700 900342')
  await sheet.getByLabel('E-mail').fill('marta@@example.com')
  await sheet.getByLabel('First name').focus()
  await sheet.getByText('Begin with + and a country code').waitFor()
  await sheet.getByText('This e-mail address has two @ signs.').waitFor()
  await sheet.getByLabel('E-mail').fill('marta@example.com')
  await sheet.getByLabel('Phone').fill('+44 7700 900342')
  await sheet.getByLabel('Phone').press('Enter')
  await page.getByRole('link', { name: 'Marta' }).click()
  const contact = page.getByRole('dialog', { name: 'Marta' })
  await contact.getByLabel('E-mail').fill('new@example.com')
  await contact.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('cell', { name: 'new@example.com' }).waitFor()
  assert.equal(await emailOf(site, '+447700900342'), 'new@example.com')
  await contact.getByRole('button', { name: 'Erase this contact…' }).click()
  await contact.getByText('every message from and to them').waitFor()
  assert.equal(await emailOf(site, '+447700900342'), 'new@example.com')
  await contact.getByRole('button', { name: 'Erase Marta' }).click()
  await page.getByText('No contacts yet.').waitFor()
  assert.equal(await emailOf(site, '+447700900342'), undefined)
})

test('a number that somebody has names them and leads to them, for a new contact and for a change', async () => {
  await using site = await startSite()
  await site.account.post('/contacts', marta)
  await site.account.post('/contacts', { firstName: 'Ana', email: 'ana@example.com' })
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/contacts/new')
  await page.getByLabel('Phone').fill(marta.phone)
  await page.getByRole('button', { name: 'Create contact' }).click()
  await page.getByText('Marta Lindqvist has this number.').waitFor()
  await page.getByRole('link', { name: 'Open them' }).click()
  await page.getByRole('dialog', { name: 'Marta Lindqvist' }).waitFor()
  await page.getByRole('link', { name: 'Ana' }).click()
  const ana = page.getByRole('dialog', { name: 'Ana' })
  await ana.getByLabel('Phone').fill(marta.phone)
  await ana.getByRole('button', { name: 'Save changes' }).click()
  await ana.getByText('Marta Lindqvist has this number.').waitFor()
  assert.equal(await emailOf(site, marta.phone), marta.email)
})

test('a member who is not the owner sees why they cannot erase', async () => {
  await using site = await startSite()
  const { body } = await site.account.post('/contacts', marta)
  const userId = await addMember(site.app, site.account.accountId, 'mia@example.com')
  await using window = await openSignedIn({ ...site, account: { ...site.account, userId } })
  await window.go(`/contacts/${body.id}`)
  await window.page.getByText('Only owners of the account can erase a contact.').waitFor()
  assert.equal(await window.page.getByRole('button', { name: 'Erase this contact…' }).count(), 0)
})

test('the table is used by keyboard alone: search, next, previous, open, new', async () => {
  await using site = await startSite()
  for (const firstName of ['Ana', 'Ben', 'Cleo']) {
    await site.account.post('/contacts', { firstName, email: `${firstName.toLowerCase()}@example.com` })
  }
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/contacts')
  await page.getByRole('link', { name: 'Cleo' }).waitFor()
  for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
  assert.equal(await page.evaluate(() => document.activeElement?.textContent?.includes('Ben')), true)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Ben' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  await page.keyboard.type('ana@')
  await page.getByRole('link', { name: 'Cleo' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Ana' }).waitFor()
  assert.match(page.url(), /q=ana/)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.keyboard.press('c')
  await page.getByRole('dialog', { name: 'New contact' }).waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'firstName')
})

test('hundreds of contacts are fetched as somebody scrolls, and few of them are in the document', async () => {
  await using site = await startSite()
  const { accountId, listId } = site.account
  await insertManyContacts(site.app, { accountId, listId, count: 450 })
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/contacts')
  await page.getByRole('link', { name: 'Last450' }).waitFor()
  const firstName = page.locator('tbody th').first()
  assert.equal(await firstName.evaluate((cell) => getComputedStyle(cell).fontSize), '13px', 'as the other cells')
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await firstName.filter({ hasText: 'First1 Last1' }).waitFor()
  await page.locator('th[aria-sort="ascending"]', { hasText: 'Name' }).waitFor()
  assert.match(page.url(), /sort=name/)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await firstName.filter({ hasText: 'Last450' }).waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
  const oldest = page.getByRole('link', { name: 'First1 Last1', exact: true })
  for (let n = 0; n < 60 && !(await oldest.isVisible()); n += 1) {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await page.waitForTimeout(150)
  }
  await oldest.waitFor()
  assert.ok((await page.locator('tbody tr').count()) < 80)
})

/** The members of a list of 250, of whom the first hundred are loaded and selected. */
async function selectShown({ app, account: { accountId, listId } }: Site, { go, page }: Window): Promise<void> {
  await insertManyContacts(app, { accountId, listId, count: 250 })
  await go(`/contacts?list=${listId}`)
  await page.getByRole('link', { name: 'Last250' }).waitFor()
  await page.getByLabel('Select all that are shown').check()
}

test('all that are found can be meant, not only those that are loaded, also after more were loaded', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  await selectShown(site, window)
  const { page } = window
  await page.getByText('100 selected', { exact: true }).waitFor()
  const loaded = page.waitForResponse((answer) => answer.url().includes('before='))
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  await loaded
  await page.getByLabel('Select First150 Last150').waitFor()
  await page.getByRole('button', { name: 'Select all 250 contacts' }).click()
  await page.getByText('All 250 contacts are selected').waitFor()
  await page.evaluate(() => scrollTo(0, 0))
  await page.getByLabel('Select First250 Last250').uncheck()
  await page.getByText('199 selected', { exact: true }).waitFor()
  await page.getByLabel('Select First250 Last250').check()
  await page.getByRole('button', { name: 'Select all 250 contacts' }).click()
  await page.getByRole('button', { name: 'Remove from Customers' }).click()
  await page.getByText('250 contacts are off Customers.').waitFor()
  await page.getByText('Nobody is on this list.').waitFor()
})

test('whoever takes one out of all keeps the others that are shown by then, and what to do with them stays in sight', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  await selectShown(site, window)
  const { page } = window
  await page.getByRole('button', { name: 'Select all 250 contacts' }).click()
  const second = page.getByLabel('Select First2 Last2')
  const toTheEnd = async () => {
    for (let n = 0; n < 60 && !(await second.isVisible()); n += 1) {
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
      await page.waitForTimeout(150)
    }
  }
  await toTheEnd()
  const isInSight = async (text: string) => {
    const said = page.getByText(text, { exact: true })
    await said.waitFor()
    const { y = -1 } = (await said.boundingBox()) ?? {}
    const covered = await said.evaluate((element) => {
      const { left, top } = element.getBoundingClientRect()
      return !element.contains(document.elementFromPoint(left + 2, top + 2))
    })
    assert.deepEqual([y >= 0 && y < 100, covered], [true, false], `${text} at ${y}`)
  }
  await isInSight('All 250 contacts are selected')
  await second.uncheck()
  await isInSight('249 selected')
  await page.setViewportSize({ width: 360, height: 740 })
  await toTheEnd()
  await isInSight('249 selected')
  await page.getByRole('button', { name: 'Remove from Customers' }).click()
  await page.getByText('249 contacts are off Customers.').waitFor()
})

test('axe finds nothing in contacts in either theme, and nothing scrolls sideways at 360 px', async () => {
  await using site = await startSite()
  const { body } = await site.account.post('/contacts', { ...marta, lastName: 'L'.repeat(200) })
  await site.account.post('/contacts', { email: `${'long'.repeat(12)}@example.com` })
  await using window = await openSignedIn(site)
  const { page } = window
  for (const path of ['/contacts', `/contacts/${body.id}`, `/contacts/${body.id}#erase`, '/contacts/new']) {
    await window.go(path)
    await page.getByRole('link', { name: /Marta/ }).waitFor()
    if (path !== '/contacts') await page.getByLabel('First name').waitFor()
    await assertFine(page, [1280, 360])
  }
})
