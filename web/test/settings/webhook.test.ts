import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUrl, sendOne, verify } from '../../../server/test/helpers/deliveries.ts'
import { startReceiver } from '../../../server/test/helpers/receivers.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { givePassword, openSignedIn, password, startSite } from '../helpers/site.ts'

test('an address is saved and tested; a failing receiver shows its cause and the next try; sending again turns the reply Sent without a reload', async () => {
  await using site = await startSite({ DELIVERY_RETRY_SECONDS: '1000,1000' })
  let status = 204
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end('no room'))
  await using window = await openSignedIn(site, { width: 1440 })
  const { page } = window
  await window.go('/settings/webhook')
  await page.getByText('No webhook is saved.').waitFor()
  await page.getByLabel('URL').fill(receiver.url)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Nothing was posted to it yet.').waitFor()
  await page.getByRole('button', { name: 'Send a test post' }).click()
  await page.getByText('A wrong signature was accepted too.').waitFor()
  await page.getByText('Your server answered the test post.').waitFor()

  status = 503
  await sendOne(site.account, { firstName: 'Marta', body: 'We open at nine.' })
  await window.go('/settings/webhook')
  await page.getByText('Your server answered 503.').waitFor()
  await page.getByText(/Next try in \d+:\d\d/).waitFor()
  await page.getByRole('row', { name: /Failed\s*503.*Marta.*We open at nine\./ }).waitFor()
  await assertAccessible(page)

  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  status = 204
  await page.getByRole('button', { name: 'Send again', exact: true }).click()
  await page.getByText('After 2 tries').waitFor()
  await page.getByRole('row', { name: /Sent.*Marta/ }).waitFor()
  await page.getByText('Your server takes replies.').waitFor()
  assert.equal(await page.evaluate(() => 'isSamePage' in window), true)
})

test('the headers that the app shows verify with the secret, which it reveals after the password', async () => {
  await using site = await startSite()
  await givePassword(site)
  await using receiver = await startReceiver()
  const secret = await saveUrl(site.app, site.account, receiver.url)
  await sendOne(site.account, { body: "It's open" })
  await using window = await openSignedIn(site, { width: 1440 })
  const { page } = window
  await window.go('/settings/webhook')
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  const curl = await page.evaluate(() => navigator.clipboard.readText())
  const headers = Object.fromEntries(
    [...curl.matchAll(/-H '([\w-]+): (.*)' \\/g)].map(([, name, value]) => [name, value]),
  )
  const body = /--data-raw '(.*)'$/.exec(curl)?.[1]?.replaceAll(`'\\''`, "'") ?? ''
  verify(secret, { headers, body: Buffer.from(body) })

  await page.getByRole('button', { name: 'Reveal; asks for your password' }).click()
  await page.getByLabel('Your password', { exact: true }).fill('wrong password')
  await page.getByRole('button', { name: 'Show the secret' }).click()
  await page.getByText('That is not your password.').waitFor()
  assert.equal(await page.getByText(secret).count(), 0)
  await page.getByLabel('Your password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Show the secret' }).click()
  await page.getByText(secret).waitFor()
})

test('the webhook page is accessible in either theme and fits 360 px', async () => {
  await using site = await startSite({ DELIVERY_RETRY_SECONDS: '1000,1000' })
  await using receiver = await startReceiver((_request, response) => response.writeHead(503).end('no room'))
  await saveUrl(site.app, site.account, receiver.url)
  await sendOne(site.account, { fromId: 'first', body: 'An older one' })
  const id = await sendOne(site.account, { firstName: 'Marta', body: 'verylongword'.repeat(40) })
  await using window = await openSignedIn(site, { width: 360 })
  await window.go(`/settings/webhook#${id}`)
  await window.page.getByText('Your server answered 503.').waitFor()
  await assertAccessible(window.page)
  assert.equal(await window.page.evaluate(() => document.documentElement.scrollWidth), 360)
  const detail = await window.page.locator('.detail').boundingBox()
  const older = await window.page.getByRole('row', { name: /An older one/ }).boundingBox()
  assert.ok(detail && older && older.y >= detail.y + detail.height, 'the detail pushes later rows down')
})
