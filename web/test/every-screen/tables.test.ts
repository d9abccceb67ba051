import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openSignedIn } from '../helpers/site.ts'
import { openFilledSite, watchRequests } from './site.ts'

const widths = [360, 414, 600, 768]

/** A name has this much room, or as much as it needs. */
const leastRoom = 120

/** What is pressed to see further tables of a screen. */
const further = /^(Table|Show who|Who)$/

test('the name of every row of every table has at least 120 px on a phone, a folded one and a tablet, and no screen scrolls sideways', async (t) => {
  const site = await openFilledSite()
  await using window = await openSignedIn(site, { width: 1280, height: 900 })
  const { page } = window
  const settle = watchRequests(page)
  const seen = new Set<string>()
  const faults: string[] = []
  for (const path of site.paths) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await window.go(path)
    await settle()
    for (const button of await page.getByRole('button', { name: further }).all()) await button.click().then(settle)
    if ((await page.locator('table').count()) === 0) continue
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await settle()
      const { tables, narrow, overflow } = await measure(page)
      for (const label of tables) seen.add(label)
      faults.push(...narrow.map((fault) => `${path} at ${width}: ${fault}`))
      if (overflow > 0) faults.push(`${path} at ${width} scrolls sideways by ${overflow}`)
    }
  }
  t.diagnostic([...seen].join(', '))
  assert.deepEqual(faults, [])
  assert.ok(seen.size >= 12, [...seen].join(', '))
})

/** In the page: every table, and the rows whose names have too little room. */
function measure(page: Page): Promise<{ tables: string[]; narrow: string[]; overflow: number }> {
  return page.evaluate((least) => {
    const pen = document.createElement('canvas').getContext('2d')
    const widthOf = (element: HTMLElement) => {
      if (pen) pen.font = getComputedStyle(element).font
      return pen?.measureText(element.innerText.split('\n')[0] ?? '').width ?? 0
    }
    const roomOf = (row: HTMLTableRowElement) => {
      const cell = row.querySelector<HTMLElement>(':scope > th')
      if (!cell) return row.cells.length > 1 ? 'has no name' : undefined
      const name = cell.querySelector<HTMLElement>('bdi, b, a, button') ?? cell
      const { paddingRight } = getComputedStyle(cell)
      const room =
        cell.getBoundingClientRect().right - Number.parseFloat(paddingRight) - name.getBoundingClientRect().left
      const needed = Math.min(least, widthOf(name))
      return room + 0.5 < needed ? `${Math.round(room)} px for "${name.innerText}"` : undefined
    }
    const tables = [...document.querySelectorAll('table')].filter((table) => table.checkVisibility())
    const rows = tables.flatMap((table) => [...table.tBodies].flatMap((body) => [...body.rows]))
    return {
      tables: tables.map((table) => table.getAttribute('aria-label') ?? 'without a label'),
      narrow: rows.map(roomOf).filter((fault) => fault !== undefined),
      overflow: document.documentElement.scrollWidth - innerWidth,
    }
  }, leastRoom)
}
