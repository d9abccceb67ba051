import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from '../../../server/test/helpers/receivers.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { givePassword, openSignedIn, openWindow, signInByForm, startSite } from '../helpers/site.ts'

test('from signing in through the first run to the first delivered reply by clicking only; each step turns green by itself', async () => {
  await using site = await startSite()
  await givePassword(site)
  await using receiver = await startReceiver()
  await using window = await openWindow(site.app.url)
  const { page } = window
  await window.go('/')
  await signInByForm(page, site.account.email)
  await page.getByRole('heading', { name: 'Plug in your first channel' }).waitFor()
  await assertAccessible(page)
  const steps = page.locator('.step')
  const isDone = (n: number) => steps.nth(n).and(page.locator('.done')).waitFor()
  await isDone(0)

  await steps.nth(1).getByRole('button', { name: 'Try it here' }).click()
  await isDone(1)

  await page.getByLabel('Webhook URL').fill(receiver.url)
  await page.getByRole('button', { name: 'Save and test' }).click()
  await isDone(2)

  await page.getByLabel('Answer', { exact: true }).fill('We open at nine.')
  await page.getByRole('button', { name: 'Add the answer' }).click()
  await isDone(3)

  const tryIt = steps.nth(4).getByRole('button', { name: 'Try it here' })
  if (await tryIt.isVisible()) await tryIt.click({ timeout: 5_000 }).catch(() => {}) // the reply to the first message may come first
  await isDone(4)
  await page.getByRole('heading', { name: 'Your first channel is plugged in' }).waitFor()
  await page.getByRole('link', { name: 'Go to the inbox' }).click()
  await page.waitForURL(/inbox/)
  await window.go('/')
  await page.waitForURL(/inbox/)
})

test('a command that is copied works with the key that was just generated', async () => {
  await using site = await startSite()
  const { app } = site
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/first-run')
  await page.getByRole('button', { name: 'Lost it? Make a new one' }).click()
  await page.getByRole('button', { name: 'End it and generate' }).click()
  await page.getByText('Shown until you leave this page.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Copy command' }).first().click()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  const apiKey = /x-api-key: (pb_[\w-]+)'/.exec(command)?.[1] ?? ''
  const body = JSON.parse(/-d '([^']*)'/.exec(command)?.[1] ?? '')
  const posted = await app.call('POST', '/incoming_custom_channel_message', { key: apiKey, body })
  assert.equal(posted.status, 200)
  await page.getByText('First message received').waitFor() // without a reload
  await page.getByText('“Is anyone there?”').waitFor()
})

test('once hidden, the steps are home no longer', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site, { width: 360 })
  const { page } = window
  await window.go('/')
  await page.getByRole('button', { name: 'Hide it' }).click()
  await page.getByText('This list no longer opens by itself.').waitFor()
  await assertAccessible(page)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  await window.go('/')
  await page.waitForURL(/inbox/)
})
