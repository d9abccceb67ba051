import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../server/src/platform/ids.ts'
import { openSignedIn, type Site } from '../helpers/site.ts'
import { openFilledSite } from './site.ts'

test('the address of a group of screens leads to its first, and one that a member may not see leads on', async () => {
  const site = await openFilledSite()
  await using window = await openSignedIn(site)
  for (const [from, to] of [
    ['/develop', '/develop/simulator'],
    ['/settings', '/settings/account'],
  ] as const) {
    await window.go(from)
    await window.page.waitForURL((at) => at.pathname === to)
  }
  const mia = await site.app.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', 'mia@example.com')
    .executeTakeFirstOrThrow()
  const account = { ...site.account, userId: mia.id } as Site['account']
  await using member = await openSignedIn({ ...site, account })
  await member.go('/agency')
  await member.page.getByRole('link', { name: 'To the inbox' }).waitFor()
  assert.equal(await member.page.getByRole('button', { name: 'Try again' }).count(), 0)
  member.problems.length = 0 // the refusal that it shows
})

test('in the inbox J, A and H lead into menus that arrows move through', async () => {
  const site = await openFilledSite()
  await using window = await openSignedIn(site, { width: 1440, height: 900 })
  const { page } = window
  await window.go('/inbox')
  await page
    .getByRole('link', { name: /FirstWren/ })
    .first()
    .waitFor()
  await page.keyboard.press('j')
  await page.locator('.thread-head').getByRole('button', { name: 'Snooze' }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.closest('[role="menu"], [role="dialog"]')?.role)
  const text = () => page.evaluate(() => (document.activeElement as HTMLElement).innerText)
  for (const [key, role] of [
    ['a', 'menu'],
    ['h', 'dialog'],
  ] as const) {
    await page.keyboard.press(key)
    await page.getByRole(role).waitFor()
    // The first thing in it, which may be loaded after it has opened.
    await page.waitForFunction(
      (expected) => document.activeElement?.matches(`[role="${expected}"] :is([role="menuitem"], button)`),
      role,
    )
    const first = await text()
    await page.keyboard.press('ArrowDown')
    assert.equal(await focused(), role)
    assert.notEqual(await text(), first, `${key}: the arrow moves the focus`)
    await page.keyboard.press('Escape')
    await page.getByRole(role).waitFor({ state: 'detached' })
  }
})

test('of many campaigns one is found by its name', async () => {
  const site = await openFilledSite()
  const { db } = site.app
  const [campaign] = await db
    .selectFrom('campaigns')
    .selectAll()
    .where('accountId', '=', site.account.accountId)
    .execute()
  assert.ok(campaign)
  const { settings, ...rest } = campaign
  const made = Array.from({ length: 8 }, (_, n) => ({
    ...rest,
    id: newId('cmp'),
    name: `Season ${n}`,
    isDefault: false,
    settings: JSON.stringify(settings),
  }))
  await db.insertInto('campaigns').values(made).execute()
  await using window = await openSignedIn(site)
  await window.go('/campaigns')
  await window.page.getByRole('searchbox', { name: 'Search campaigns' }).fill('season 5')
  await window.page.getByText('Season 4').waitFor({ state: 'detached' })
  await window.page.getByText('Season 5').waitFor()
  const ids = made.map(({ id }) => id)
  await db.deleteFrom('campaigns').where('id', 'in', ids).execute()
})
