import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ElementHandle, Page } from 'playwright-core'
import { openSignedIn } from '../helpers/site.ts'
import { openFilledSite, watchRequests } from './site.ts'

/** What opens over or beside a page. */
const overlays = '[role="dialog"], [role="menu"], [role="listbox"], [role="alertdialog"]'

/** Those that were not there before. */
const newOverlays = overlays.replaceAll(']', ']:not([data-before])')

type Opener = { element: ElementHandle<HTMLElement>; about: About }

/** `promised`: what its button says that it opens. */
type About = { name: string; isLink: boolean; place: string; promised: string | null }

/** What was pressed already, by place and name; what was wrong; how many have opened something. */
type Found = { pressed: Set<string>; faults: string[]; opened: number }

type Visit = { page: Page; settle: () => Promise<void>; found: Found }

test('every menu, popover and dialog of every screen opens by a key, has the focus, is moved through by keys, and Escape gives the focus back', {
  timeout: 900_000,
}, async (t) => {
  const site = await openFilledSite()
  await using window = await openSignedIn(site, { width: 1440, height: 900 })
  const { page } = window
  await page.addInitScript(readOnly)
  const visit: Visit = { page, settle: watchRequests(page), found: { pressed: new Set(), faults: [], opened: 0 } }
  for (const path of site.paths) {
    await window.go(path)
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await visit.settle()
      while (!(await pressAll(visit, `${width} ${path}`))) {
        await window.go(path)
        await visit.settle()
      }
    }
  }
  const { faults, opened, pressed } = visit.found
  t.diagnostic(`${opened} of ${pressed.size} have opened something`)
  assert.deepEqual(faults, [])
  assert.ok(opened > 40, `only ${opened} have opened something`)
})

/** In the page: what is pressed changes nothing on the server, nor the clipboard that all tests share. */
function readOnly(): void {
  const read = globalThis.fetch
  globalThis.fetch = (address, options) =>
    (options?.method ?? 'GET') === 'GET' ? read(address, options) : Promise.reject(new TypeError('read only'))
  navigator.clipboard.writeText = async () => {}
}

/** Presses what was not pressed before. False: the page is another now, and has to be loaded again. */
async function pressAll({ page, settle, found }: Visit, screen: string): Promise<boolean> {
  const { pathname } = new URL(page.url())
  for (const { element: opener, about } of await findOpeners(page)) {
    const key = `${about.place === 'screen' ? screen : about.place} ${about.name}`
    if (found.pressed.has(key)) continue
    await page.evaluate(markShown, overlays)
    // Gone since: what is drawn anew while it is fetched again.
    if (!(await hasFocused(opener))) return false
    found.pressed.add(key)
    await page.keyboard.press('Enter')
    await settle()
    const isLate = about.promised && !(await openOverlay(page))
    if (isLate) await page.waitForSelector(newOverlays, { timeout: 10_000 }).then(settle, () => undefined)
    const overlay = await openOverlay(page)
    const fault = overlay ? await operate(page, settle, { opener, about, overlay }) : about.promised && 'opens nothing'
    if (overlay) found.opened += 1
    if (fault) found.faults.push(`${screen}: ${about.name}: ${fault}`)
    if (fault || new URL(page.url()).pathname !== pathname) return false
  }
  return true
}

async function hasFocused(opener: ElementHandle<HTMLElement>): Promise<boolean> {
  return opener.evaluate((element) => {
    element.focus()
    return element.isConnected
  })
}

/** What switches, unfolds, submits or copies opens nothing. */
const opensNothing =
  '[aria-pressed], [role="switch"], [aria-expanded]:not([aria-haspopup]), [type="submit"], [aria-label^="Copy"]'

/** Buttons, and links to what may open beside the screen they are on; where something is open from the start, those in it. */
async function findOpeners(page: Page): Promise<Opener[]> {
  const [, place] = new URL(page.url()).pathname.split('/')
  const within = (await page.$(overlays)) ?? page
  const all = await within.$$(`button:not([disabled], ${opensNothing}), #main a[href^="/${place}/"]`)
  const abouts = await page.evaluate(describeAll, all as ElementHandle<HTMLElement>[])
  return all.flatMap((element, index) => {
    const about = abouts[index]
    return about ? [{ element: element as ElementHandle<HTMLElement>, about }] : []
  })
}

/**
 * In the page, all at once, because most of them were pressed on another screen. Null: it is not shown. What opens something is tried
 * at each width of each screen, the rest once.
 */
