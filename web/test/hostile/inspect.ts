import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    /** What ran, or tried to and was stopped by the content security policy. */
    hits: string[]
  }
}

/** To be called before anything is loaded. */
export async function listen(page: Page): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' }) // what is measured does not move
  await page.addInitScript(record)
  await page.evaluate(record) // in the empty document of a new tab
}

/** Runs in the page, before any script of it: what a payload would call, and an ear for what the policy had to stop. */
function record(): void {
  window.hits = []
  Object.assign(window, { hit: (where: string) => window.hits.push(`ran: ${where}`) })
  for (const name of ['alert', 'confirm', 'prompt', 'print']) {
    Object.assign(window, { [name]: () => window.hits.push(`called ${name}`) })
  }
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    window.hits.push(`policy: ${violatedDirective} ${blockedURI}`)
  })
}

/** Fails unless the text is on the page, whole, as text: in an element, a field or the title. */
export async function assertShown(page: Page, text: string, where: string): Promise<void> {
  const isShown = (sought: string) => {
    const plain = (given: string) => given.replace(/\s+/g, ' ')
    const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea, option')]
    return [document.body.textContent, ...fields.map(({ value }) => value)].some((each) => plain(each).includes(sought))
  }
  await page
    .waitForFunction(isShown, text.replace(/\s+/g, ' ').trim(), { timeout: 15_000 })
    .catch(async () => assert.fail(`${where} does not show ${text}, but ${await page.innerText('body')}`))
}

/** What ran or was stopped so far. */
export function readHits(page: Page): Promise<string[]> {
  return page.evaluate(() => window.hits)
}

/** Fails when anything ran, became an element, or broke the layout, at the width of a desk and of a phone. */
export async function assertHarmless(page: Page, where: string): Promise<void> {
  assert.deepEqual(await readHarm(page, where), [])
}

/** Begins with the width that the page has, and leaves it at the other one. */
export async function readHarm(page: Page, where: string): Promise<string[]> {
  const harm: string[] = []
  const other = page.viewportSize()?.width === 360 ? 1280 : 360
  for (const width of [1640 - other, other]) {
    await page.setViewportSize({ width, height: 800 })
    harm.push(...(await page.evaluate(findHarm)).map((what) => `${where}, ${width} px: ${what}`))
  }
  return harm
}

/** Runs in the page. */
function findHarm(): string[] {
  const harm = [...window.hits]
  const own = (address: string) => new URL(address, location.href).origin === location.origin
  for (const element of document.querySelectorAll('*')) {
    const { localName: name } = element
    const say = (what: string) => harm.push(`${what}: ${element.outerHTML.slice(0, 120)}`)
    if (/^(iframe|frame|object|embed|base|style|video|audio|marquee|portal)$/.test(name)) say(name)
    if (name === 'meta' && element.hasAttribute('http-equiv')) say('meta')
    if (name === 'form' && element.hasAttribute('action')) say('form')
    if (element instanceof HTMLScriptElement && !own(element.src)) say('script')
    if (element instanceof HTMLLinkElement && !own(element.href)) say('link')
    if (element instanceof HTMLImageElement && !/^\/api\/media\/msg_\w+$/.test(element.getAttribute('src') ?? ''))
      say('img')
    for (const attribute of element.attributes) if (attribute.name.startsWith('on')) say('handler')
    if (/url\(/.test(element.getAttribute('style') ?? '')) say('style')
    if (!(element instanceof HTMLAnchorElement) || !element.hasAttribute('href')) continue
    if (!/^https?:$/.test(element.protocol)) say('scheme')
    else if (!own(element.href)) {
      if (element.target !== '_blank' || !element.relList.contains('noopener')) say('opener')
      if (!element.relList.contains('noreferrer')) say('referrer')
      if (!/^https?:\/\/[\w.:-]+(\/|$)/.test(element.textContent)) say('look-alike')
    }
  }
  const sideways = document.documentElement.scrollWidth - innerWidth
  if (sideways > 0) {
    const wide = [...document.querySelectorAll('main *')].filter(
      (each) => each.getBoundingClientRect().right > innerWidth && !isClipped(each),
    )
    harm.push(`the page scrolls sideways by ${sideways} px: ${wide.at(-1)?.outerHTML.slice(0, 160)}`)
  }
  for (const control of document.querySelectorAll('button, a, input, select, textarea')) {
    const { right, left, width } = control.getBoundingClientRect()
    if (width === 0 || (right <= innerWidth + 1 && left >= -1) || isInStrip(control)) continue
    harm.push(`out of reach at ${Math.round(left)} to ${Math.round(right)} px: ${control.outerHTML.slice(0, 120)}`)
  }
  return harm

  function isClipped(element: Element): boolean {
    const box = element.parentElement?.closest('main *')
    return box != null && (getComputedStyle(box).overflowX !== 'visible' || isClipped(box))
  }

  /** Code, and a row of tabs on a phone, scroll by themselves; a skip link is out of sight until it has the focus. */
  function isInStrip(control: Element): boolean {
    if (control.matches('.skip, .sr')) return true
    for (let box = control.parentElement; box; box = box.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth) return true
    }
    return false
  }
}
