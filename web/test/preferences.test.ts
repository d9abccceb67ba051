import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ElementHandle, Locator, Page } from 'playwright-core'
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
  await page.locator('.bubble.person').first().waitFor()
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

type Place = Awaited<ReturnType<Locator['boundingBox']>>

/** How the place of an element and what is just around it looks. */
async function look(page: Page, box: Place): Promise<string> {
  assert.ok(box)
  const clip = { x: Math.max(0, box.x - 6), y: Math.max(0, box.y - 6), width: box.width + 12, height: box.height + 12 }
  return (await page.screenshot({ clip, animations: 'disabled' })).toString('base64')
}

/** The element with the focus; undefined when it has left the page. */
async function focused(page: Page): Promise<ElementHandle<HTMLElement> | undefined> {
  const handle = await page.evaluateHandle(() => document.activeElement as HTMLElement)
  return (await handle.evaluate((element) => element === document.body)) ? undefined : (handle.asElement() ?? undefined)
}

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
      const element = await focused(page)
      if (!element) break
      const name = await element.evaluate(
        ({ tagName, className, ariaLabel, textContent }) => `${tagName} .${className} ${ariaLabel} ${textContent}`,
      )
      if (seen.has(name) && name.includes('skip')) break
      seen.add(name)
      await element.evaluate((each) => each.toggleAttribute('readonly', true)) // a caret blinks, and is not enough
      await element.scrollIntoViewIfNeeded()
      const place = await element.boundingBox() // what is out of sight without the focus has another one then
      const withFocus = await look(page, place)
      const hadFocus = await element.evaluate((each) => {
        const had = each === document.activeElement
        each.blur()
        return had
      })
      if (withFocus === (await look(page, place)))
        unseen.push(hadFocus ? name : `${name}, which lost the focus by itself`)
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
    const before = await look(page, await element.boundingBox())
    await act()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.mouse.move(0, 0)
    assert.notEqual(await look(page, await element.boundingBox()), before, what)
  }
  const unread = page.getByRole('button', { name: /^Unread/ })
  await differs(
    unread,
    async () => {
      await unread.click()
      await page.getByRole('button', { name: /^Unread/, pressed: true }).waitFor()
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
      await page.getByRole('navigation', { name: 'Main' }).first().locator('[aria-current][href="/contacts"]').waitFor()
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
