import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contactOf, holdTurnsBack, write } from '../../../server/test/helpers/bots.ts'
import { signIn } from '../../../server/test/helpers/sessions.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { openSignedIn, startSite } from '../helpers/site.ts'

test('who was answered no longer shows how long they waited, while their row stays until one leaves it', async () => {
  await using site = await startSite()
  const { app, account } = site
  await holdTurnsBack(app)
  for (const fromId of ['Ana', 'Dev']) await write(account, `This is ${fromId}`, { fromId, firstName: fromId })
  const waits = { waitingSince: new Date(Date.now() - 3_600_000), waitingReason: 'asked' }
  await app.db.updateTable('conversations').set(waits).execute()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go(`/inbox/${await contactOf(app, 'Ana')}?filter=waiting`)
  const rowOf = (name: string) => page.locator('.convo', { hasText: name })
  const age = page.getByTitle(/^Waiting for a person, 1 h/)
  await rowOf('Ana')
    .and(page.locator('.convo', { has: age }))
    .waitFor()
  await page.getByLabel(/^Message to/).fill('Good morning')
  await page.keyboard.press('Enter')
  await page.locator('.bubble.person').getByText('Good morning').waitFor()
  await rowOf('Ana')
    .and(page.locator('.convo', { hasNot: age }))
    .waitFor()
  assert.equal(await rowOf('Dev').locator(age).count(), 1, 'who was not answered still waits')
  await rowOf('Dev').focus() // with the pointer over it the list would stay as it is
  await page.keyboard.press('Enter')
  await rowOf('Ana').waitFor({ state: 'detached' })
})

test('what the palette does not show of a search is one choice away, in the inbox', async () => {
  await using site = await startSite()
  const { app, account } = site
  await holdTurnsBack(app)
  for (let n = 1; n <= 33; n += 1) await write(account, `The lantern number ${n}`, { fromId: `from ${n % 5}` })
  const { call } = await signIn(app, account)
  const isCounted = async () => (await call('GET', '/api/search/count?q=lantern')).body.count === 33
  await until(isCounted, 'the words of the messages are not found')
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/lists')
  await page.getByRole('heading', { name: 'Lists', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).fill('lantern')
  const found = page.getByRole('option', { name: /The lantern number/ })
  await found.first().waitFor()
  assert.equal(await found.count(), 20)
  await page.getByRole('option', { name: 'All messages with “lantern”, in the inbox' }).click()
  await page.getByRole('region', { name: 'Messages · 20 of 33' }).waitFor()
  assert.equal(await page.getByLabel('Search conversations').inputValue(), 'lantern')
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByRole('region', { name: 'Messages · 33' }).waitFor()
  // Emptied, the list is there again, and what was looked for does not come back.
  await page.getByRole('button', { name: 'Clear the search' }).click()
  await page.getByRole('region', { name: /^Messages/ }).waitFor({ state: 'detached' })
})
