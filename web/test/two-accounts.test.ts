import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { contactOf, holdTurnsBack, write } from '../../server/test/helpers/bots.ts'
import { untilMessages } from '../../server/test/helpers/deliveries.ts'
import type { TestAccount } from '../../server/test/helpers/harness.ts'
import { addMember, signIn } from '../../server/test/helpers/sessions.ts'
import { until } from '../../server/test/helpers/until.ts'
import { givePassword, openSignedIn, type Site, signInByForm, startSite, type Window } from './helpers/site.ts'

/** Two accounts with a conversation each; the browser is signed in to the first, and its tab shows that conversation. */
async function startTwo(): Promise<Site & { other: TestAccount }> {
  const site = await startSite()
  await holdTurnsBack(site.app)
  const other = await site.app.makeAccount()
  for (const account of [site.account, other]) await givePassword({ ...site, account })
  await write(site.account, 'For the first account', { fromId: 'ana', firstName: 'Ana' })
  await write(other, 'For the second account', { fromId: 'ben', firstName: 'Ben' })
  return { ...site, other }
}

/** Until it is marked as read and the page asks for nothing more by itself. */
async function openThread(site: Site, { page, go }: Window): Promise<void> {
  let askedAt = 0
  const note = () => {
    askedAt = performance.now()
  }
  page.on('request', note)
  const isRead = page.waitForResponse((response) => response.url().endsWith('/read'))
  await go(`/inbox/${await contactOf(site.app, 'ana')}`)
  await page.getByRole('log').getByText('For the first account').waitFor()
  await isRead
  await until(() => performance.now() - askedAt > 1_500, 'the page does not stop asking')
  page.off('request', note)
}

const composer = (page: Page) => page.getByLabel(/^Message to/)

/** As signing in does in a tab that cannot tell the others. */
async function swapCookie({ app }: Site, { context }: Window, as: Parameters<typeof signIn>[1]): Promise<void> {
  const [name = '', value = ''] = (await signIn(app, as)).cookie.split('=')
  await context.addCookies([{ name, value, url: app.url, secure: true, httpOnly: true, sameSite: 'Lax' }])
}

test('when another account signs in in a second tab, the first says so and shows nothing more; drafts stay with their writer', async () => {
  await using site = await startTwo()
  await using window = await openSignedIn(site)
  const { page } = window
  await openThread(site, window)
  await composer(page).fill('A draft of the first')
  const second = await window.context.newPage()
  await second.goto('/sign-in')
  await signInByForm(second, site.other.email)
  await second.goto('/inbox')
  await second.getByRole('link', { name: /Ben/ }).waitFor()
  assert.equal(await second.getByText(/Ana|For the first account|A draft of the first/).count(), 0)

  await page.waitForURL('**/sign-in**')
  await page.getByText('Somebody else has signed in in this browser; sign in again.').waitFor()
  assert.equal(await page.getByText(/Ana|For the first account|A draft/).count(), 0)
  await write(site.other, 'Another for the second', { fromId: 'ben', firstName: 'Ben' })
  await second.getByText('Another for the second').first().waitFor()
  assert.equal(await page.getByText(/second/).count(), 0)

  await signInByForm(page, site.account.email)
  await page.getByRole('log').getByText('For the first account').waitFor()
  assert.equal(await composer(page).inputValue(), 'A draft of the first')
  await second.waitForURL('**/sign-in**')
})

test('a reply that is sent after another account has signed in goes out from neither, and from its writer once they are back', async () => {
  await using site = await startTwo()
  await using window = await openSignedIn(site)
  const { page } = window
  await openThread(site, window)
  await composer(page).fill('From the first account')
  await swapCookie(site, window, site.other)
  await composer(page).press('Enter')
  await page.waitForURL('**/sign-in**')
  await signInByForm(page, site.other.email)
  await page.goto('/inbox')
  await page.getByRole('link', { name: /Ben/ }).waitFor()
  assert.equal(await page.getByText('From the first account').count(), 0)
  const bodies = async () => (await site.app.db.selectFrom('messages').select('body').execute()).map(({ body }) => body)
  assert.deepEqual((await bodies()).toSorted(), ['For the first account', 'For the second account'])

  await page.goto('/sign-in')
  await signInByForm(page, site.account.email)
  await page.goto('/inbox')
  await page.getByRole('link', { name: /Ana/ }).waitFor()
  const [reply] = await untilMessages(site.app, site.account, (all) => all.length === 2)
  assert.equal(reply?.body, 'From the first account')
  assert.equal((await bodies()).length, 3)
})

