import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import type { ChannelId } from '../../../server/src/platform/ids.ts'
import { png } from '../../../server/test/helpers/media-files.ts'
import { incoming, incomingPath } from '../../../server/test/helpers/message-requests.ts'
import { connectBot, startChannelWorld } from '../../../server/test/helpers/providers/channel-world.ts'
import { reply, startConversation } from '../../../server/test/helpers/providers/conversations.ts'
import { untilShown } from '../../../server/test/helpers/providers/telegram.ts'
import { faults } from '../../../server/test/helpers/providers/telegram-faults.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { openSignedIn, type Site, type Window } from '../helpers/site.ts'

/** Ana has written to the bot, and is known on the shop's own platform too; she never wrote to the other bot. */
async function startShop(looks: { width: number; height?: number }) {
  await using starting = new AsyncDisposableStack()
  const world = starting.use(await startChannelWorld({ SERVE_APP: '1' }))
  const talk = await startConversation(world)
  await connectBot(world.owner, world.telegram.addBot())
  const given = await world.owner.call('PATCH', `/api/contacts/${talk.contactId}`, { externalId: 'ana' })
  assert.equal(given.status, 200)
  const window = starting.use(await openSignedIn({ app: world.app, account: world.shop } as Site, looks))
  await window.go(`/inbox/${talk.contactId}`)
  const replyBy = window.page.getByRole('button', { name: /^Reply by/ })
  await replyBy.waitFor()
  const started = starting.move()
  return { ...world, ...talk, window, replyBy, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

const box = ({ page }: Window) => page.getByLabel('Message to Ana')
const log = ({ page }: Window) => page.getByRole('log')

test('a reply leaves by the way that is chosen with V, and the next one as usual', async () => {
  await using shop = await startShop({ width: 1440 })
  const { window, replyBy, app, ana, contactId } = shop
  const { page } = window
  assert.match(String(await replyBy.getAttribute('aria-label')), /^Reply by Telegram · /)
  await page.locator('.thread-head').getByRole('button', { name: /Close/ }).waitFor()
  await page.keyboard.press('v')
  const ways = page.getByRole('radiogroup', { name: 'Reply by' }).getByRole('radio')
  await ways.nth(2).waitFor()
  assert.match(await ways.nth(2).innerText(), /Never wrote here/)
  assert.equal(await ways.nth(2).getAttribute('aria-disabled'), 'true')
  await assertAccessible(page)
  await until(() => ways.first().evaluate((way) => document.activeElement === way), 'the focus is not in the menu')
  await page.keyboard.press('Escape')
  await ways.first().waitFor({ state: 'detached' })
  assert.ok(await replyBy.evaluate((button) => document.activeElement === button), 'the focus is back at the button')
  await page.keyboard.press('v')
  await ways.nth(2).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  assert.equal(await ways.count(), 3, 'what cannot be used was chosen')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Reply by Your platform/ }).waitFor()
  await until(() => box(window).evaluate((field) => document.activeElement === field), 'the focus is not in the text')
  assert.equal(await page.getByRole('button', { name: /^Attach a file/ }).count(), 0)
  await page.reload()
  await page.getByRole('button', { name: /^Reply by Your platform/ }).waitFor()
  await box(window).fill('By the platform')
  await box(window).press('Enter')
  await log(window).getByText('By the platform').waitFor()
  await page.getByRole('button', { name: /^Reply by Telegram/ }).waitFor()
  await box(window).fill('As usual')
  await box(window).press('Enter')
  await untilShown(ana, 1)
  assert.deepEqual(
    ana.shown.map(({ text }) => text),
    ['As usual'],
  )
  const sent = app.db.selectFrom('messages').select('channel').where('body', '=', 'By the platform')
  assert.equal((await sent.executeTakeFirst())?.channel, 'custom')
  await page.keyboard.press('Escape')
  await page.keyboard.press('v')
  await ways.nth(1).click()
  await page.getByRole('button', { name: /^Reply by Your platform/ }).waitFor()
  ana.write('Are you there?')
  await log(window).getByText('Are you there?').waitFor()
  await page.getByRole('button', { name: /^Reply by Telegram/ }).waitFor()
  await shop.shop.post(incomingPath, incoming({ body: 'From the shop’s page' }))
  await page.getByRole('button', { name: /^Reply by Your platform/ }).waitFor()
  assert.ok(contactId)
})

