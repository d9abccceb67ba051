import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { until } from '../../../server/test/helpers/until.ts'
import { type FakeChat, openFakeChat } from './helpers/fake-chat.ts'
import { openShop, visit } from './helpers/shop.ts'

const body = '<main><h1>A shop</h1><p><a href="/other">Workshop</a></p></main>'

async function start(lang = 'en') {
  await using started = new AsyncDisposableStack()
  const fake = started.use(await openFakeChat())
  const shop = started.use(await openShop({ '/': { lang, body }, '/other': { lang, body } }, fake.line))
  fake.settings.pages = [`shop.test:${shop.port}`]
  const parts = started.move()
  return { fake, shop, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

const source = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** By all rules in the light scheme, by those of colour in the dark one. */
async function assertAccessible(page: Page, state: string): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await source)
  for (const [colorScheme, rules] of [
    ['dark', ['color-contrast', 'link-in-text-block']],
    ['light', undefined],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const found = await page.evaluate(async (only) => {
      const { run } = (window as unknown as { axe: typeof axe }).axe
      const { violations } = await run(document, {
        resultTypes: ['violations'],
        ...(only && { runOnly: { type: 'rule' as const, values: [...only] } }),
      })
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`)
    }, rules)
    assert.deepEqual(found, [], `${state}, ${colorScheme}`)
  }
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

/** What is read aloud, in order. */
const announced = (page: Page) =>
  page.evaluate(() => {
    const root = document.getElementById('patchbay-chat')?.shadowRoot
    return [...(root?.querySelectorAll('.pbw-hide[aria-live] p, .pbw-hide[role=alert] p') ?? [])].map(
      (each) => each.textContent,
    )
  })

/** Brings the chat into each of the states of the design, and says their names. */
async function* states(page: Page, fake: FakeChat): AsyncGenerator<string> {
  await page.getByRole('button', { name: 'Chat with us' }).waitFor()
  yield 'closed, with a first word'
  await page.getByRole('button', { name: 'Chat with us' }).click()
  await page.getByRole('log').getByText('Hello.').waitFor()
  yield 'open'
  await write(page, 'Do you service e-bikes?')
  await page.getByText('Sent').waitFor()
  await until(() => fake.streams() === 1, 'no stream')
  fake.tell('typing', { forMs: 60_000, by: 'bot' })
  await page.getByText('Assistant is writing').last().waitFor()
  yield 'the bot is writing'
  fake.say({
    text: 'Yes: https://shop.test/service',
    choices: [
      { id: 'a', title: 'Book a service' },
      { id: 'b', title: 'Talk to a person' },
    ],
  })
  await page.getByRole('button', { name: 'Book a service' }).waitFor()
  yield 'buttons'
  fake.state = { ...fake.state, by: 'person', name: 'Ines' }
  fake.tell('line', { id: 'l1', seq: fake.seq, at: Date.now(), is: 'joined', name: 'Ines' })
  fake.tell('state', fake.state)
  fake.say({ from: 'person', name: 'Ines', text: 'Hi, Ines here. What can I do for you?' })
  await page.getByText(/Ines\W answers you/).waitFor()
  yield 'a person joined'
  const file = {
    name: 'offer.pdf',
    contentType: 'application/pdf',
    sizeBytes: 120_000,
    url: '/files/x',
    isPicture: false,
  }
  fake.say({ from: 'person', name: 'Ines', text: '', file })
  await page.getByRole('link', { name: 'offer.pdf' }).waitFor()
  fake.instead.set('POST messages', [{ status: 400 }])
  await write(page, 'The noise starts after 10 minutes.')
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.locator('#patchbay-chat input[type=file]').evaluate((input: HTMLInputElement) => {
    const chosen = new DataTransfer()
    chosen.items.add(new File([new Uint8Array(10 * 1024 * 1024 + 1)], 'film.mov', { type: 'video/quicktime' }))
    input.files = chosen.files
    input.dispatchEvent(new Event('change'))
  })
  await page.getByText('Not sent: 10 MB is the most.').last().waitFor()
  yield 'failed'
  fake.state = { by: 'nobody', name: null, isOpen: false, opensAt: Date.now() + 3_600_000, mayAskEmail: true }
  fake.tell('state', fake.state)
  await page.getByLabel('E-mail, if you like').waitFor()
  yield 'nobody there'
  await page.getByRole('button', { name: 'Privacy' }).click()
  await page.getByRole('button', { name: 'Delete this chat' }).waitFor()
  yield 'privacy'
  await page.getByRole('button', { name: 'Delete this chat' }).click()
  await page.getByRole('heading', { name: 'Delete this chat' }).waitFor()
  yield 'delete'
  await page.getByRole('button', { name: 'Back' }).click()
  fake.isDown = true
  fake.cut()
  await write(page, 'Is my bike ready?')
  await page.getByText('Waits for the connection').waitFor()
  yield 'no connection'
}

test('axe finds nothing in any state, in both schemes', async () => {
  await using world = await start()
  await using window = await visit()
  const { page } = window
  await page.goto(world.shop.url)
  for await (const state of states(page, world.fake)) await assertAccessible(page, state)
})

test('a whole chat by keyboard alone: the focus is where one writes, and comes back; nothing is read aloud but what is new', async () => {
  await using world = await start()
  const { fake } = world
  await using window = await visit({ reducedMotion: 'reduce' })
  const { page } = window
  const { keyboard } = page
  await page.goto(world.shop.url)
  await page.getByRole('button', { name: 'Chat with us' }).waitFor()
  const focused = () =>
    page.evaluate(() => {
      const inside = document.activeElement?.shadowRoot?.activeElement
      return inside?.getAttribute('aria-label') ?? inside?.textContent ?? document.activeElement?.tagName
    })
  await keyboard.press('Tab')
  await keyboard.press('Tab')
  assert.equal(await focused(), 'Hide')
  await keyboard.press('Tab')
  assert.equal(await focused(), 'Chat with us')
  await keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await until(async () => (await focused()) === 'Message', 'the field has no focus')
  assert.deepEqual(await announced(page), [], 'the greeting is not read aloud')
  await keyboard.type('first line')
  await keyboard.press('Shift+Enter')
  await keyboard.type('second line')
  await keyboard.press('Enter')
  await page.getByText('Sent').waitFor()
  assert.equal(fake.posts[0]?.text, 'first line\nsecond line')
  await until(() => fake.streams() === 1, 'no stream')
  for (const _ of [1, 2]) fake.tell('typing', { forMs: 60_000, by: 'bot' })
  fake.say({ text: 'Yes.', choices: [{ id: 'a', title: 'Book' }] })
  await page.getByRole('button', { name: 'Book' }).waitFor()
  assert.deepEqual(await announced(page), ['Assistant is writing', 'Assistant: Yes.'])
  const dots = await page.evaluate(() => document.getAnimations().length)
  assert.equal(dots, 0, 'nothing moves')
  for (let tab = 0; tab < 8 && (await focused()) !== 'Book'; tab += 1) await keyboard.press('Shift+Tab')
  await keyboard.press('Enter')
  await until(() => fake.posts.length === 2, 'the button sends nothing')
  assert.equal(await focused(), 'Message')
  await keyboard.press('Escape')
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.match(String(await focused()), /Open the chat/)
  await keyboard.press('Enter')
  await until(async () => (await focused()) === 'Message', 'the field has no focus')
  assert.deepEqual((await announced(page)).length, 2, 'what was read aloud is not read again')
})

test('an Enter that ends a composition sends nothing, and keys that are typed here are not the page’s', async () => {
  await using world = await start()
  await using window = await visit()
  const { page } = window
  await page.goto(world.shop.url)
  await page.evaluate(() => {
    const keys: string[] = []
    Object.assign(globalThis, { keys })
    document.addEventListener('keydown', ({ key }) => keys.push(key))
  })
  await page.getByRole('button', { name: 'Chat with us' }).click()
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('にほ')
  await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })
  await field.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true })
  assert.equal(await field.inputValue(), 'にほ')
  await page.keyboard.press('s')
  assert.deepEqual(await page.evaluate(() => (globalThis as unknown as { keys: string[] }).keys), [])
  assert.equal(world.fake.posts.length, 0)
})

test('on a phone it covers the page, which does not scroll behind it, and Tab stays inside; 320 px and right to left lose nothing', async () => {
  await using world = await start('ar')
  const { fake } = world
  await using window = await visit({ width: 320, height: 640 })
  const { page } = window
  await page.goto(world.shop.url)
  await page.getByRole('button', { name: 'تحدث معنا' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  assert.deepEqual(await dialog.boundingBox(), { x: 0, y: 0, width: 320, height: 640 })
  assert.equal(await dialog.getAttribute('aria-modal'), 'true')
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).overflow), 'hidden')
  await page.getByRole('textbox').fill('مرحبا')
  await page.keyboard.press('Enter')
  await page.getByText('أُرسلت').waitFor()
  fake.say({ text: 'https://shop.test/a-very-long-address-without-any-place-to-break-it-that-goes-on-and-on-and-on' })
  await page.getByRole('log').getByRole('link').waitFor()
  for (let tab = 0; tab < 12; tab += 1) {
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'patchbay-chat')
  }
  const wide = await page.evaluate(() => {
    const root = document.getElementById('patchbay-chat')?.shadowRoot
    return [...(root?.querySelectorAll('*') ?? [])].filter((each) => {
      const { left, right, width } = each.getBoundingClientRect()
      return width > 1 && (left < -0.5 || right > 320.5)
    }).length
  })
  assert.equal(wide, 0, 'nothing stands out')
  const [mine, theirs] = await page.evaluate(() => {
    const root = document.getElementById('patchbay-chat')?.shadowRoot
    return ['.me > .pbw-msg', '.shop > .pbw-msg'].map(
      (name) => root?.querySelector(name)?.getBoundingClientRect().left ?? 0,
    )
  })
  assert.ok((mine ?? 0) < (theirs ?? 0), 'their own stand left in Arabic')
  const small = await page.evaluate(() => {
    const root = document.getElementById('patchbay-chat')?.shadowRoot
    const seen = [...(root?.querySelectorAll<HTMLElement>('button, input, textarea') ?? [])].filter((each) =>
      each.checkVisibility(),
    )
    return seen
      .filter((each) => {
        const { width, height } = each.getBoundingClientRect()
        const before = getComputedStyle(each, '::before')
        return Math.max(height, Number.parseFloat(before.height) || 0) < 40 || width < 40
      })
      .map((each) => each.textContent || each.getAttribute('aria-label'))
  })
  assert.deepEqual(small, [], 'all can be hit')
  await page.keyboard.press('Escape')
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).overflow), 'visible')
})
