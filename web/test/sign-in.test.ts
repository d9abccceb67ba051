import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible } from './helpers/axe.ts'
import { givePassword, openSignedIn, openWindow, password, signInByForm, startSite } from './helpers/site.ts'

test('a user signs in by e-mail and password, and comes to the page they asked for', async () => {
  await using site = await startSite()
  await givePassword(site)
  await using window = await openWindow(site.app.url)
  const { page } = window
  await window.go('/contacts')
  await page.getByLabel('E-mail').fill(site.account.email)
  await page.getByLabel('Password').fill('wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('E-mail and password do not belong together.').waitFor()
  await page.getByLabel('Password').fill(password)
  await page.getByLabel('Password').press('Enter')
  await page.waitForURL('**/contacts')
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
})

test('a tab notices that the user signed out in another tab', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  await window.go('/contacts')
  await window.page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
  const other = await window.context.newPage()
  await other.goto('/settings/account')
  await other.getByRole('button', { name: 'Sign out', exact: true }).click()
  await other.waitForURL('**/sign-in**')
  await window.page.waitForURL('**/sign-in**')
})

test('a tab that shows the form goes on by itself when its user signs in in another tab', async () => {
  await using site = await startSite()
  await givePassword(site)
  await using window = await openWindow(site.app.url)
  const { page } = window
  await window.go('/contacts')
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  const other = await window.context.newPage()
  await other.goto('/lists')
  await signInByForm(other, site.account.email)
  await page.waitForURL('**/contacts')
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()

  await other.goto('/settings/account')
  await other.getByRole('button', { name: 'Sign out', exact: true }).click()
  await other.waitForURL('**/sign-in**')
  await page.waitForURL('**/sign-in**')
  await signInByForm(page, site.account.email)
  await page.waitForURL('**/contacts')
  await other.waitForURL((url) => url.pathname !== '/sign-in')
})

test('axe finds nothing on the sign-in page in either theme', async () => {
  await using site = await startSite()
  await using window = await openWindow(site.app.url)
  await window.go('/sign-in')
  await window.page.getByRole('button', { name: 'Sign in' }).waitFor()
  await assertAccessible(window.page)
})

test('the page has a content security policy without exceptions, and cannot be framed', async () => {
  await using site = await startSite()
  await using window = await openWindow(site.app.url)
  const answer = await window.page.goto('/sign-in')
  const headers = answer?.headers() ?? {}
  const policy = headers['content-security-policy'] ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.match(policy, /require-trusted-types-for 'script'/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.ok(headers['referrer-policy'])
  assert.equal(headers['strict-transport-security'], undefined) // never for localhost
})
