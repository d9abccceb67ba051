import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

/** All rules of axe whose outcome can differ between the themes; `axe.test.ts` compares them with those of its version. */
export const colourRules = ['color-contrast', 'link-in-text-block']

/**
 * Fails when axe finds anything on the page as it is now: by all rules in the light theme, by those of colour in the dark
 * one. Both are looked at in one page: to switch the theme takes 20 ms, and to load the page and axe again as long as five
 * looks.
 */
export async function assertAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await source)
  const found: string[] = []
  for (const [colorScheme, rules] of [
    ['dark', colourRules],
    ['light', undefined],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }) // a colour on its way to another has its own contrast
    found.push(...(await page.evaluate(findViolations, rules)).map((violation) => `${colorScheme}: ${violation}`))
  }
  await page.emulateMedia({ reducedMotion: null })
  assert.deepEqual(found, [], page.url())
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
      assert.deepEqual(await page.evaluate(findViolations, phoneRules), [], `${width} px: ${page.url()}`)
      await page.emulateMedia({ reducedMotion: null })
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, `at ${width} px`)
  }
  await page.setViewportSize({ width: widest, height: 900 })
}

const source = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Runs in the page. Without rules by all that axe runs by default. */
async function findViolations(rules: readonly string[] | undefined): Promise<string[]> {
  const { run } = (window as unknown as { axe: typeof axe }).axe
  const only = rules && { runOnly: { type: 'rule' as const, values: [...rules] } }
  const { violations } = await run(document, { resultTypes: ['violations'], ...only })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
