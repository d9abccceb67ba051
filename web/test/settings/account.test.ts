import assert from 'node:assert/strict'
import { test } from 'node:test'
import { version } from '../../../server/src/platform/version.ts'
import { write } from '../../../server/test/helpers/bots.ts'
import { makeOlder } from '../../../server/test/helpers/retention.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { givePassword, openSignedIn, password, startSite } from '../helpers/site.ts'

test('a new key is shown once and whole, and ends the old one at once', async () => {
  await using site = await startSite()
  const { app, account } = site
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/settings/account')
  await page.getByRole('button', { name: 'Generate', exact: true }).click()
  await page.getByText('A new key ends this one at once, everywhere.').waitFor()
  const contact = { firstName: 'Ana', phone: '+15551234567' }
  assert.equal((await account.post('/contacts', contact)).status, 201) // to ask ends nothing
  await page.getByRole('button', { name: 'End it and generate' }).click()
  const shown = page.locator('.key-text')
  await shown.waitFor()
  const apiKey = (await shown.textContent()) ?? ''
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), apiKey)
  // A process that has just seen the old key remembers it for half a second.
  const isEnded = async () =>
    (await app.call('POST', '/contacts', { key: account.apiKey, body: contact })).status === 401
  await until(isEnded, 'the old key still works')
  const another = { ...contact, phone: '+15551234568' }
  assert.equal((await app.call('POST', '/contacts', { key: apiKey, body: another })).status, 201)
  await assertAccessible(page)
  await page.reload()
  await page.getByText('Made').waitFor()
  await page.getByText(`Patchbay ${version}`, { exact: true }).waitFor()
  assert.equal(await page.getByText(apiKey).count(), 0)
})

test('a new password signs other browsers out; signing out leads to the sign-in', async () => {
  await using site = await startSite()
  await givePassword(site)
  await using one = await openSignedIn(site)
  await using other = await openSignedIn(site)
  await other.go('/settings/account')
  await other.page.getByText('1 other browser', { exact: false }).waitFor()
  await one.go('/settings/account')
  await one.page.getByLabel('Current').fill(password)
  await one.page.getByLabel('New', { exact: true }).fill('another password')
  await one.page.getByRole('button', { name: 'Change password' }).click()
  await one.page.getByText('Password changed.', { exact: false }).waitFor()
  await one.page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await one.page.waitForURL(/sign-in/)
})

test('an owner keeps messages for a shorter time only after it was said how many go at once; by keyboard, in both themes and on a phone', async () => {
  await using site = await startSite()
  const { app, account } = site
  const old = await write(account, 'Old')
  await makeOlder(app.db, 31, [old])
  const days = async () =>
    (await app.db.selectFrom('retentionRules').select(['kind', 'days']).execute()).map(
      (one) => `${one.kind} ${one.days}`,
    )
  await using window = await openSignedIn(site, { width: 360 })
  const { page } = window
  await window.go('/settings/account')
  const field = page.getByLabel('Messages, days')
  await field.fill('0')
  await field.press('Enter')
  await page.getByText('A whole number of days, 1 or more.').waitFor()
  await field.fill('30')
  await field.press('Enter')
  await page.getByText('1 message will be removed now.').waitFor()
  await assertAccessible(page)
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is wider than the phone')
  await page.keyboard.press('Enter') // the focus is on what changes nothing
  await page.getByText('1 message will be removed now.').waitFor({ state: 'detached' })
  assert.deepEqual(await days(), [])
  await field.press('Enter')
  await page.getByRole('button', { name: 'Remove them' }).click()
  await until(async () => (await days()).join() === 'messages 30', 'it was not saved')
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await page.reload()
  assert.equal(await field.inputValue(), '30')
  const visitors = page.getByLabel('Website visitors, days')
  await visitors.fill('90')
  await visitors.press('Enter')
  await page.getByText('Visitors who have not written for 90 days will be erased with their messages').waitFor()
  await page.getByRole('button', { name: 'Remove them' }).click()
  await until(async () => (await days()).includes('visitors 90'), 'it was not saved')
})
