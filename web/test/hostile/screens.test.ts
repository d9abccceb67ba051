import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { givePassword, openSignedIn, openWindow, password, type Window } from '../helpers/site.ts'
import { assertHarmless, assertShown, listen } from './inspect.ts'
import { payloads } from './payloads.ts'
import { openWorld, type World } from './world.ts'

let world: World
let shared: Window
before(async () => {
  world = await openWorld()
  shared = await openSignedIn(world.site)
  await listen(shared.page)
})
after(() => shared[Symbol.asyncDispose]())

const everything = Object.values(payloads)
const { elements, frames, links } = payloads
const inAddress = encodeURIComponent(elements)

type Screen = { path: string | (() => string); shows: readonly string[]; act?: (page: Page) => Promise<unknown> }

/** Every screen that shows what somebody else wrote, or repeats what an address says. */
const screens: Record<string, Screen> = {
  'the inbox': { path: '/inbox', shows: [payloads.word, payloads.emoji, payloads.marks, payloads.rightToLeft] },
  'the failed ones': { path: '/inbox?filter=failed', shows: [elements] },
  'a filter that is none': { path: `/inbox?filter=${inAddress}`, shows: [payloads.word] },
  'people that are searched': {
    path: '/inbox',
    shows: [elements],
    act: (page) => search(page, 'Search conversations'),
  },
  contacts: { path: '/contacts', shows: everything },
  'contacts that are searched': { path: `/contacts?q=${inAddress}`, shows: [elements] },
  'a search without a result': { path: `/contacts?q=nobody${inAddress}`, shows: [`nobody${elements}`] },
  'a contact that is not there': { path: `/contacts/${inAddress}`, shows: ['This contact is gone.'] },
  'a conversation that is not there': { path: `/inbox/${inAddress}`, shows: ['This conversation is not here'] },
  lists: { path: '/lists', shows: everything },
  'a list that is not there': { path: `/lists/${inAddress}`, shows: ['This list is gone.'] },
  account: { path: '/settings/account', shows: [elements, payloads.attributes] },
  'the receiver': { path: pathOfFirst, shows: ['?q=%22%3E%3Cimg%20src', elements] },
  'what the receiver answered': {
    path: pathOfFirst,
    shows: [elements],
    act: (page) => page.getByRole('button', { name: 'Answer' }).click(),
  },
  'what was posted': {
    path: '/settings/webhook',
    shows: ['webhook-signature'],
    act: (page) => page.getByRole('button', { name: 'Headers' }).click(),
  },
  'deliveries that are searched': { path: '/settings/webhook', shows: [`nobody ${elements}`], act: searchDeliveries },
  'an address that is refused': { path: '/settings/webhook', shows: [], act: saveScript },
  channels: { path: '/channels', shows: [payloads.attributes, payloads.lookalikes] },
  'a channel that is being connected': {
    path: () => `/channels/new?channel=${world.channel.id}`,
    shows: [payloads.attributes, elements],
  },
  'a channel that is not there': { path: `/channels/new?channel=${inAddress}`, shows: [] },
  'a channel': {
    path: () => `/channels/${world.channel.id}#${world.channel.messageId}`,
    shows: [payloads.attributes, payloads.frames, elements, payloads.remote, payloads.word],
  },
  'what nobody understood': {
    path: () => `/channels/${world.channel.id}`,
    shows: [payloads.remote],
    act: (page) => page.getByRole('button', { name: payloads.frames }).click(),
  },
  'messages of a channel that are searched': {
    path: () => `/channels/${world.channel.id}`,
    shows: [`nobody ${elements}`],
    act: (page) => page.getByRole('searchbox', { name: 'Search messages' }).fill(`nobody ${elements}`),
  },
  'a contact that is refused': { path: '/contacts/new', shows: [elements], act: createWrong },
  simulator: { path: '/develop/simulator', shows: [elements, frames, links] },
  'the first steps': { path: '/first-run', shows: [elements] },
  'the palette': { path: '/contacts', shows: [elements], act: openPalette },
  'a page that is not there': { path: `/${inAddress}`, shows: ['There is nothing here'] },
}

for (const [name, { path, shows, act }] of Object.entries(screens)) {
  test(`${name}: what others wrote is text, runs nothing, calls nobody and breaks no layout`, async () => {
    const { page, problems } = shared
    await load(typeof path === 'string' ? path : path())
    await act?.(page)
    for (const text of shows) await assertShown(page, text, name)
    await assertHarmless(page, name)
    assert.deepEqual(problems.splice(0), [])
  })
}

/** In one window for all screens: to open another one costs as much as three loads. */
async function load(path: string): Promise<void> {
  const { page } = shared
  await page.setViewportSize({ width: 1280, height: 800 })
  await shared.go(path)
  if (path.includes('#')) await page.reload() // otherwise it may be the page before, scrolled
  await page.locator('main').first().waitFor()
}

test('signing in goes nowhere but to a page of the app, whatever the address asks for', async () => {
  const { site } = world
  await givePassword(site)
  const hostile = ["javascript:hit('next')", '//evil.example', '/\\evil.example', 'https://evil.example/', elements]
  await using window = await openWindow(site.app.url, { width: 1280 })
  await listen(window.page)
  const { context, page } = window
  for (const next of hostile) {
    await context.clearCookies()
    await window.go(`/sign-in?next=${encodeURIComponent(next)}`)
    await page.getByLabel('E-mail').fill(site.account.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${site.app.url}/{inbox,first-run}`)
    await assertHarmless(page, next)
  }
})

/** The first delivery: before the circuit breaker opened, so that the receiver has answered it. */
function pathOfFirst(): string {
  return `/settings/webhook#${world.made.elements.replyId}`
}

async function search(page: Page, label: string): Promise<void> {
  await page.getByLabel(label).fill(elements.slice(0, 40))
  await page.getByRole('heading', { name: 'People' }).or(page.getByText('People')).first().waitFor()
}

async function searchDeliveries(page: Page): Promise<void> {
  await page.getByLabel('Search deliveries').fill(`nobody ${elements}`)
  await page.getByText('No delivery matches').waitFor()
}

async function saveScript(page: Page): Promise<void> {
  await page.getByLabel('URL').fill("javascript:hit('saved')")
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('.field .error, .field [role="alert"], [role="alert"]').first().waitFor()
}

async function createWrong(page: Page): Promise<void> {
  await page.getByLabel('Phone').fill(elements)
  await page.getByLabel('E-mail').fill(elements)
  await page.getByRole('button', { name: 'Create contact' }).click()
  await page.getByText('Begin with + and a country code').waitFor()
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(elements.slice(0, 60))
  await page.getByRole('option').first().waitFor()
}
