import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addContact, addMessage, makeActive, openReportWorld } from '../../server/test/helpers/report-world.ts'
import { until } from '../../server/test/helpers/until.ts'
import { assertAccessible } from './helpers/axe.ts'
import { openSignedIn, type Site, startSite } from './helpers/site.ts'

/** Yesterday: three questions on two channels, answered by the bot, by a person, and by nobody. */
async function fill({ app, account }: Site): Promise<void> {
  const world = openReportWorld(app.db, account.accountId)
  for (const [author, channel] of [
    ['bot', 'Web chat'],
    ['person', 'Web chat'],
    [undefined, 'SMS gateway'],
  ] as const) {
    const contactId = await addContact(world)
    await addMessage(world, { contactId, channel, author: 'contact' })
    world.clock += 4_000
    if (author) await addMessage(world, { contactId, channel, author, arrivesAfter: 180 })
  }
  await makeActive(world)
}

test('reports are reached by G P, say what to do while there is nothing, and show who answered: chart, table, channels, file; by keyboard, in both themes and on a phone', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/contacts')
  await page.getByRole('link', { name: 'Reports' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByText('Nothing to count yet.').waitFor()
  await assertAccessible(page)

  await fill(site)
  const isCounted = async () =>
    (await site.app.db.selectFrom('reportDays').select('day').where('messagesIn', '=', 3).execute()).length > 0
  await until(isCounted, 'it was not counted')
  await page.reload()
  const figure = (name: string) => page.locator('.kpis-one', { hasText: name }).locator('.kpis-value')
  await page.getByText('3 more than the 30 days before').waitFor()
  assert.deepEqual(
    await Promise.all(
      ['Messages in', 'Bot resolved', 'First response', 'Delivered'].map((name) => figure(name).textContent()),
    ),
    ['3', '100 %', '4 s', '100 %'],
  )
  await page.getByRole('button', { name: 'How “First response” is counted' }).press('Enter')
  await page.getByText('From the first message that waits to the first reply', { exact: false }).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')

  const chart = page.getByRole('slider')
  await chart.focus()
  await page.keyboard.press('ArrowLeft')
  assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /: 3 messages; bot 1, person 1, nobody yet 1$/)
  await page.locator('.bar-tip').getByText('Nobody yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Table' }).press('Enter')
  await page.getByRole('table', { name: 'By day' }).getByRole('row').nth(2).getByText('4 s').first().waitFor()
  await assertAccessible(page)

  const channels = page.getByRole('table', { name: 'By channel' })
  assert.equal(await channels.getByRole('row').count(), 3)
  await page.getByRole('button', { name: 'All channels' }).press('Enter')
  await page.getByRole('menuitem', { name: 'SMS gateway' }).press('Enter')
  await page.waitForURL(/channel=SMS/)
  await page.getByText('no replies of the bot').waitFor()
  assert.equal(await channels.getByRole('row').count(), 2)
  await page.getByRole('button', { name: '7 d' }).press('Enter')
  await page.getByText('1 more than the 7 days before').waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV' }).click()])
  assert.equal(file.suggestedFilename(), 'reports.csv')

  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('button', { name: 'Chart' }).click()
  await assertAccessible(page)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Reports' }).waitFor()
})

test('the zone of the browser is offered, one that does not exist is refused, and reports follow', async () => {
  await using site = await startSite()
  await fill(site)
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/settings/account')
  const field = page.getByLabel('Time zone of the account')
  await field.fill('Europe/Nowhere')
  await field.press('Enter')
  await page.getByText('There is no time zone "Europe/Nowhere"', { exact: false }).waitFor()
  window.problems.splice(0) // the refused request
  await assertAccessible(page)
  await field.fill('Asia/Kathmandu')
  await field.press('Enter')
  await page.getByText('Saved. Reports follow in a moment.').waitFor()
  await window.go('/reports')
  await page.getByText('Days begin at midnight in Asia/Kathmandu.').waitFor()
  await page.getByText('3 more than the 30 days before').waitFor()
})
