import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { contactOf, holdTurnsBack, write } from '../../server/test/helpers/bots.ts'
import { openSignedIn, type Site, startSite } from './helpers/site.ts'

async function startInbox(): Promise<Site> {
  const site = await startSite({ ROLE: 'api' })
  await holdTurnsBack(site.app)
  await write(site.account, 'Hello', { fromId: 'ana', firstName: 'Ana' })
  await write(site.account, 'Good morning', { fromId: 'ben', firstName: 'Ben' })
  return site
}

/** Goes through what moves: bubbles, sheets, switches, skeletons, cables. Returns the names of what moved for any time. */
async function watchMotion(site: Site, reducedMotion: 'reduce' | 'no-preference'): Promise<string[]> {
  await using window = await openSignedIn(site, { width: 1000 })
  const { page } = window
  await page.emulateMedia({ reducedMotion })
  await page.addInitScript(() => {
    const moved = new Set<string>()
    Object.assign(globalThis, { moved })
    const note = () => {
      for (const each of document.getAnimations()) {
        const ms = Number(each.effect?.getComputedTiming().activeDuration)
        if (ms > 0)
          moved.add(each instanceof CSSAnimation ? each.animationName : (each as CSSTransition).transitionProperty)
      }
    }
    for (const kind of ['animationstart', 'transitionrun']) document.addEventListener(kind, note, true)
  })
  const moved: string[] = []
  const gather = async () =>
    moved.push(...(await page.evaluate(() => [...(globalThis as unknown as { moved: Set<string> }).moved])))
  await window.go(`/inbox/${await contactOf(site.app, 'ana')}`)
  await page.getByRole('log').getByText('Hello').waitFor()
  await page.getByLabel(/^Message to/).fill('A reply')
  await page.getByLabel(/^Message to/).press('Enter')
  await page.locator('.turn.person').first().waitFor()
  await page.getByRole('button', { name: 'Show or hide the contact' }).click()
  await page.getByRole('complementary', { name: 'Contact' }).waitFor()
  await gather()
  for (const path of ['/first-run', '/settings/webhook', '/settings/account']) {
    await window.go(path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await gather()
  }
  const bot = page.getByRole('switch').first()
  for (let times = 0; times < 2; times += 1) {
    const before = await bot.getAttribute('aria-checked')
    await bot.click()
    await page.waitForFunction(
      (was) => document.querySelector('[role=switch]')?.getAttribute('aria-checked') !== was,
      before,
    )
  }
  await gather()
  return [...new Set(moved)]
}

test('nothing moves for who has asked for less motion', async () => {
  await using site = await startInbox()
  assert.ok((await watchMotion(site, 'no-preference')).length > 2, 'nothing moves at all: this test sees no motion')
  assert.deepEqual(await watchMotion(site, 'reduce'), [])
})

/** How an element and what is just around it looks. */
async function look(page: Page, element: Locator): Promise<string> {
  const box = await element.boundingBox()
  assert.ok(box)
  const clip = { x: Math.max(0, box.x - 6), y: Math.max(0, box.y - 6), width: box.width + 12, height: box.height + 12 }
  return (await page.screenshot({ clip, animations: 'disabled' })).toString('base64')
}

const focused = (page: Page) => page.locator('*:focus')

for (const forcedColors of ['active', 'none'] as const) {
  test(`wherever Tab leads in the inbox, the focus can be seen, forced colours ${forcedColors}`, async () => {
    await using site = await startInbox()
    await using window = await openSignedIn(site, { width: 1440 })
    const { page } = window
    await page.emulateMedia({ forcedColors, reducedMotion: 'reduce' })
    await window.go(`/inbox/${await contactOf(site.app, 'ana')}`)
    await page.getByRole('complementary', { name: 'Contact' }).getByText('Ana').first().waitFor()
    await page.evaluate(() => document.fonts.ready)
    const unseen: string[] = []
    const seen = new Set<string>()
    for (let stops = 0; stops < 60; stops += 1) {
      await page.keyboard.press('Tab')
      if ((await focused(page).count()) === 0) break // out of the page
      const element = await focused(page).elementHandle()
      const name = await focused(page).evaluate(
        ({ tagName, className, textContent }) => `${tagName} .${className} ${textContent}`,
      )
      if (seen.has(name) && name.includes('skip')) break
      seen.add(name)
      await focused(page).scrollIntoViewIfNeeded()
      const withFocus = await look(page, focused(page))
      const place = await focused(page).boundingBox()
      await page.evaluate(() => (document.activeElement as HTMLElement).blur())
      assert.ok(element && place)
      const clip = {
        x: Math.max(0, place.x - 6),
        y: Math.max(0, place.y - 6),
        width: place.width + 12,
        height: place.height + 12,
      }
      const without = (await page.screenshot({ clip, animations: 'disabled' })).toString('base64')
      if (withFocus === without) unseen.push(name)
      await element.focus()
    }
    assert.ok(seen.size >= 15, `only ${seen.size} stops`)
    assert.deepEqual(unseen, [])
  })
}

test('in forced colours, what is chosen, current, on or unread looks different from what is not', async () => {
  await using site = await startInbox()
  await using window = await openSignedIn(site, { width: 1440 })
  const { page } = window
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  await window.go('/inbox')
  const ana = page.getByRole('link', { name: /Ana/ })
  await ana.waitFor()
  await page.evaluate(() => document.fonts.ready)
  const differs = async (element: Locator, act: () => Promise<unknown>, what: string) => {
    const before = await look(page, element)
    await act()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.mouse.move(0, 0)
    assert.notEqual(await look(page, element), before, what)
  }
  const unread = page.getByRole('button', { name: /^Unread/ })
  await differs(
    unread,
    async () => {
      await unread.click()
      await page.waitForURL('**filter=unread')
    },
    'a chosen filter',
  )
  await page.getByRole('button', { name: 'All' }).click()
  const inbox = page.getByRole('navigation', { name: 'Main' }).first().getByRole('link', { name: /Inbox/ })
  await differs(
    inbox,
    async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('c')
      await page.waitForURL('**/contacts')
    },
    'the current place',
  )
  await window.go('/settings/account')
  const bot = page.getByRole('switch').first()
  await bot.waitFor()
  await differs(
    bot,
    async () => {
      await bot.click()
      await page.locator('[role=switch][aria-checked=false]').first().waitFor()
    },
    'a switch that is on',
  )
})
