import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../../server/test/helpers/until.ts'
import { openFakeChat } from './helpers/fake-chat.ts'
import { openShop, visit } from './helpers/shop.ts'

async function start(pages = { '/': {}, '/other': {} }) {
  await using started = new AsyncDisposableStack()
  const fake = started.use(await openFakeChat())
  const shop = started.use(await openShop(pages, fake.line))
  fake.settings.pages = [`shop.test:${shop.port}`]
  const parts = started.move()
  return { fake, shop, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

const openChat = (page: Page) => page.getByRole('button', { name: /^(Chat with us|Open the chat)/ }).click()
const sent = (page: Page) => page.getByText(/\d:\d\d\s*Sent$/).last()
const shown = (page: Page, text: string) => page.getByRole('log').getByText(text, { exact: true })

/** As if another tab were in front. */
async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    },
    isVisible ? 'visible' : 'hidden',
  )
}

test('a body that is replaced keeps the one launcher, and an open panel its text, focus and place', async () => {
  await using world = await start()
  await using window = await visit()
  const { page } = window
  await page.goto(world.shop.url)
  await openChat(page)
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('half a sen')
  for (const swap of [
    () => {
      const body = document.createElement('body')
      body.append(Object.assign(document.createElement('h1'), { textContent: 'Another page' }))
      document.documentElement.replaceChild(body, document.body)
    },
    () => document.body.replaceChildren('A third one'),
    () => document.getElementById('patchbay-chat')?.remove(),
  ]) {
    await page.evaluate(swap)
    await until(() => page.evaluate(() => document.activeElement?.id === 'patchbay-chat'), 'the focus is lost')
    assert.equal(await field.inputValue(), 'half a sen')
    assert.equal(await page.locator('#patchbay-chat').count(), 1)
  }
  await page.keyboard.type('tence')
  assert.equal(await field.inputValue(), 'half a sentence')
  await page.evaluate(() => document.body.append(document.createElement('script')))
  assert.equal(await page.getByRole('dialog').count(), 1)
})

test('tabs of one browser show the same, only those that are seen have a stream, and none is stuck', async () => {
  await using world = await start()
  const { fake, shop } = world
  await using window = await visit()
  const tabs: Page[] = []
  while (tabs.length < 8) {
    const tab = tabs.length === 0 ? window.page : await window.newPage()
    await tab.addInitScript(hurry)
    await tab.goto(shop.url)
    await openChat(tab)
    if (tabs.length === 0) {
      await write(tab, 'from the first')
      await sent(tab).waitFor()
    } else await shown(tab, 'from the first').waitFor()
    if (tabs.length > 1) await setVisible(tabs[tabs.length - 1] as Page, false)
    tabs.push(tab)
    await until(() => fake.streams() === Math.min(2, tabs.length), `${fake.streams()} streams with ${tabs.length} tabs`)
  }
  const [first, last] = [tabs[0] as Page, tabs[7] as Page]
  await write(last, 'from the eighth')
  await until(() => fake.posts.length === 2, 'not sent')
  for (const tab of tabs) await shown(tab, 'from the eighth').waitFor()
  fake.say({ text: 'to all of them' })
  for (const tab of tabs) await shown(tab, 'to all of them').waitFor()
  assert.deepEqual(
    fake.posts.map(({ text }) => text),
    ['from the first', 'from the eighth'],
  )
  await setVisible(first, false)
  await setVisible(first, true)
  await until(() => fake.streams() === 2, `${fake.streams()} streams`)
})

/** What a page does after half a minute, it does at once. */
function hurry(): void {
  const { setTimeout: wait } = globalThis
  const hurried = (act: () => void, ms = 0) => wait(act, ms > 20_000 && ms <= 30_000 ? 50 : ms)
  Object.assign(globalThis, { setTimeout: hurried })
}

test('what is written without a connection waits, and is sent once and in order when there is one', async () => {
  await using world = await start()
  const { fake, shop } = world
  await using window = await visit()
  const { page } = window
  await page.addInitScript(hurry)
  await page.goto(shop.url)
  await openChat(page)
  fake.isDown = true
  await write(page, 'first')
  await page.getByText('Waits for the connection').waitFor()
  await write(page, 'second')
  fake.isDown = false
  await sent(page).waitFor()
  assert.deepEqual(
    fake.posts.map(({ text }) => text),
    ['first', 'second'],
  )

  fake.isDown = true
  fake.cut()
  await write(page, 'third')
  await page.getByText('No connection. You can write').waitFor()
  await page.getByText('Waits for the connection').waitFor()
  await page.getByRole('button', { name: 'Close the chat' }).first().click()
  await page.reload({ waitUntil: 'commit' }).catch(() => {})
  fake.isDown = false
  await page.goto(`${shop.url}/other`)
  await until(() => fake.posts.length === 3, 'not sent')
  fake.say({ text: 'Here we are.' }, false)
  await page.getByRole('button', { name: 'Open the chat, 1 new message' }).click()
  await shown(page, 'third').waitFor()
  assert.deepEqual(
    fake.posts.map(({ text }) => text),
    ['first', 'second', 'third'],
  )
  assert.equal(await page.getByText('No connection').count(), 0)
})

