import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contactOf, holdTurnsBack, untilAnswered, write } from '../../../server/test/helpers/bots.ts'
import { saveUrl, untilMessages } from '../../../server/test/helpers/deliveries.ts'
import { startReceiver } from '../../../server/test/helpers/receivers.ts'
import { addNewerApart, addToSearch } from '../../../server/test/helpers/search-blocks.ts'
import { signIn } from '../../../server/test/helpers/sessions.ts'
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
const bubbles = ({ page }: Window) => page.locator('.bubble-text').allInnerTexts()

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
  await page.getByText('Bot answers here.').waitFor()
  await page.keyboard.press('t')
  await page.getByText('Bot paused here.').waitFor()
  await page.keyboard.press('r')
  await page.keyboard.type('Good morning')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('Ana')
  await page.keyboard.press('Enter')
  await page.locator('.bubble.person').getByText('Good morning').waitFor()
  assert.equal(await composer(window).evaluate((field) => field === document.activeElement), true)
  assert.equal(await composer(window).inputValue(), '')
  const [latest] = await untilMessages(site.app, site.account, (all) => all.length === 3)
  assert.equal(latest?.body, 'Good morning\nAna')
  await page.keyboard.press('Escape')
  await page.keyboard.press(']')
  await page.getByRole('complementary', { name: 'Contact' }).waitFor()
  await page.keyboard.press('3')
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

test('a search that takes long says so, goes on by itself, and is given up when other words are typed', async () => {
  // Without a worker: the message would be in the part that is searched first.
  await using site = await startInbox({ ROLE: 'api' })
  const { app, account } = site
  const text = 'The lantern at the harbour'
  const messageId = await write(account, text, { fromId: 'ana' })
  await addToSearch(app, account.accountId, { messageId, contactId: await contactOf(app, 'ana'), text })
  await addNewerApart(app, account.accountId, { words: ['lantern', 'harbour'], blocks: 300 })
  await using window = await openSignedIn(site)
  const { page } = window
  const mayGoOn = Promise.withResolvers<void>()
  await page.route(/before=/, async (route) => {
    await mayGoOn.promise
    await route.continue().catch(() => {}) // given up
  })
  await window.go('/inbox')
  const field = page.getByLabel('Search conversations')
  await field.fill('lantern harbour')
  const older = page.locator('.found-more', { hasText: 'Searching older messages…' })
  await older.waitFor()
  const givenUp = page.waitForEvent('requestfailed', (request) => request.url().includes('before='))
  await field.fill('nothing like it')
  await givenUp
  await page.getByText('Nothing matches').waitFor()
  await field.fill('lantern harbour')
  await older.waitFor()
  mayGoOn.resolve()
  await page.getByRole('link', { name: /Ana Pereira.*The lantern at the harbour/ }).waitFor()
  assert.equal(await older.count(), 0)
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

test('a reply that was not delivered says why and when it is tried again, and Send again turns it Sent without a reload', async () => {
  let status = 503
  let held: (() => void) | undefined
  await using receiver = await startReceiver((_request, response) => {
    const answer = () => response.writeHead(status).end()
    if (status === 504) held = answer
    else answer()
  })
  await using site = await startInbox({ DELIVERY_RETRY_SECONDS: '300,300' })
  await saveUrl(site.app, site.account, `${receiver.url}/replies`)
  await using window = await openSignedIn(site)
  const { page } = window
  const path = `/inbox/${await contactOf(site.app, 'ana')}`
  await window.go(path)
  await composer(window).fill('Are you there?')
  await composer(window).press('Enter')
  const cause = page.locator('.bubble.person').getByText('Your server answered 503.')
  await cause.waitFor()
  await page.getByText(/^Try 2 of 3 in \d:\d\d, by itself/).waitFor()
  await page.getByRole('link', { name: /Ana Pereira.*Failed/ }).waitFor()
  await assertAccessible(page)
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  const again = page.getByRole('button', { name: 'Send again' })
  status = 504
  await again.click()
  const rests = page.getByRole('button', { name: 'Sending…' })
  for (let click = 0; click < 5; click += 1) await rests.dispatchEvent('click')
  await page.keyboard.press('Shift+R')
  await until(() => held !== undefined, 'it was not posted')
  held?.()
  await page.locator('.bubble.person').getByText('Your server answered 504.').waitFor()
  await page.getByRole('link', { name: '2 tries so far' }).waitFor()
  await page.getByText(/^Try 2 of 3 in \d:\d\d, by itself/).waitFor()
  assert.equal(receiver.requests.length, 2, 'the button rests while a try is on its way')
  status = 200
  await again.click()
  await page.locator('.bubble.person').getByText('Sent').waitFor()
  await cause.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: /Ana Pereira.*Failed/ }).waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => 'isSamePage' in window), true)
  assert.equal(receiver.requests.length, 3)
})

test('the search of the inbox says that words are looked up from three letters on, and then finds them', async () => {
  await using site = await startInbox()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/inbox')
  const hint = page.getByText('Type three letters of a word to search messages.')
  await page.getByLabel('Search conversations').fill('de')
  await page.getByRole('link', { name: /Dev Patel/ }).waitFor()
  await hint.waitFor()
  await page.getByLabel('Search conversations').fill('xq')
  await page.getByText('Nothing matches “xq”').waitFor()
  await hint.waitFor()
  const { call } = await signIn(site.app, site.account)
  const isFound = async () => (await call('GET', '/api/search?q=thi')).body.messages.length === 2
  await until(isFound, 'the words of the messages are not found')
  await page.getByLabel('Search conversations').fill('thi')
  await page.getByRole('region', { name: 'Messages' }).getByText('This is Dev').waitFor()
  assert.equal(await hint.count(), 0)
})

test('counts end at 99+: of the filters, and beside Inbox those who need somebody', async () => {
  await using site = await startSite({ ROLE: 'api' })
  const { app, account } = site
  const waits = { waitingSince: new Date(), waitingReason: 'asked' }
  for (let n = 1; n <= 99; n += 1) await write(account, 'Hello', { fromId: `from ${n}` })
  await app.db.updateTable('conversations').set(waits).execute()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/inbox')
  await page.getByRole('button', { name: /^Unread ?99$/ }).waitFor()
  const inbox = page.getByRole('link', { name: /^Inbox ?,/ })
  await inbox.getByText('99', { exact: true }).waitFor()
  await write(account, 'Hello', { fromId: 'the hundredth' })
  await page.getByRole('button', { name: /^Unread ?99\+$/ }).waitFor() // by itself
  await app.db.updateTable('conversations').set(waits).execute()
  await page.reload()
  await page.getByRole('button', { name: /^Waiting ?99\+$/ }).waitFor()
  await inbox.getByText('99+', { exact: true }).waitFor()
  await inbox.getByText('99+ need you').waitFor({ state: 'attached' })
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
