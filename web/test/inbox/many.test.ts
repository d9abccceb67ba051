import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { insertManyConversations } from '../../../server/test/helpers/many-conversations.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { openSignedIn, startSite } from '../helpers/site.ts'

const many = 10_000

type Shown = { rows: { index: number; name: string; isOpen: boolean }[]; height: number }

/** The rows in the page, and the height of the whole list in rows. */
function shown(page: Page): Promise<Shown> {
  return page.evaluate(() => ({
    rows: [...document.querySelectorAll<HTMLElement>('.convo-list > li')].map((item) => ({
      index: Number(item.dataset.index),
      name: item.querySelector('.convo-who bdi')?.textContent ?? '',
      isOpen: item.querySelector('[aria-current]') !== null,
    })),
    height: (document.querySelector('.convo-list')?.clientHeight ?? 0) / 60,
  }))
}

/** Every row is where it belongs, so none is missing, none is there twice; and few of them are in the page. */
async function assertInPlace(page: Page): Promise<Shown> {
  const now = await shown(page)
  assert.ok(now.rows.length > 0 && now.rows.length < 60, `${now.rows.length} rows are in the page`)
  for (const { index, name } of now.rows) assert.equal(name, `Person ${index + 1}`)
  return now
}

/** Scrolls down as the list grows, until it has so many rows; returns those that were not in their place on the way. */
async function scrollToEnd(count: number): Promise<string[]> {
  const misplaced = new Set<string>()
  const giveUpAt = performance.now() + 240_000
  const height = () => (document.querySelector('.convo-list')?.clientHeight ?? 0) / 60
  while (height() < count && performance.now() < giveUpAt) {
    const frame = document.querySelector('.convos')
    frame?.scrollTo(0, frame.scrollHeight)
    await new Promise((done) => setTimeout(done, 10))
    for (const item of document.querySelectorAll<HTMLElement>('.convo-list > li')) {
      const name = item.querySelector('.convo-who bdi')?.textContent
      if (name !== `Person ${Number(item.dataset.index) + 1}`) misplaced.add(`${name} at ${item.dataset.index}`)
    }
  }
  return [...misplaced]
}

const row = (page: Page, n: number) => page.locator(`.convo[data-contact="con_${n.toString(16).padStart(32, '0')}"]`)

test('10,000 conversations are scrolled through to the end, each in its place, with few rows in the page; the open one stays open', async () => {
  await using site = await startSite({ ROLE: 'api' })
  await insertManyConversations(site.app, site.account, many)
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/inbox')
  await row(page, 3).click()
  await page.getByRole('log').getByText('Text of 3', { exact: true }).waitFor()
  await page.mouse.move(700, 400) // a pointer over the list would hold its rows in place
  for (let pages = 0; pages < 3; pages += 1) {
    await page.keyboard.press('PageDown')
    await assertInPlace(page)
  }
  for (let presses = 0; presses < 3; presses += 1) {
    await page.keyboard.press('End')
    await assertInPlace(page)
  }
  assert.deepEqual(await page.evaluate(scrollToEnd, many), [])
  await page.keyboard.press('End')
  await row(page, many).waitFor()
  await assertInPlace(page)
  assert.equal((await shown(page)).height, many)
  assert.deepEqual(
    (await shown(page)).rows.filter(({ isOpen }) => isOpen).map(({ name }) => name),
    ['Person 3'],
  )
  await page.getByRole('heading', { name: 'Person 3', level: 2 }).first().waitFor()

  await site.account.post('/incoming_custom_channel_message', {
    customData: { messageSid: 'news', fromId: 'external-9000', toId: 'shop', body: 'News', channel: 'Web chat' },
  })
  await until(async () => (await shown(page)).rows.some(({ name }) => name === 'Person 10000'), 'the place was lost')
  await page.keyboard.press('Home')
  await row(page, 9_000).getByText('News').waitFor()
  assert.equal((await shown(page)).height, many)
})

test('J goes on past the rows that are loaded, and a conversation that was open before shows at once, without the server', async () => {
  await using site = await startSite({ ROLE: 'api' })
  await insertManyConversations(site.app, site.account, 120)
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/inbox')
  await row(page, 1).waitFor()
  for (let n = 1; n <= 60; n += 1) {
    await page.keyboard.press('j')
    await row(page, n).and(page.locator('[aria-current]')).waitFor()
  }
  await assertInPlace(page)
  await page.getByRole('log').getByText('Text of 60', { exact: true }).waitFor()
  await page.getByText('Bot answers here.').waitFor() // another request than that of its messages
  await page.keyboard.press('k')
  await page.getByRole('log').getByText('Text of 59', { exact: true }).waitFor()
  await page.route('**/api/**', () => {}) // from now on nothing is answered
  await page.keyboard.press('j')
  await page.getByRole('log').getByText('Text of 60', { exact: true }).waitFor()
  await page.getByText('Bot answers here.').waitFor()
  assert.equal(await page.locator('[data-pane="thread"] .skeleton').count(), 0)
})