test('a reply of one user is never sent in the name of a colleague who signs in in the same tab', async () => {
  await using site = await startTwo()
  const userId = await addMember(site.app, site.account.accountId, 'mia@example.com')
  await givePassword({ ...site, account: { ...site.account, userId } })
  await using window = await openSignedIn(site)
  const { page } = window
  await openThread(site, window)
  await composer(page).fill('Written by the owner')
  await swapCookie(site, window, { ...site.account, userId })
  await composer(page).press('Enter')
  await page.waitForURL('**/sign-in**')
  await signInByForm(page, 'mia@example.com') // without a reload: what the owner began is still in this page
  await page.getByRole('log').getByText('For the first account').waitFor()
  assert.equal(await page.getByText('Written by the owner').count(), 0)
  const isBack = page.waitForResponse((response) => response.url().includes('/api/live'))
  site.app.server.closeAllConnections() // when the connection is back, what waits is tried
  await isBack
  await composer(page).fill('Written by Mia')
  await composer(page).press('Enter')
  await untilMessages(site.app, site.account, (all) => all.length === 2)

  const second = await window.context.newPage()
  await second.goto('/sign-in')
  await signInByForm(second, site.account.email)
  await second.goto('/inbox')
  await untilMessages(site.app, site.account, (all) => all.length === 3)
  const replies = await site.app.db
    .selectFrom('messages')
    .select(['body', 'userId'])
    .where('author', '=', 'person')
    .orderBy('seq')
    .execute()
  assert.deepEqual(replies, [
    { body: 'Written by Mia', userId },
    { body: 'Written by the owner', userId: site.account.userId },
  ])
})

test('a page whose browser has changed accounts hears nothing of the other account, also when its stream begins anew', async () => {
  await using site = await startTwo()
  await using window = await openSignedIn(site)
  const { page } = window
  await openThread(site, window)
  const asked: string[] = []
  const opened: string[] = []
  const isStream = (each: { url: () => string }) => each.url().includes('/api/live')
  page.on('request', (request) => isStream(request) && asked.push(new URL(request.url()).search))
  page.on('response', (response) => isStream(response) && response.ok() && opened.push(response.url()))
  await swapCookie(site, window, site.other)
  site.app.server.closeAllConnections()
  await page.waitForURL('**/sign-in**')
  await page.getByText('Somebody else has signed in in this browser; sign in again.').waitFor()
  await until(() => asked.length > 0, 'no stream was asked for')
  assert.deepEqual([...new Set(asked)], [`?user=${site.account.userId}`])
  assert.deepEqual(opened, [])
})

test('signed out in another tab: the page says so, and a reply that was being written is kept for its writer', async () => {
  await using site = await startTwo()
  await using window = await openSignedIn(site)
  const { page } = window
  await openThread(site, window)
  await composer(page).fill('Half a sent')
  const second = await window.context.newPage()
  await second.goto('/settings/account')
  await second.getByRole('button', { name: 'Sign out', exact: true }).click()
  await second.waitForURL('**/sign-in**')
  await page.waitForURL('**/sign-in**')
  await page.getByText('You are signed out; sign in again.').waitFor()
  assert.equal(await page.getByText(/Ana|For the first/).count(), 0)
  await page.goBack()
  await until(async () => page.url().includes('/sign-in'), 'Back leads to the conversation')
  assert.equal(await page.getByText(/Ana|For the first/).count(), 0)
  await signInByForm(page, site.account.email)
  await page.goto(`/inbox/${await contactOf(site.app, 'ana')}`)
  await page.getByRole('log').getByText('For the first account').waitFor()
  assert.equal(await composer(page).inputValue(), 'Half a sent')
})