test('a file is attached, taken away, dropped, pasted, sent and shown', async () => {
  await using shop = await startShop({ width: 1280 })
  const { window, ana } = shop
  const { page } = window
  const choose = (name: string, mimeType: string, buffer: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer })
  const send = page.getByRole('button', { name: /^Send/ })
  await choose('large.bin', 'application/octet-stream', Buffer.alloc(10 * 1_048_576 + 1))
  await page.getByRole('alert').getByText('large.bin has 10.5 MB. By Telegram up to 10 MB can be sent.').waitFor()
  await choose('rim.png', 'image/png', png)
  const attached = page.getByRole('group', { name: 'Attached file' })
  await attached.getByText('rim.png').waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  await assertAccessible(page)
  await attached.getByRole('button', { name: 'Take rim.png away' }).click()
  await attached.waitFor({ state: 'detached' })
  assert.equal(await send.getAttribute('aria-disabled'), 'true')
  const give = (kind: 'drop' | 'paste', name: string) =>
    box(window).evaluate(
      (field, [event, fileName]) => {
        const data = new DataTransfer()
        data.items.add(new File(['Brake pads 18'], String(fileName), { type: 'text/plain' }))
        const about = { bubbles: true, cancelable: true }
        field.dispatchEvent(
          event === 'drop'
            ? new DragEvent('drop', { ...about, dataTransfer: data })
            : new ClipboardEvent('paste', { ...about, clipboardData: data }),
        )
      },
      [kind, name],
    )
  await give('drop', 'dropped.txt')
  await attached.getByText('13 B', { exact: true }).waitFor()
  await give('paste', 'pasted.txt')
  await attached.getByText('pasted.txt').waitFor()
  await attached.getByText('13 B', { exact: true }).waitFor()
  await box(window).press('Enter')
  await untilShown(ana, 1)
  await attached.waitFor({ state: 'detached' })
  await choose('rim.png', 'image/png', png)
  await attached.getByText(`${png.length} B`, { exact: true }).waitFor()
  await box(window).fill('The rim')
  await box(window).press('Enter')
  await untilShown(ana, 2)
  assert.deepEqual(
    ana.shown.map(({ method, text, file }) => [method, text, file?.name]),
    [
      ['sendDocument', '', 'pasted.txt'],
      ['sendPhoto', 'The rim', 'rim.png'],
    ],
  )
  await log(window).getByText('The rim').waitFor()
  await log(window)
    .getByRole('link', { name: /picture/i })
    .waitFor()
  await log(window).getByText('pasted.txt').waitFor()
})

test('on a phone the ways are a sheet at the bottom, and nothing is wider than the screen', async () => {
  await using shop = await startShop({ width: 360, height: 740 })
  const { window, replyBy, owner, channel } = shop
  const { page } = window
  assert.equal((await owner.call('POST', `/api/channels/${channel.id}/pause`)).status, 200)
  await page.reload()
  await page.getByText('Waits for the channel: it is paused').waitFor()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'a name that is longer than the screen is wide.png', mimeType: 'image/png', buffer: png })
  await page.getByRole('group', { name: 'Attached file' }).waitFor()
  await replyBy.click()
  await page.locator('.popover[data-sheet] [role=radio]').first().waitFor()
  await assertAccessible(page)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.ok(width <= 360, `${width}`)
})

const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Brake pads 18') }

