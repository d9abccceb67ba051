import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSubaccount } from '../../../server/src/business/accounts/create.ts'
import { addMember, signIn } from '../../../server/test/helpers/sessions.ts'
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
  assert.equal(new URL(url).origin, site.app.url, 'by the name that the page was opened by')
  await owner.page.getByText('It works on this machine alone').waitFor()
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

test('an owner makes a link with which a colleague sets a new password, once, and may withdraw it before', async () => {
  await using site = await startSite()
  await using owner = await openSignedIn(site)
  await owner.go('/settings/team')
  const make = async () => {
    await owner.page.getByRole('button', { name: 'What to do with owner1' }).click()
    await owner.page.getByRole('menuitem', { name: 'Link for a new password' }).click()
    await owner.page.getByRole('button', { name: 'Copy password link' }).waitFor()
  }
  await make()
  const open = owner.page.getByRole('region', { name: 'Password links that nobody has used' })
  await open.getByText('For owner1, made by owner1').waitFor()
  await owner.page.getByRole('button', { name: 'Close' }).click()
  await open.getByRole('button', { name: 'Withdraw: For owner1, made by owner1' }).click()
  await open.waitFor({ state: 'detached' })
  await make()
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

test('who may not manage sees no button for it; an owner lets them, and they do', async () => {
  await using site = await startSite()
  const { app, account } = site
  await account.post('/contacts', { firstName: 'Ana', phone: '+15551234567' })
  const userId = await addMember(app, account.accountId, 'mia@example.com')
  const list = await account.post('/contacts', { phone: '+15551234567' })
  await account.post(`/lists/${account.listId}/contacts`, { contactId: list.body.id })
  await using member = await openSignedIn({ ...site, account: { ...account, userId } })
  const { page } = member
  const buttons = async () => {
    const seen: string[] = []
    const note = async (name: string) => {
      const found = page.getByRole('button', { name }).or(page.getByRole('link', { name }))
      if ((await found.count()) > 0) seen.push(name)
    }
    await member.go('/contacts')
    await page.getByText('Ana').first().waitFor()
    for (const name of ['Import', 'Export']) await note(name)
    await page.getByRole('button', { name: 'More for Ana' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
    if ((await page.getByRole('menuitem', { name: /Erase/ }).count()) > 0) seen.push('Erase')
    await member.go(`/lists/${account.listId}`)
    await page.getByRole('button', { name: 'Rename' }).first().waitFor()
    for (const name of ['Export', 'Write to this list', 'Delete list']) await note(name)
    await member.go('/broadcasts')
    await page.getByText('No broadcasts yet').waitFor()
    await note('New broadcast')
    return seen
  }
  assert.deepEqual(await buttons(), [])

  await using owner = await openSignedIn(site)
  await owner.go('/settings/team')
  await owner.page.getByRole('button', { name: 'What to do with Mia Member' }).click()
  await owner.page.getByRole('menuitem', { name: 'Let them manage' }).click()
  await owner.page.getByRole('cell', { name: 'Member, manages' }).waitFor()
  assert.deepEqual(await buttons(), ['Import', 'Write to this list', 'Delete list', 'New broadcast'])
  await owner.go('/contacts')
  await owner.page.getByRole('button', { name: 'More for Ana' }).click()
  await owner.page.getByRole('menuitem', { name: /Erase/ }).waitFor()
})

test('an owner of a sub-account is told that the agency made a link for the password, and says that it was read', async () => {
  await using site = await startSite()
  const { app } = site
  const agency = await app.makeAccount({ kind: 'agency' })
  await app.db.updateTable('accounts').set({ name: 'Studio' }).where('id', '=', agency.accountId).execute()
  const sub = await app.db
    .transaction()
    .execute((tx) => createSubaccount(tx, agency.accountId, { email: 'sub@example.com', password: long }))
  const visitor = await signIn(app, agency)
  const made = await visitor.call('POST', `/api/agency/subaccounts/${sub.accountId}/password`)
  assert.equal(made.status, 200)
  await using holder = await openSignedIn({
    ...site,
    account: { ...agency, accountId: sub.accountId, userId: sub.userId },
  })
  await holder.go('/settings/team')
  const notice = holder.page.getByText('Your agency Studio made a link for a new password')
  await notice.waitFor()
  await holder.page.getByText('For sub, made by your agency Studio').waitFor()
  await holder.page.getByText('Nobody has used it yet. If you did not ask for it, withdraw it').waitFor()
  await holder.page.getByRole('button', { name: 'Withdraw: For sub, made by your agency Studio' }).click()
  await holder.page.getByText('Nobody has used it, and it works no longer.').waitFor()
  assert.equal(await holder.page.getByText('withdraw it').count(), 0)

  await holder.page.route('**/api/session/told', (route) => route.abort())
  await holder.page.getByRole('button', { name: 'Understood' }).click()
  await holder.page.getByText('The server did not answer.').first().waitFor()
  await holder.page.unroute('**/api/session/told')
  holder.problems.splice(0) // the request that was cut off
  await holder.page.getByRole('button', { name: 'Understood' }).click()
  await notice.waitFor({ state: 'detached' })
  await holder.go('/settings/audit')
  await holder.page.getByText('Made a link for a new password of sub').waitFor()
  assert.equal(await notice.count(), 0)
})
