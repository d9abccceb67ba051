import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConversationEvent, noteEvent } from '../../../server/src/journey/conversations/conversation-store.ts'
import type { ChannelId, ContactId } from '../../../server/src/platform/ids.ts'
import { sendHints } from '../../../server/src/platform/notify/hints.ts'
import { withOk } from '../../../server/test/helpers/inbox.ts'
import { makeChat } from '../../../server/test/helpers/own-channels.ts'
import { openVisitor } from '../../../server/test/helpers/providers/visitors.ts'
import { signIn } from '../../../server/test/helpers/sessions.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertFine } from '../helpers/axe.ts'
import { openSignedIn, startSite } from '../helpers/site.ts'

/** A shop with a website chat, on which one visitor has written, in an inbox that is open. */
async function startChat() {
  const site = await startSite({ PUBLIC_URL: 'https://patchbay.kettlelane.example' })
  const { app, account } = site
  await app.db.updateTable('accounts').set({ botActive: false }).where('id', '=', account.accountId).execute()
  const owner = withOk(await signIn(app, account))
  const { id, version } = await makeChat(owner, { pages: ['kettlelane.example'] })
  const channelId = id as ChannelId
  await owner.ok('PATCH', `/api/channels/${channelId}`, { version, name: 'kettlelane.example' })
  const visitor = openVisitor(app, { accountId: account.accountId, channelId }, { key: 'ana' })
  const page = 'https://kettlelane.example/bikes/gravel'
  const contactId = await visitor.write('Hello, is the gravel one there?', { page, language: 'de' })
  const window = await openSignedIn(site, { width: 1440, height: 1000 })
  await window.go(`/inbox/${contactId}`)
  await window.page.locator('.bubble').getByText('Hello').waitFor()
  const hint = () => sendHints(app.db, account.accountId, [contactId])
  return {
    ...{ site, app, account, owner, channelId, visitor, contactId, window, page: window.page, shopPage: page, hint },
    name: `Visitor ${visitor.address.slice(0, 4).toUpperCase()}`,
    /** What the room of website chats writes of them. */
    setOnChannel: async (set: Record<string, unknown>, of: ContactId = contactId) => {
      await app.db.updateTable('contactChannels').set(set).where('contactId', '=', of).execute()
      await hint()
    },
    note: async (kind: ConversationEvent['kind']) => {
      const ref = { accountId: account.accountId, contactId }
      await app.db.transaction().execute((tx) => noteEvent(tx, ref, { kind, userId: null }))
      await hint()
    },
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]()
      await site[Symbol.asyncDispose]()
    },
  }
}

test('a visitor has a name of four signs, and the thread says where they write, who vouches, what arrived and was read', async () => {
  await using chat = await startChat()
  const { page, visitor, app, name, contactId, shopPage, setOnChannel, note } = chat
  await page.locator('.convo').getByText(name).waitFor()
  await page.getByRole('heading', { name }).first().waitFor()
  assert.match(
    await page.locator('.convo .avatar').innerText(),
    new RegExp(`^${visitor.address.slice(0, 2).toUpperCase()}\\b`),
  )
  const first = page.locator('.bubble').first()
  const link = first.getByRole('link', { name: 'kettlelane.example/bikes/gravel' })
  await link.waitFor()
  assert.deepEqual(
    [await link.getAttribute('href'), await link.getAttribute('rel'), await link.getAttribute('target')],
    [shopPage, 'noopener noreferrer nofollow', '_blank'],
  )
  await first.getByText('in German').waitFor()
  assert.equal(await page.getByText('Signed in at the shop').count(), 0, 'nobody vouches for a browser')

  await visitor.write('And the other?', { page: 'https://evil.example/pay', language: 'de' })
  const evil = page.locator('.bubble').filter({ hasText: 'And the other?' })
  await evil.getByText('evil.example/pay').waitFor()
  assert.equal(await evil.getByRole('link').count(), 0, 'a page of somebody else became a link')
  await visitor.write('It is me now', { page: shopPage, language: 'de', signed: true })
  const signed = page.locator('.bubble').filter({ hasText: 'It is me now' })
  await signed.getByText('Signed in at the shop').waitFor()
  assert.equal(
    await page.getByText('Signed in at the shop').count(),
    1,
    'it is on what was signed, and on nothing else',
  )

  // A reply, and what the browser says of it.
  const area = page.getByRole('textbox', { name: /^Message to/ })
  await area.fill('Yes, in two sizes.')
  await area.press('Enter')
  const receipt = page.locator('.bubble.person .receipt-delivery')
  await page.locator('.bubble.person').getByText('Sent', { exact: true }).waitFor()
  const deliveredAt = new Date(Date.now() - 60_000)
  const mark = async (set: Record<string, Date>) => {
    await app.db.updateTable('deliveries').set(set).where('contactId', '=', contactId).execute()
    await chat.hint()
  }
  await mark({ deliveredAt })
  await receipt.getByText('Delivered').waitFor()
  const readAt = new Date()
  await mark({ readAt })
  await receipt.getByText(/^Read \d/).waitFor()
  assert.match((await receipt.getAttribute('title')) ?? '', /^Sent .*\. Delivered .*\. Read /)

  // Who writes shows until they have written, without a row.
  const rows = async () => (await app.db.selectFrom('conversationEvents').select('id').execute()).length
  const before = await rows()
  await sendHints(app.db, chat.account.accountId, [`visitor-writes:${contactId}`])
  await page.locator('.bubble').getByText(`${name} is writing`).waitFor()
  await page.locator('.convo').getByText('Is writing…').waitFor()
  await assertFine(page)
  await visitor.write('Great')
  await page.locator('.bubble').getByText('is writing').waitFor({ state: 'detached' })
  assert.equal(await rows(), before)

  // Events, and the other contact of this browser.
  const customer = openVisitor(app, { accountId: chat.account.accountId, channelId: chat.channelId }, { sub: 'c-1' })
  const customerId = await customer.write(
    'Hello from my account',
    { signed: true },
    { firstName: 'Ana', lastName: 'Moreno' },
  )
  await setOnChannel({ signedInAs: customerId })
  for (const kind of ['signed in', 'left e-mail', 'asked to be deleted'] as const) await note(kind)
  const event = page.locator('.event').filter({ hasText: `${name} signed in at the shop, same browser as Ana Moreno` })
  await event.waitFor()
  await page.locator('.event').getByText(`${name} left an e-mail address`).waitFor()
  await page.locator('.event').getByText(`${name} asked to be deleted`).waitFor()
  await assertFine(page)
  await event.getByRole('link', { name: 'Ana Moreno' }).click()
  await page.waitForURL((url) => url.pathname === `/inbox/${customerId}`)
})

