import assert from 'node:assert/strict'
import { test } from 'node:test'
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
