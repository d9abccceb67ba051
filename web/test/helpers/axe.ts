import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type Axe from 'axe-core'
import type { Page } from 'playwright-core'
import { readLooks, type Texts } from './looked-at.ts'

/** All rules of axe whose outcome can differ between the themes; `axe.test.ts` compares them with those of its version. */
export const colourRules = ['color-contrast', 'link-in-text-block']

/** Of the texts of this process that were fine in both themes. */
const fineLooks = new Set<string>()

/**
 * Fails when axe finds anything on the page as it is now: by all rules in the light theme, by those of colour in the dark
 * one. Both are looked at in one page: to switch the theme takes 20 ms, and to load the page and axe again as long as five
 * looks. Colours take two thirds of a look, so each look of a text is judged once.
 */
export async function assertAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await source)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' }) // a colour on its way to another has its own contrast
  const looks = (await page.evaluate(readLooks)).filter((look) => !fineLooks.has(look))
  const found: string[] = []
  if (looks.length > 0) {
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    found.push(...(await page.evaluate(findViolations, { only: colourRules, looks })).map((each) => `dark: ${each}`))
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  }
  const without = looks.length > 0 ? [] : colourRules
  found.push(...(await page.evaluate(findViolations, { without })).map((each) => `light: ${each}`))
  await page.emulateMedia({ reducedMotion: null })
  assert.deepEqual(found, [], page.url())
  for (const look of looks) fineLooks.add(look)
}

/** What a phone may have that a wide window has not: other controls, and parts that scroll. Colours and all else are the same. */
const phoneRules = [
  'aria-hidden-focus',
  'button-name',
  'label',
  'link-name',
  'nested-interactive',
  'scrollable-region-focusable',
]

/** Nothing is to be mended in a wide window, in both themes, nor on a phone; nothing scrolls sideways at these widths. */
export async function assertFine(page: Page, widths: readonly number[] = [1440, 360]): Promise<void> {
  const [widest = 1440] = widths
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    if (width === widest) await assertAccessible(page)
    else {
      await page.emulateMedia({ reducedMotion: 'reduce' })
      assert.deepEqual(await page.evaluate(findViolations, { only: phoneRules }), [], `${width} px: ${page.url()}`)
      await page.emulateMedia({ reducedMotion: null })
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, `at ${width} px`)
  }
  await page.setViewportSize({ width: widest, height: 900 })
}

const source = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

type Search = {
  only?: readonly string[]
  without?: readonly string[]
  /** Of the texts to look at. */
  looks?: readonly string[]
}

/** Runs in the page. */
async function findViolations({ only, without = [], looks }: Search): Promise<string[]> {
  const { axe, textsByLook } = window as unknown as { axe: typeof Axe } & Texts
  const texts = looks?.flatMap((look) => textsByLook.get(look) ?? [])
  // What was drawn anew since is looked at wherever it is.
  const where = texts?.every((text) => text.isConnected) ? { include: texts as unknown as Node[] } : document
  const { violations } = await axe.run(where as Axe.ElementContext, {
    resultTypes: ['violations'],
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    ...(only && { runOnly: { type: 'rule', values: [...only] } }),
  })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