test('too much at once is said with a countdown and sent by itself, once; what is refused stays with its reason', async () => {
  await using world = await start()
  const { fake, shop } = world
  await using window = await visit()
  const { page } = window
  await page.goto(shop.url)
  await openChat(page)
  await write(page, 'one')
  await sent(page).waitFor()
  fake.instead.set('POST messages', [{ status: 429, retryAfter: 2, reason: 'slow down' }])
  await write(page, 'two')
  await page.getByText(/Tried again in [12] s/).waitFor()
  await until(() => fake.posts.length === 2, 'not sent')
  fake.instead.set('POST messages', [{ status: 400 }])
  await write(page, 'three')
  await page.getByRole('button', { name: 'Try again' }).click()
  await until(() => fake.posts.length === 3, 'not sent')
  fake.instead.set('POST messages', [{ status: 401, reason: 'ended' }])
  await write(page, 'four')
  await until(() => fake.posts.length === 4, 'not sent')
  await until(async () => (await shown(page, 'one').count()) === 0, 'a chat that has ended begins anew')
  await shown(page, 'four').waitFor()
  assert.equal(fake.bearers.size, 2)
  fake.instead.set('POST messages', [{ status: 403, reason: 'closed' }])
  await write(page, 'five')
  await page.getByText('This chat is closed.').first().waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Message' }).count(), 0)
})

test('without storage, or when it is cleared, the chat works as long as the page and says so', async () => {
  await using world = await start()
  const { fake, shop } = world
  for (const [path, spoil] of [
    [
      'throws',
      () =>
        Object.defineProperty(window, 'localStorage', {
          get: () => {
            throw new Error('no')
          },
        }),
    ],
    [
      'is full',
      () => {
        Storage.prototype.setItem = () => {
          throw new Error('full')
        }
      },
    ],
  ] as const) {
    await using window = await visit()
    const { page } = window
    await page.addInitScript(spoil)
    await page.goto(shop.url)
    await openChat(page)
    await write(page, path)
    await page.getByText('This chat ends when you leave the page.').waitFor()
    fake.say({ text: `answer ${path}` })
    await shown(page, `answer ${path}`).waitFor()
  }
  await using window = await visit()
  const { page } = window
  await page.goto(shop.url)
  await openChat(page)
  await write(page, 'kept')
  await sent(page).waitFor()
  await page.evaluate(() => localStorage.clear())
  await write(page, 'cleared')
  await page.getByText('This chat ends when you leave the page.').waitFor()
  await shown(page, 'kept').waitFor()
  assert.equal(await page.evaluate(() => localStorage.length), 0)
})

test('whoever reads further up is told of new messages by a button, which leads to them and goes', async () => {
  await using world = await start()
  const { fake, shop } = world
  await using window = await visit()
  const { page } = window
  await page.goto(shop.url)
  await openChat(page)
  await write(page, 'one')
  await sent(page).waitFor()
  await until(() => fake.streams() === 1, 'no stream')
  for (let n = 0; n < 12; n += 1) fake.say({ text: `A long answer. ${'It goes on. '.repeat(12)}${n}` })
  const log = page.getByRole('log')
  const newest = log.locator('.pbw-item').last()
  await log.getByText(/It goes on\. 11$/).waitFor()
  const jump = page.getByRole('button', { name: 'New messages' })
  assert.equal(await jump.isVisible(), false)
  await log.evaluate((element) => {
    element.scrollTop = 0
  })
  fake.say({ text: 'The newest' })
  await jump.click()
  await jump.waitFor({ state: 'hidden' })
  const isInView = await newest.evaluate((item) => {
    const [one, whole] = [item, item.parentElement].map((each) => each?.getBoundingClientRect())
    return one !== undefined && whole !== undefined && one.bottom <= whole.bottom + 1
  })
  assert.ok(isInView, 'it does not lead to the end')
})
