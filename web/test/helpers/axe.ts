import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Fails when axe finds anything on the page as it is now, in the light theme or the dark one. Both are looked at in one
 * page: to switch the theme takes 20 ms, and to load the page and axe again as long as five looks.
 */
export async function assertAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await source)
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }) // a colour on its way to another has its own contrast
    found.push(...(await page.evaluate(findViolations)).map((violation) => `${colorScheme}: ${violation}`))
  }
  await page.emulateMedia({ reducedMotion: null })
  assert.deepEqual(found, [], page.url())
}

const source = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Runs in the page. */
async function findViolations(): Promise<string[]> {
  const { run } = (window as unknown as { axe: typeof axe }).axe
  const { violations } = await run(document, { resultTypes: ['violations'] })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
