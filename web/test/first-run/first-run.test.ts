import assert from 'node:assert/strict'
import { test } from 'node:test'
import { write } from '../../../server/test/helpers/bots.ts'
import { startReceiver } from '../../../server/test/helpers/receivers.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { givePassword, openSignedIn, openWindow, signInByForm, startSite } from '../helpers/site.ts'

test('from signing in through the first run to the first delivered reply by clicking only; each step turns green by itself', async () => {
  await using site = await startSite()
  await givePassword(site)
  let status = 500
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end())
  await using window = await openWindow(site.app.url)
  const { page } = window
  await window.go('/')
  await signInByForm(page, site.account.email)
  await page.getByRole('heading', { name: 'Plug in your first channel' }).waitFor()
  await assertAccessible(page)
  const steps = page.locator('.step')
  const isDone = (n: number) => steps.nth(n).and(page.locator('.done')).waitFor()
  await isDone(0)

  const about = page.getByRole('form', { name: 'About you' })
  await about.getByLabel('Name of the business').fill('Kettle Lane Cycles')
  await about.getByLabel('Your name').fill('Ines Ortega')
  await page.route('**/api/account', (route) => route.abort())
  await about.getByLabel('Time zone').fill('Europe/Lisbon')
  await about.getByRole('button', { name: 'Save' }).click()
  await about.getByRole('alert').getByText('The server did not answer.').waitFor()
  assert.equal(await about.getByLabel('Time zone').getAttribute('aria-invalid'), null, 'the zone is not at fault')
  await page.unroute('**/api/account')
  assert.ok((await about.locator('option[value="Africa/Abidjan"]').count()) > 0, 'zones are offered')
  await about.getByRole('button', { name: 'Save' }).click()
  const line = page.getByText('Ines Ortega, Kettle Lane Cycles, Europe/Lisbon.')
  await line.waitFor()
  await line.and(page.locator(':focus')).waitFor()
  const signal = page.getByRole('img', { name: /Your platform is/ })
  const says = async (text: string) => signal.getByText(text, { exact: true }).waitFor()

  await steps.nth(1).getByRole('button', { name: 'Try it here' }).click()
  await isDone(1)
  await steps.nth(1).getByText('First message received, a simulated one').waitFor()
  await says('no real message yet')

  await page.getByLabel('Webhook URL').fill(receiver.url)
  await page.getByRole('button', { name: 'Save and test' }).click()
  await says('did not take the test post')
  await page.getByText('Saved. The test post was not taken.').waitFor()

  await page.getByLabel('Answer', { exact: true }).fill('We open at nine.')
  await page.getByRole('button', { name: 'Add the answer' }).click()
  await isDone(3)

  const tryIt = steps.nth(4).getByRole('button', { name: 'Try it here' })
  if (await tryIt.isVisible()) await tryIt.click({ timeout: 5_000 }).catch(() => {}) // the reply to the first message may come first
  await isDone(4)
  await steps.nth(4).getByText('First reply delivered, to the simulator').waitFor()
  await says('did not take the test post')
  assert.equal(await signal.locator('.signal-cable.on').count(), 0, 'no cable is plugged in')
  status = 200
  await page.getByRole('button', { name: 'Test again' }).click()
  await isDone(2)
  await says('answers the test')
  await page.getByRole('heading', { name: 'All five steps are done' }).waitFor()
  assert.equal(await page.getByText('replies reach your server').count(), 0, 'none did')

  await write(site.account, 'When do you open?', { fromId: 'ben', firstName: 'Ben' })
  await page.getByRole('heading', { name: 'Your first channel is plugged in' }).waitFor()
  await page.getByText('messages come in, and replies reach your server').waitFor()
  await says('takes replies')
  await assertAccessible(page)
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
  await page.getByRole('link', { name: 'Download the certificate' }).first().waitFor() // that the command names
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