test('a file that does not get there says so, is tried again, outlives a reload, and goes once where the answer to its reply is lost', async () => {
  await using shop = await startShop({ width: 1280 })
  const { window, ana, app } = shop
  const { page } = window
  await page.route('**/files?**', (route) => route.abort(), { times: 1 })
  await page.locator('input[type=file]').setInputFiles(note)
  const attached = page.getByRole('group', { name: 'Attached file' })
  await attached.getByText('Not attached. The server did not answer.').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Send/ }).getAttribute('aria-disabled'), 'true')
  await assertAccessible(page)
  await attached.getByRole('button', { name: 'Try again' }).click()
  await attached.getByText('13 B', { exact: true }).waitFor()
  await page.reload()
  await attached.getByText('note.txt').waitFor()
  let lost = 0
  const loseAnswer = async (route: Route) => {
    const request = route.request()
    const { status } = await shop.owner.call('POST', new URL(request.url()).pathname, request.postDataJSON())
    assert.equal(status, 200)
    lost += 1
    await route.abort()
  }
  await page.route('**/replies', loseAnswer, { times: 2 })
  await box(window).fill('Here it is')
  await box(window).press('Enter')
  await log(window).getByText('Sent', { exact: true }).waitFor()
  await attached.waitFor({ state: 'detached' })
  await until(() => lost === 2, 'it was not tried again')
  await untilShown(ana, 1)
  const kept = app.db.selectFrom('messages').select('id').where('body', '=', 'Here it is')
  assert.equal((await kept.execute()).length, 1)
  assert.deepEqual(
    ana.shown.map(({ method, text }) => [method, text]),
    [['sendDocument', 'Here it is']],
  )
})

test('a reply with a file waits offline with its file and its way, in both tabs, and leaves once when the connection is back', async () => {
  await using shop = await startShop({ width: 1280 })
  const { window, ana, channel, contactId } = shop
  const { page, context } = window
  const other = await context.newPage()
  await other.goto(`/inbox/${contactId}`)
  await page.locator('input[type=file]').setInputFiles(note)
  const attachedIn = (one: typeof page) => one.getByRole('group', { name: 'Attached file' })
  await attachedIn(other).getByText('13 B', { exact: true }).waitFor()
  await shop.shop.post(incomingPath, incoming({ body: 'From the shop’s page' }))
  await page.getByRole('button', { name: /^Reply by Your platform/ }).waitFor()
  await page
    .getByRole('alert')
    .getByText('Your platform takes no files. Choose another way, or take the file away.')
    .waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('v')
  await page
    .getByRole('radio', { name: new RegExp(`Telegram · ${channel.name}`) })
    .first()
    .click()
  await context.setOffline(true)
  await box(window).fill('On its way')
  await box(window).press('Enter')
  await log(window).getByText('Waiting for the connection').waitFor()
  await log(window).getByText('note.txt').waitFor()
  await attachedIn(other).waitFor({ state: 'detached' })
  await context.setOffline(false)
  await log(window).getByText('Sent', { exact: true }).waitFor()
  await untilShown(ana, 1)
  assert.deepEqual(
    ana.shown.map(({ method, text }) => [method, text]),
    [['sendDocument', 'On its way']],
  )
})

test('what an office program copies is pasted as its text, and a file that is dropped beside the composer does not replace the app', async () => {
  await using shop = await startShop({ width: 1280 })
  const { window } = shop
  const { page } = window
  const isTaken = await box(window).evaluate((field) => {
    const data = new DataTransfer()
    data.setData('text/plain', 'A1')
    data.items.add(new File(['x'], 'cells.png', { type: 'image/png' }))
    return !field.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }))
  })
  assert.equal(isTaken, false)
  await page.getByRole('group', { name: 'Attached file' }).waitFor({ state: 'detached' })
  const drag = (type: string) =>
    log(window).evaluate((thread, event) => {
      const data = new DataTransfer()
      data.items.add(new File(['x'], 'beside.txt', { type: 'text/plain' }))
      return !thread.dispatchEvent(new DragEvent(event, { bubbles: true, cancelable: true, dataTransfer: data }))
    }, type)
  assert.equal(await drag('dragover'), true)
  await page.locator('.takes-drop').waitFor()
  assert.equal(await drag('drop'), true)
  await page.locator('.takes-drop').waitFor({ state: 'detached' })
  await page.getByRole('group', { name: 'Attached file' }).getByText('beside.txt').waitFor()
})

test('who is known on one channel alone is shown no menu, and whoever has blocked it cannot be written to until they write again', async () => {
  await using world = await startChannelWorld({ SERVE_APP: '1' })
  const { contactId, ana } = await startConversation(world)
  await connectBot(world.owner, world.telegram.addBot())
  await using window = await openSignedIn({ app: world.app, account: world.shop } as Site, { width: 360, height: 740 })
  const { page } = window
  await window.go(`/inbox/${contactId}`)
  await page.locator('.by-line .by-name').getByText('Telegram').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Reply by/ }).count(), 0)
  ana.block()
  await page.locator('.by-line').getByText('They have blocked this channel').waitFor()
  await box(window).fill('Hello?')
  assert.equal(await page.getByRole('button', { name: /^Send/ }).getAttribute('aria-disabled'), 'true')
  await box(window).press('Enter')
  assert.equal(await box(window).inputValue(), 'Hello?')
  await assertAccessible(page)
  ana.unblock()
  ana.write('Here again')
  await page.locator('.by-line').getByText('They have blocked this channel').waitFor({ state: 'detached' })
  await box(window).press('Enter')
  await untilShown(ana, 1)
})