function describeAll(elements: HTMLElement[]): (About | null)[] {
  return elements.map((element) => {
    const { width, height } = element.getBoundingClientRect()
    if (width === 0 || height === 0 || !element.checkVisibility({ visibilityProperty: true })) return null
    const link = element.getAttribute('href')?.replace(/_[0-9a-f]{32}|\?.*/g, '')
    const promised = element.getAttribute('aria-haspopup')
    return {
      name: link ?? element.getAttribute('aria-label') ?? element.innerText.trim(),
      isLink: link !== undefined,
      place: link === undefined && promised && !element.closest('nav') ? 'screen' : 'anywhere',
      promised,
    }
  })
}

/** In the page: what is open beside it from the start is not what a button opens. */
function markShown(selector: string): void {
  const shown = document.querySelectorAll<HTMLElement>(selector)
  document.body.dataset.hadOverlay = shown.length > 0 ? 'yes' : ''
  for (const overlay of shown) overlay.dataset.before = ''
}

type Overlay = { role: string; hasFocus: boolean }

/** The last one that is open. */
function openOverlay(page: Page): Promise<Overlay | undefined> {
  return page.evaluate((selector) => {
    if (document.body.dataset.hadOverlay && !document.querySelector('[data-before]')) return undefined // it has become another one, and none has opened
    const shown = [...document.querySelectorAll<HTMLElement>(selector)].filter((each) => each.checkVisibility())
    const last = shown.findLast((each) => !each.parentElement?.closest(selector))
    return last && { role: last.role ?? '', hasFocus: last.contains(document.activeElement) }
  }, newOverlays)
}

/** What is wrong with what has opened. */
async function operate(
  page: Page,
  settle: () => Promise<void>,
  { opener, about, overlay }: { opener: ElementHandle<HTMLElement>; about: About; overlay: Overlay },
): Promise<string | undefined> {
  if (about.promised !== overlay.role && !about.isLink) return `says ${about.promised} and opens a ${overlay.role}`
  if (!overlay.hasFocus) return `the focus is not in the ${overlay.role} but on ${await sayFocus(page)}`
  const fault = overlay.role === 'menu' ? await moveThroughMenu(page) : await moveThroughDialog(page)
  if (fault !== undefined) return fault
  await page.keyboard.press('Escape')
  await settle()
  if (await openOverlay(page)) return 'Escape does not close it'
  const isBack = await opener.evaluate((element) => element === document.activeElement)
  return isBack ? undefined : `Escape leaves the focus on ${await sayFocus(page)}`
}

/** Arrows, Home, End, and the first letter of an item. */
async function moveThroughMenu(page: Page): Promise<string | undefined> {
  const items = await page.evaluate(() => {
    const enabled = '[role="menu"] [role="menuitem"]:not([aria-disabled="true"])'
    return [...document.querySelectorAll<HTMLElement>(enabled)].map((item) => item.innerText.trim().toLowerCase())
  })
  const [first, second] = items
  const last = items.at(-1)
  if (first === undefined) return undefined
  const steps = [
    ['', first],
    ['ArrowDown', second ?? first],
    ['End', last],
    ['ArrowUp', items.at(-2) ?? first],
    ['Home', first],
  ] as const
  for (const [key, expected] of steps) {
    if (key !== '') await page.keyboard.press(key)
    const now = await focusedText(page)
    if (now !== expected) return `after ${key || 'opening'} the focus is on "${now}", not on "${expected}"`
  }
  const letter = last?.[0] ?? ''
  await page.keyboard.press(letter)
  const now = await focusedText(page)
  return now.startsWith(letter) ? undefined : `"${letter}" leads to "${now}"`
}

function focusedText(page: Page): Promise<string> {
  return page.evaluate(() => (document.activeElement as HTMLElement).innerText.trim().toLowerCase())
}

/** Tab leads to the next thing in it, if there is one. */
async function moveThroughDialog(page: Page): Promise<string | undefined> {
  const hasNext = await page.evaluate((selector) => {
    const dialog = document.activeElement?.closest(selector)
    const stops = dialog?.querySelectorAll('button:not([disabled]), a[href], input, select, textarea, [tabindex="0"]')
    return (stops?.length ?? 0) > (dialog === document.activeElement ? 0 : 1)
  }, newOverlays)
  if (!hasNext) return undefined
  await page.keyboard.press('Tab')
  return (await openOverlay(page))?.hasFocus ? undefined : `Tab leaves it for ${await sayFocus(page)}`
}

function sayFocus(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120) ?? 'nothing')
}
