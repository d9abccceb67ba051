import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { contactOf, holdTurnsBack, write } from '../../server/test/helpers/bots.ts'
import { withOk } from '../../server/test/helpers/inbox.ts'
import { signIn } from '../../server/test/helpers/sessions.ts'
import { assertAccessible } from './helpers/axe.ts'
import { openSignedIn, type Site, startSite } from './helpers/site.ts'

type Screen = { path: string; width?: number; ready: (page: Page) => Promise<unknown> }

const see = (text: string) => (page: Page) => page.getByText(text).filter({ visible: true }).first().waitFor()

/** Those that the tests of inbox, contacts, lists, webhook, first steps and sign-in do not look at. */
const screens: Record<string, Screen> = {
  'the simulator': { path: '/develop/simulator', ready: see('A link for you') },
  'the simulator on a phone': { path: '/develop/simulator', width: 360, ready: see('A link for you') },
  'the menu of a phone': { path: '/contacts', width: 360, ready: openMore },
  'the palette on a phone': { path: '/contacts', width: 360, ready: openPalette },
  'the list of keys': { path: '/inbox', ready: openKeys },
  account: { path: '/settings/account', ready: see('Sign out everywhere') },
  'account on a phone': { path: '/settings/account', width: 360, ready: see('Sign out everywhere') },
  team: { path: '/settings/team', ready: see('account holder') },
  'team on a phone': { path: '/settings/team', width: 360, ready: removeMember },
  audit: { path: '/settings/audit', ready: see('Generated a new API key') },
  'audit on a phone': { path: '/settings/audit', width: 360, ready: see('Generated a new API key') },
  'a link that has ended': { path: '/join#none', width: 360, ready: see('This link was used or has ended') },
  appearance: { path: '/settings/appearance', ready: see('Dark') },
  'appearance on a phone': { path: '/settings/appearance', width: 360, ready: see('Dark') },
  'the first steps': { path: '/first-run', ready: see('Plug in your first channel') },
  'a page that is not there': { path: '/nowhere', ready: see('There is nothing here') },
  'a contact beside its conversation': { path: '/inbox/ana', width: 1000, ready: openContact },
}

test('axe finds nothing on any other screen in either theme, and none scrolls sideways', async () => {
  await using site = await startSite()
  await holdTurnsBack(site.app)
  await write(site.account, 'Good morning', { fromId: 'ana', firstName: 'Ana' })
  await simulate(site)
  await (await signIn(site.app, site.account)).call('POST', '/api/account/key')
  await using window = await openSignedIn(site)
  const { page } = window
  const contactId = await contactOf(site.app)
  for (const [name, { path, width = 1280, ready }] of Object.entries(screens)) {
    await page.setViewportSize({ width, height: 800 })
    await window.go(path.replace('/ana', `/${contactId}`))
    await ready(page)
    await assertAccessible(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, name)
  }
})

/** A simulated contact, who writes what looks like a link. */
async function simulate({ app, account }: Site): Promise<void> {
  const owner = withOk(await signIn(app, account))
  const { contactId } = await owner.ok('POST', '/api/simulator/contacts', { firstName: 'Sim', channel: 'Web chat' })
  await owner.ok('POST', `/api/simulator/contacts/${contactId}/messages`, {
    body: 'A link for you: https://a.example/',
  })
}

async function removeMember(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'What to do with owner1' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await page.getByRole('button', { name: 'Remove owner1' }).waitFor()
}

async function openMore(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).waitFor()
}

async function openPalette(page: Page): Promise<void> {
  await openMore(page)
  await page.getByRole('menuitem').first().click()
  await page.getByRole('combobox').waitFor()
}

async function openKeys(page: Page): Promise<void> {
  await page.getByRole('link', { name: /Ana/ }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
}

async function openContact(page: Page): Promise<void> {
  await page.getByRole('log').getByText('Good morning').waitFor()
  await page.getByRole('button', { name: 'Show or hide the contact' }).click()
  await page.getByRole('complementary', { name: 'Contact' }).waitFor()
}
