import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { holdTurnsBack, write } from '../../../server/test/helpers/bots.ts'
import { untilMessages } from '../../../server/test/helpers/deliveries.ts'
import { openSignedIn, startSite } from '../helpers/site.ts'

/** The brightness of what is behind everything, from 0 to 255. */
function backdrop(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d')
    if (!canvas) throw new Error('there is no canvas')
    canvas.fillStyle = getComputedStyle(document.body).backgroundColor
    canvas.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data
    return (red + green + blue) / 3
  })
}

const sideways = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)

test('on a phone of 360 px in the dark: from the list to a thread, an answer, the contact, back, and by More to another place', async () => {
  await using site = await startSite()
  await holdTurnsBack(site.app)
  await write(site.account, 'Do you have it in blue?', { fromId: 'ana', firstName: 'Ana' })
  await using window = await openSignedIn(site, { width: 360, height: 740 })
  const { page } = window
  await page.emulateMedia({ colorScheme: 'dark' })
  await window.go('/inbox')
  await page.getByRole('link', { name: /Ana.*Do you have it in blue\?/ }).click()
  await page.getByRole('log').getByText('Do you have it in blue?').waitFor()
  assert.equal(await page.getByRole('link', { name: /Ana.*in blue/ }).isVisible(), false)
  assert.ok((await backdrop(page)) < 60)
  assert.equal(await sideways(page), 0)

  await page.getByLabel(/^Message to/).fill('We do.')
  await page.getByRole('button', { name: /^Send/ }).click()
  await page.locator('.bubble.person').getByText('We do.').waitFor()
  await untilMessages(site.app, site.account, (all) => all.length === 2)
  await page.locator('.thread-head').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: /^Contact/ }).click()
  await page.getByRole('complementary', { name: 'Contact' }).getByText('Who answers').waitFor()
  assert.equal(await sideways(page), 0)
  await page.getByRole('button', { name: 'Close the contact' }).click()
  await page.getByRole('link', { name: 'Back to conversations' }).click()
  await page.getByRole('link', { name: /Ana.*We do\./ }).waitFor()

  await page.getByRole('navigation').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await page.waitForURL('**/settings/account')
  await page.emulateMedia({ colorScheme: 'light' })
  assert.ok((await backdrop(page)) > 200)
})
