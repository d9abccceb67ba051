import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { assertAccessible } from '../helpers/axe.ts'
import { openSignedIn, startSite } from '../helpers/site.ts'

test('a refused call appears among the last calls at once, with its code, its sentence and its request id', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/develop/calls')
  await page.getByText('No call yet').waitFor()
  await site.account.post('/contacts', { phone: '+15551234567' })
  const refused = await site.account.post('/contacts', { phone: 'nonsense' })
  const table = page.getByRole('table', { name: 'Last calls' })
  const line = table.getByRole('row').filter({ hasText: 'INVALID_PHONE' })
  await line.getByText(refused.body.error.message).waitFor()
  await line.getByText(String(refused.headers['x-request-id'])).waitFor()
  assert.equal(await table.getByRole('row').count(), 3)
  await assertAccessible(page)
  await page.getByRole('button', { name: /Refused/ }).press('Enter')
  assert.equal(await table.getByRole('row').count(), 2)
  await page.setViewportSize({ width: 360, height: 740 })
  await assertAccessible(page)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
})

test('the reference has the address of this server, and its curl works as it is copied', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/develop/reference')
  await page.getByRole('heading', { name: 'Accept a message from an external system' }).waitFor()
  await assertAccessible(page)
  await page.getByLabel('Key').fill(site.account.apiKey)
  await page.getByRole('button', { name: 'Copy code' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  const shown = await page.getByRole('button', { name: 'Copy base URL' }).locator('..').innerText()
  assert.ok(copied.includes(`${shown.trim()}/incoming_custom_channel_message`))
  // The site of a test has another port than its configuration says.
  const command = copied.replace(shown.trim(), `${site.app.url}/v1`)
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  assert.equal(JSON.parse(stdout).success, true)
  for (const language of ['Node', 'Python', 'PHP']) {
    await page.getByRole('button', { name: language, exact: true }).click()
    await page.locator('.ex pre').first().getByText(site.account.apiKey).waitFor()
  }
  await page.getByRole('link', { name: 'Errors' }).click()
  await page.getByText('LIST_NOT_FOUND').waitFor()
  await page.getByRole('link', { name: 'Check a signature' }).click()
  await page.getByText('timingSafeEqual').first().waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  await assertAccessible(page)
  await window.go('/develop/reference?at=createContact')
  await page.getByRole('heading', { name: 'Create a contact' }).waitFor()
  await assertAccessible(page)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
})