test('the contact shows what a visitor left and asked for; blocked by the keyboard, nothing can be written, and why is said', async () => {
  await using chat = await startChat()
  const { page, app, contactId, channelId, account, name, setOnChannel, note } = chat
  const pane = page.locator('[data-pane="contact"]')
  await pane.getByText(name).first().waitFor()
  const line = page.locator('.by-line')
  await line.getByText('They read it when they come back').waitFor()
  await setOnChannel({ seenAt: new Date(), leftEmail: 'Ana@Kettlelane.example', leftEmailAt: new Date() })
  await line.getByText(/^Seen /).waitFor()
  await pane.getByText(/seen/).waitFor()
  await pane.getByText('not verified').waitFor()
  const mail = pane.getByRole('link', { name: 'Ana@Kettlelane.example' })
  assert.equal(await mail.getAttribute('href'), 'mailto:Ana%40Kettlelane.example')
  await pane.getByRole('button', { name: 'Copy the e-mail address that they left' }).waitFor()
  await note('asked to be deleted')
  await pane.getByText('asked to be deleted').waitFor()
  const erase = pane.getByRole('link', { name: 'Erase them…' })
  assert.match((await erase.getAttribute('href')) ?? '', new RegExp(`^/contacts/${contactId}.*#erase$`))
  await assertFine(page)
  await pane.getByRole('button', { name: 'They stay' }).press('Enter')
  await page.locator('.event').getByText(`You decided that ${name} stays`).waitFor()
  await erase.waitFor({ state: 'detached' })
  await pane.getByRole('button', { name: 'Use as e-mail' }).click()
  await until(async () => {
    const { email } = await app.db
      .selectFrom('contacts')
      .select('email')
      .where('id', '=', contactId)
      .executeTakeFirstOrThrow()
    return email === 'ana@kettlelane.example'
  }, 'it did not become their e-mail address')

  // Somebody types: the visitor is told, at most every four seconds.
  const signs: string[] = []
  page.on('request', (request) => request.url().endsWith('/typing') && signs.push(request.postData() ?? ''))
  const area = page.getByRole('textbox', { name: /^Message to/ })
  await area.pressSequentially('Hello there, we have')
  await until(async () => signs.length > 0, 'nobody was told that somebody writes')
  assert.deepEqual(signs, [JSON.stringify({ channelId })])

  // Blocked, with what it means said first, and let in again.
  await pane.getByRole('button', { name: `Block ${name}` }).focus()
  await page.keyboard.press('Enter')
  await pane.getByText('This chat is closed').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Do not block')
  await assertFine(page)
  await pane.getByRole('button', { name: `Block ${name}` }).click() // a narrow window has closed the contact
  await pane.getByRole('checkbox', { name: /their network address/ }).check()
  const answered = page.waitForRequest((request) => request.url().endsWith('/block'))
  await pane.getByRole('button', { name: 'Block', exact: true }).press('Enter')
  assert.deepEqual((await answered).postDataJSON(), { channelId, alsoNetwork: true })
  await pane.getByRole('button', { name: 'Unblock' }).waitFor()
  await line.getByText('Your team has blocked them here').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Send/ }).getAttribute('aria-disabled'), 'true')
  await page
    .locator('.event')
    .getByText(/ blocked .* on the website/)
    .waitFor()
  await area.press('Enter')
  await area.pressSequentially('more')
  assert.equal(signs.length, 1, 'who is blocked is told nothing')
  const sent = () => app.db.selectFrom('messages').select('id').where('direction', '=', 'outgoing').execute()
  assert.deepEqual(await sent(), [])
  await assertFine(page)
  await pane.getByRole('button', { name: 'Unblock' }).click()
  await line.getByText(/^Seen |^They read/).waitFor()
  await page
    .locator('.event')
    .getByText(/ unblocked .* on the website/)
    .waitFor()

  const { owner } = chat
  await owner.ok('POST', `/api/channels/${channelId}/pause`)
  await sendHints(app.db, account.accountId, [contactId])
  await line.getByText('This channel is paused, and takes nothing').waitFor()
})
