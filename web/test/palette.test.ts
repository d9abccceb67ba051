import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../../server/test/helpers/sessions.ts'
import { openSignedIn, startSite } from './helpers/site.ts'

test('lists that the palette does not show are one choice away, which is offered only where there are more', async () => {
  await using site = await startSite()
  const { call } = await signIn(site.app, site.account)
  for (let n = 1; n <= 21; n += 1) await call('POST', '/api/lists', { name: `Autumn ${n}` })
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/contacts')
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('Autumn 21')
  await page.getByRole('option', { name: /^Autumn 21/ }).waitFor()
  const all = page.getByRole('option', { name: 'All lists' })
  assert.equal(await all.count(), 0)
  await page.getByRole('combobox').fill('Autumn')
  await all.waitFor()
  assert.equal(await page.getByRole('option', { name: /^Autumn/ }).count(), 20)
  await all.click()
  await page.getByRole('link', { name: /^Autumn 21/ }).waitFor()
  assert.match(page.url(), /\/lists/)
})
