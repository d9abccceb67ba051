import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { openSignedIn } from '../helpers/site.ts'
import { openFilledSite } from './site.ts'

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox()
  assert.ok(box, 'it is not shown')
  return box
}

test('fields side by side begin at the same height, also where only one has a hint', async () => {
  const site = await openFilledSite()
  await using window = await openSignedIn(site)
  const form = window.page.getByRole('form')
  await window.go('/broadcasts?to=')
  const list = await boxOf(form.getByRole('combobox', { name: 'List' }))
  const channel = await boxOf(form.getByRole('combobox', { name: 'Channel' }))
  assert.ok(channel.x > list.x + list.width, 'they are not side by side')
  assert.equal(list.y, channel.y)
})

test('rows of sub-accounts are equally high, whatever their names and recharges', async () => {
  const site = await openFilledSite()
  await using window = await openSignedIn(site, { width: 1440, height: 900 })
  await window.go('/agency')
  const rows = window.page.getByRole('table', { name: 'Sub-accounts' }).locator('tbody tr')
  await rows.nth(1).waitFor()
  const heights = await rows.evaluateAll((all) => all.map((row) => Math.round(row.getBoundingClientRect().height)))
  assert.equal(new Set(heights).size, 1, heights.join(', '))
})

test('at twice the size, which is half the width, the name of the open contact and every filter can be read', async () => {
  const site = await openFilledSite()
  await using window = await openSignedIn(site, { width: 720, height: 450 })
  const { page } = window
  await window.go(`/inbox/${site.names.contact}`)
  await page.locator('.thread-head').getByRole('button', { name: 'Snooze' }).waitFor()
  const name = page.getByRole('heading', { name: 'FirstWren LastWren', level: 2 })
  assert.ok(await name.evaluate((element) => element.scrollWidth <= element.clientWidth), 'the name is cut')
  const pane = await boxOf(page.locator('.pane-list'))
  for (const filter of ['All', 'Mine', 'Unread', 'Waiting', 'Failed']) {
    const { x, width } = await boxOf(page.getByRole('group').getByRole('button', { name: new RegExp(`^${filter}`) }))
    assert.ok(x >= pane.x && x + width <= pane.x + pane.width, `${filter} is cut`)
  }
})
