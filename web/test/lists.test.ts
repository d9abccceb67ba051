import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible } from './helpers/axe.ts'
import { openSignedIn, startSite } from './helpers/site.ts'

test('the ID of a list, copied from the screen, works over the API', async () => {
  await using site = await startSite()
  const { body: contact } = await site.account.post('/contacts', { firstName: 'Ana', phone: '+15551234567' })
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/lists')
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
  await page.getByText('No members yet.').waitFor()
  await page.getByRole('button', { name: 'Copy list ID' }).click()
  await page.getByRole('button', { name: 'Copied' }).first().waitFor()
  const listId = await page.evaluate(() => navigator.clipboard.readText())
  assert.equal(listId, site.account.listId)
  assert.equal((await site.account.post(`/lists/${listId}/contacts`, { contactId: contact.id })).status, 200)
  await page.reload()
  await page.getByRole('link', { name: 'Ana' }).waitFor()
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  const call = await page.evaluate(() => navigator.clipboard.readText())
  assert.match(call, new RegExp(`^curl --cacert '[^']+' https://[^ ]+/v1/lists/${listId}/contacts `))
  assert.match(call, /x-api-key: YOUR_API_KEY/)
  await page.getByRole('link', { name: 'Download the certificate' }).waitFor() // that the call names
})

test('a list is made, renamed, filled, emptied and deleted by clicking; its contacts stay', async () => {
  await using site = await startSite()
  for (const firstName of ['Kofi', 'Kora']) {
    await site.account.post('/contacts', { firstName, email: `${firstName.toLowerCase()}@example.com` })
  }
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/lists')
  await page.getByRole('button', { name: 'New list' }).click()
  await page.getByRole('button', { name: 'Create list' }).click()
  await page.getByText('Give it a name.').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('Spring')
  await page.getByRole('textbox', { name: 'Name' }).press('Enter')
  await page.getByRole('heading', { name: 'Spring' }).waitFor()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('New name').fill('Summer')
  await page.getByLabel('New name').press('Enter')
  await page.getByRole('heading', { name: 'Summer' }).waitFor()

  await page.getByRole('combobox', { name: 'Add a contact' }).fill('kofi@')
  await page.getByRole('option', { name: 'Kofi' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('rowheader', { name: 'Kofi', exact: true }).waitFor()
  await page.getByText('The one contact has no ID yet. A broadcast can reach them by e-mail address.').waitFor()
  await page.getByRole('button', { name: 'Remove Kofi from the list' }).click()
  await page.getByText('No members yet.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('rowheader', { name: 'Kofi', exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Add a contact' }).fill('kora@')
  await page.getByRole('option', { name: 'Kora' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('None of 2 has an ID yet. A broadcast can reach 2 by e-mail address.').waitFor()

  await page.getByRole('button', { name: 'Delete list' }).click()
  await page.getByText('2 contacts are taken off it').waitFor()
  await page.getByRole('button', { name: 'Delete this list' }).click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
  assert.equal((await site.app.db.selectFrom('lists').select('id').execute()).length, 1)
  assert.equal((await site.app.db.selectFrom('contacts').select('id').execute()).length, 2)
})

test('axe finds nothing in lists in either theme, and nothing scrolls sideways at 360 px', async () => {
  await using site = await startSite()
  const person = { firstName: 'Ana', lastName: 'N'.repeat(200), phone: '+15551234567' }
  const { body } = await site.account.post('/contacts', person)
  await site.account.post(`/lists/${site.account.listId}/contacts`, { contactId: body.id })
  for (const width of [1280, 360]) {
    await using window = await openSignedIn(site, { width })
    const { page } = window
    await window.go('/lists')
    await page.getByRole('link', { name: /Customers/ }).click()
    await page.getByRole('link', { name: /Ana/ }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Delete list' }).click()
    await page.getByRole('combobox', { name: 'Add a contact' }).fill('+1555')
    await page.getByRole('option').first().waitFor()
    await assertAccessible(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
  }
})
