import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSubaccount } from '../../../server/src/accounts/create.ts'
import { openSignedIn, openWindow, startSite } from '../helpers/site.ts'

const long = 'a good long password'

test('somebody joins by the link, is seen at once, is removed, and the next click says so', async () => {
  await using site = await startSite()
  await using owner = await openSignedIn(site)
  await owner.go('/settings/team')
  await owner.page.getByRole('button', { name: 'New link' }).click()
  await owner.page.getByRole('button', { name: 'Copy invitation link' }).click()
  const url = await owner.page.evaluate(() => navigator.clipboard.readText())
  assert.match(url, /\/join#[\w-]{43}$/)
  await owner.page.getByText('Invitations that nobody has used').waitFor()

  await using joiner = await openWindow(site.app.url, { width: 360, height: 740 })
  await joiner.page.goto(`/join#${url.split('#')[1]}`)
  await joiner.page.getByRole('heading', { name: 'Join owner1@example.com' }).waitFor()
  await joiner.page.getByRole('button', { name: 'Join' }).click()
  await joiner.page.getByText('Enter your name.').waitFor()
  await joiner.page.getByLabel('Your name').fill('Tom Birch')
  await joiner.page.getByLabel('E-mail').fill('tom@example.com')
  await joiner.page.getByLabel('Password').fill(long)
  await joiner.page.getByRole('button', { name: 'Join' }).click()
  await joiner.page.waitForURL((at) => at.pathname !== '/join')

  const row = owner.page.getByRole('row', { name: /Tom Birch/ })
  await row.waitFor()
  await row.getByRole('button', { name: 'What to do with Tom Birch' }).click()
  await owner.page.getByRole('menuitem', { name: 'Remove…' }).click()
  await owner.page.getByRole('button', { name: 'Remove Tom Birch' }).click()
  await row.waitFor({ state: 'detached' })

  await joiner.page.getByText('You were removed from this account.').waitFor()
  joiner.problems.splice(0) // the refused requests
  await owner.go('/settings/audit')
  const lines = owner.page.getByRole('table', { name: 'Audit' })
  await lines.getByText('Removed Tom Birch').waitFor()
  await lines.getByText('Joined as a member').waitFor()
  await owner.page.getByLabel('Search the audit').fill('invited')
  await lines.getByText('Removed Tom Birch').waitFor({ state: 'detached' })
  await lines.getByText('Invited a member by link').waitFor()
})

test('an owner makes a link with which a colleague sets a new password, once', async () => {
  await using site = await startSite()
  await using owner = await openSignedIn(site)
  await owner.go('/settings/team')
  await owner.page.getByRole('button', { name: 'What to do with owner1' }).click()
  await owner.page.getByRole('menuitem', { name: 'Link for a new password' }).click()
  await owner.page.getByRole('button', { name: 'Copy password link' }).click()
  const url = await owner.page.evaluate(() => navigator.clipboard.readText())
  await using other = await openWindow(site.app.url)
  await other.page.goto(`/join#${url.split('#')[1]}`)
  await other.page.getByText('for owner1@example.com').waitFor()
  await other.page.getByLabel('New password').fill(long)
  await other.page.getByRole('button', { name: 'Set password' }).click()
  await other.page.waitForURL((at) => at.pathname !== '/join')
  await using late = await openWindow(site.app.url)
  await late.page.goto(`/join#${url.split('#')[1]}`)
  await late.page.getByRole('heading', { name: 'This link was used or has ended' }).waitFor()
  late.problems.splice(0) // the refused request
  await owner.page.getByText('You are signed out').waitFor()
  owner.problems.splice(0)
})

test('a member sees neither team nor audit; an agency that visits is told where it is, and leaves', async () => {
  await using site = await startSite()
  const agency = await site.app.makeAccount({ kind: 'agency' })
  const sub = await site.app.db
    .transaction()
    .execute((tx) => createSubaccount(tx, agency.accountId, { email: 'sub@example.com', password: long }))
  await using window = await openSignedIn({ ...site, account: agency })
  await window.go('/settings/account')
  await window.page.getByRole('link', { name: 'Team' }).waitFor()
  const status = await window.page.evaluate(async (accountId) => {
    const body = JSON.stringify({ accountId })
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/api/session/visit', { method: 'POST', headers, body })).status
  }, sub.accountId)
  assert.equal(status, 200)
  await window.go('/settings/account')
  await window.page.getByText('You are in the app of sub@example.com as its agency.').waitFor()
  assert.equal(await window.page.getByRole('link', { name: 'Team' }).count(), 0)
  await window.page.getByRole('button', { name: 'Leave' }).click()
  await window.page.waitForURL((at) => at.pathname !== '/settings/account')
  await window.go('/settings/account')
  await window.page.getByRole('link', { name: 'Team' }).waitFor()
  assert.equal(await window.page.getByText('as its agency').count(), 0)
})
