import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contactOf, holdTurnsBack, untilAnswered, write } from '../../../server/test/helpers/bots.ts'
import { saveUrl, untilMessages } from '../../../server/test/helpers/deliveries.ts'
import { startReceiver } from '../../../server/test/helpers/receivers.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { openSignedIn, type Site, startSite, type Window } from '../helpers/site.ts'

const writers = [
  { fromId: 'ana', firstName: 'Ana', lastName: 'Pereira', channel: 'Web chat' },
  { fromId: 'dev', firstName: 'Dev', lastName: 'Patel', channel: 'Marketplace' },
]

/** A site with two conversations that the bot leaves alone. */
async function startInbox(environment: Record<string, string> = {}): Promise<Site> {
  const site = await startSite(environment)
  await holdTurnsBack(site.app)
  for (const writer of writers) await write(site.account, `This is ${writer.firstName}`, writer)
  return site
}

const composer = ({ page }: Window) => page.getByLabel(/^Message to/)
const bubbles = ({ page }: Window) => page.locator('.turn .bubble .text').allInnerTexts()

test('the whole inbox works by keyboard alone', async () => {
  await using site = await startInbox()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/inbox')
  await page.getByRole('link', { name: /Dev Patel/ }).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: 'Dev Patel', level: 2 }).first().waitFor()
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: 'Ana Pereira', level: 2 }).first().waitFor()
  await page.keyboard.press('t')
  await page.getByText('Bot paused here.').waitFor()
  await page.keyboard.press('r')
  await page.keyboard.type('Good morning')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('Ana')
  await page.keyboard.press('Enter')
  await page.locator('.turn.person').getByText('Good morning').waitFor()
  assert.equal(await composer(window).evaluate((field) => field === document.activeElement), true)
  assert.equal(await composer(window).inputValue(), '')
  const [latest] = await untilMessages(site.app, site.account, (all) => all.length === 3)
  assert.equal(latest?.body, 'Good morning\nAna')
  await page.keyboard.press('Escape')
  await page.keyboard.press(']')
  await page.getByRole('complementary', { name: 'Contact' }).waitFor()
  await page.keyboard.press('2')
  await page.waitForURL('**filter=unread')
  await page.keyboard.press('1')
  await page.keyboard.press('/')
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Search conversations')
})

test('a draft survives a reload, shows in the list, and stays with its conversation', async () => {
  await using site = await startInbox()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go(`/inbox/${await contactOf(site.app, 'ana')}`)
  await composer(window).fill('half a sent')
  await page.reload()
  assert.equal(await composer(window).inputValue(), 'half a sent')
  await page.getByRole('link', { name: /Ana Pereira.*Draft half a sent/ }).waitFor()
  await page.getByRole('link', { name: /Dev Patel/ }).click()
  await page.getByRole('heading', { name: 'Dev Patel', level: 2 }).first().waitFor()
  assert.equal(await composer(window).inputValue(), '')
})

test('replies written without a connection are shown at once and kept once each, in their order', async () => {
  await using site = await startInbox()
  await using window = await openSignedIn(site)
  await window.go(`/inbox/${await contactOf(site.app, 'ana')}`)
  await window.page.getByText('This is Ana').last().waitFor()
  await window.context.setOffline(true)
  for (const text of ['first', 'second']) {
    await composer(window).fill(text)
    await composer(window).press('Enter')
  }
  await window.page.getByText('Waiting for the connection').first().waitFor()
  assert.deepEqual((await bubbles(window)).slice(-2), ['first', 'second'])
  await window.context.setOffline(false)
  const messages = await untilMessages(site.app, site.account, (all) => all.length === 4)
  assert.deepEqual(
    messages.slice(0, 2).map(({ body }) => body),
    ['second', 'first'],
  )
  await until(
    async () => (await window.page.getByText(/Waiting for the connection|Sending…/).count()) === 0,
    'a reply is still being sent',
  )
  assert.deepEqual((await bubbles(window)).slice(-2), ['first', 'second'])
})

test('a reply that was not delivered says why and when it is tried again, and Send again sends it', async () => {
  let status = 503
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end())
  await using site = await startInbox({ DELIVERY_RETRY_SECONDS: '300,300' })
  await saveUrl(site.app, site.account, `${receiver.url}/replies`)
  await using window = await openSignedIn(site)
  const { page } = window
  const path = `/inbox/${await contactOf(site.app, 'ana')}`
  await window.go(path)
  await composer(window).fill('Are you there?')
  await composer(window).press('Enter')
  await untilMessages(site.app, site.account, (all) => all.some((message) => message.status === 'Failed'))
  await page.reload()
  await page.getByText('Your server answered 503.').waitFor()
  await page.getByText(/^Try 2 of 3 in \d:\d\d, by itself/).waitFor()
  await page.getByRole('link', { name: /Ana Pereira.*Failed/ }).waitFor()
  await assertAccessible(page)
  status = 200
  await page.getByRole('button', { name: 'Send again' }).click()
  await untilMessages(site.app, site.account, (all) => all.every((message) => message.status !== 'Failed'))
  await page.reload()
  await page.locator('.turn.person').getByText('Sent').waitFor()
  assert.equal(receiver.requests.length, 2)
})

test('why the bot answered is one click away, and Escape gives the focus back', async () => {
  await using site = await startSite()
  await write(site.account, 'Hello', writers[0])
  await untilAnswered(site.app)
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go(`/inbox/${await contactOf(site.app, 'ana')}`)
  await page.getByRole('button', { name: 'Why this answer' }).waitFor()
  await page.keyboard.press('y')
  await page.getByRole('dialog', { name: 'Why this answer' }).getByText('Greeted back').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Why this answer')
})

test('axe finds nothing in the inbox in either theme, wide and at 360 px', async () => {
  await using site = await startInbox()
  await using window = await openSignedIn(site, { width: 1440 })
  const { page } = window
  const thread = `/inbox/${await contactOf(site.app, 'ana')}`
  for (const path of ['/inbox', thread]) {
    await page.setViewportSize({ width: 1440, height: 800 })
    await window.go(path)
    await page.getByRole('link', { name: /Ana Pereira/ }).waitFor()
    if (path === thread) await page.getByText('Bot answers here.').waitFor()
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await assertAccessible(page)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow} px at ${width}`)
    }
  }
})