test('a reply that did not leave is put where it can be sent by another way, and the contact says of each way what is known', async () => {
  await using shop = await startShop({ width: 1440 })
  const { window, telegram, ana, contactId, app } = shop
  const { page } = window
  telegram.plan('sendMessage', faults.badRequest)
  await reply(shop, contactId, 'Yes or no?')
  const failed = page.locator('.delivery-error')
  await failed.getByText('Telegram says: Bad Request: wrong type of the web page content (400)').waitFor()
  const reachedBy = page.locator('.addresses li')
  await reachedBy.getByText('a reply was not delivered').waitFor()
  const addresses = await page.locator('.addresses .copy').allInnerTexts()
  assert.deepEqual(
    addresses.map((text) => text.trim()),
    [String(ana.chatId), 'ana'],
  )
  await assertAccessible(page)
  await box(window).fill('And when?')
  await failed.getByRole('button', { name: 'By your platform' }).click()
  await page.getByRole('button', { name: /^Reply by Your platform/ }).waitFor()
  assert.equal(await box(window).inputValue(), 'Yes or no?\n\nAnd when?')
  await until(() => box(window).evaluate((field) => document.activeElement === field), 'the focus is not in the text')
  await box(window).press('Enter')
  const custom = () => app.db.selectFrom('messages').select('body').where('channel', '=', 'custom').execute()
  await until(async () => (await custom()).length === 1, 'it did not leave by the platform')
  assert.equal(ana.shown.length, 0)
  ana.block()
  await reachedBy.getByText('they have blocked it').waitFor()
  await page.goto(`/contacts/${contactId}`)
  await page.locator('.addresses').getByText('they have blocked it').waitFor()
  await assertAccessible(page)
})

test('what a channel waits for, and why it cannot be used, is said beside it and in the menu; what waits can be sent, what is disconnected not even by the keys', async () => {
  await using shop = await startShop({ width: 1280 })
  const { window, app, owner, channel } = shop
  const { page } = window
  const ways = page.getByRole('radiogroup', { name: 'Reply by' }).getByRole('radio')
  const send = page.getByRole('button', { name: /^Send/ })
  const id = channel.id as ChannelId
  const change = (fields: object) => app.db.updateTable('channels').set(fields).where('id', '=', id).execute()
  const isSaid = async (says: string) => {
    await page.reload()
    await page.locator('.by-line').getByText(says).waitFor()
    await page.keyboard.press('v')
    await ways.filter({ hasText: says }).waitFor()
    await page.keyboard.press('Escape')
    await ways.first().waitFor({ state: 'detached' })
  }
  await change({ pausedAt: new Date() })
  await isSaid('Waits for the channel: it is paused')
  await change({ pausedAt: null, state: 'attention', attentionReason: 'credentials', attentionSince: new Date() })
  await isSaid('Waits for the channel: it needs attention')
  await box(window).fill('It can wait')
  await until(async () => (await send.getAttribute('aria-disabled')) !== 'true', 'what waits cannot be sent')
  await change({ state: 'working', attentionReason: null, attentionSince: null })
  await app.db.insertInto('installation').values({ secretKeyCheck: 'none', restoredAt: new Date() }).execute()
  await isSaid('Waits for the channel: this is a restored copy')
  await app.db.deleteFrom('installation').execute()
  assert.equal((await owner.call('DELETE', `/api/channels/${channel.id}`)).status, 200)
  await isSaid('This channel was disconnected')
  assert.equal(await send.getAttribute('aria-disabled'), 'true')
  await page.keyboard.press('v')
  await ways.filter({ hasText: 'This channel was disconnected' }).focus()
  await page.keyboard.press('Enter')
  assert.equal(await ways.count(), 3, 'it was chosen')
  await assertAccessible(page)
})
