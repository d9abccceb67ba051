import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../../server/test/helpers/until.ts'
import { openFakeChat } from './helpers/fake-chat.ts'
import { openShop, visit } from './helpers/shop.ts'

const token = (sub: string, n = 1) => `x.${Buffer.from(JSON.stringify({ sub, n })).toString('base64url')}.sign`

type Api = {
  push: (call: unknown[]) => unknown
  identify: (token: string) => Promise<string>
  logout: () => void
  on: (name: string, listener: (value: unknown) => void) => () => void
}
type WithApi = { patchbayChat: Api; told: unknown[] }

const identify = (page: Page, given: string) =>
  page.evaluate(
    (one) => (window as unknown as WithApi).patchbayChat.identify(one).catch((error: Error) => error.message),
    given,
  )

async function start() {
  await using started = new AsyncDisposableStack()
  const fake = started.use(await openFakeChat())
  const listens = `<script>window.told = []; (window.patchbayChat ||= []).push(['on', 'identity', (value) => told.push(value)])</script>`
  const shop = started.use(await openShop({ '/': { head: listens }, '/other': { head: listens } }, fake.line))
  Object.assign(fake.settings, { pages: [`shop.test:${shop.port}`], members: 'may' })
  const parts = started.move()
  return { fake, shop, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
  await page.getByText('Sent').last().waitFor()
}

const everything = (page: Page) =>
  page.evaluate(() => {
    const root = document.getElementById('patchbay-chat')?.shadowRoot
    return [
      root?.querySelector('.pbw')?.textContent,
      root?.querySelector('textarea')?.value,
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
    ].join('\n')
  })

test('what was written before signing in is folded above for the member; the next member and who logs out see nothing of it, in any tab', async () => {
  await using world = await start()
  const { fake, shop } = world
  await using window = await visit()
  const { page } = window
  await page.goto(shop.url)
  await page.getByRole('button', { name: 'Chat with us' }).click()
  await write(page, 'as a stranger')
  const [stranger = ''] = fake.bearers
  const ofAna = `j.${token('ana')} ${stranger}`
  fake.thread(ofAna).messages.push(...fake.thread(stranger).messages)
  assert.equal(await identify(page, token('ana')), 'member')
  await page.getByText('Before you signed in').click()
  await page.getByText('as a stranger').waitFor()
  await write(page, 'as Ana')
  assert.deepEqual(
    fake.posts.map(({ browser }) => browser === undefined),
    [true, false],
  )
  await write(page, 'once more')
  assert.equal(fake.posts[2]?.browser, undefined, 'the key is told once')

  const other = await window.newPage()
  await other.goto(`${shop.url}/other`)
  await identify(other, token('ana'))
  await other.getByRole('button', { name: /Open the chat|Chat with us/ }).click()
  await other.getByText('once more').waitFor()
  await other.getByRole('textbox', { name: 'Message' }).fill('a draft of Ana')

  assert.equal(await identify(page, token('bea')), 'member')
  for (const tab of [page, other]) {
    await until(async () => !/stranger|Ana|once more/.test(await everything(tab)), 'something of Ana is left')
  }
  assert.ok(!(await everything(page)).includes(stranger.slice(2)), 'the key is gone')
  await write(page, 'as Bea')
  await page.evaluate(() => (globalThis as unknown as WithApi).patchbayChat.logout())
  await until(async () => !/Bea/.test(await everything(page)), 'something of Bea is left')
  assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length]), [0, 0])
  assert.deepEqual(await page.evaluate(() => (globalThis as unknown as WithApi).told), ['member', 'member', 'none'])
})

test('a token that is wrong leaves a stranger, one that has expired lets what is written wait for the next', async () => {
  await using world = await start()
  const { fake, shop } = world
  await using window = await visit()
  const { page } = window
  await page.goto(shop.url)
  fake.instead.set('GET messages', [{ status: 401, reason: 'identity_refused' }])
  await page.getByRole('button', { name: 'Chat with us' }).click()
  assert.match(await identify(page, token('ana')), /^refused/)
  await write(page, 'as a stranger')
  assert.deepEqual(
    [...fake.bearers].map((bearer) => bearer.slice(0, 2)),
    ['b.'],
  )
  assert.equal(await identify(page, token('ana')), 'member')
  await write(page, 'as Ana')
  fake.instead.set('POST messages', [{ status: 401, reason: 'identity_expired' }])
  await page.getByRole('textbox', { name: 'Message' }).fill('late')
  await page.keyboard.press('Enter')
  await page.getByText('You are not signed in any more.').waitFor()
  await page.getByText('Waits for the connection').waitFor()
  assert.equal(await identify(page, token('ana', 2)), 'member')
  await until(() => fake.posts.some(({ text }) => text === 'late'), 'it is never sent')
  assert.equal(await page.getByText('You are not signed in any more.').count(), 0)
  assert.deepEqual(await page.evaluate(() => (globalThis as unknown as WithApi).told), [
    'refused',
    'member',
    'expired',
    'member',
  ])
})

test('where everybody must sign in there is no launcher before', async () => {
  await using world = await start()
  const { fake, shop } = world
  fake.settings.members = 'must'
  await using window = await visit()
  const { page } = window
  await page.goto(shop.url)
  await page.waitForLoadState('networkidle')
  assert.equal(await page.locator('#patchbay-chat').count(), 0)
  await identify(page, token('ana'))
  await page.getByRole('button', { name: 'Chat with us' }).waitFor()
})
