import assert from 'node:assert/strict'
import { test } from 'node:test'
import { png } from '../../../server/test/helpers/media-files.ts'
import { incoming, incomingPath } from '../../../server/test/helpers/message-requests.ts'
import { connectBot, startChannelWorld } from '../../../server/test/helpers/providers/channel-world.ts'
import { startConversation } from '../../../server/test/helpers/providers/conversations.ts'
import { untilShown } from '../../../server/test/helpers/providers/telegram.ts'
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
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Reply by Your platform/ }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Attach a file/ }).count(), 0)
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
  await attached.getByText('13 B').waitFor()
  await give('paste', 'pasted.txt')
  await attached.getByText('pasted.txt').waitFor()
  await attached.getByText('13 B').waitFor()
  await box(window).press('Enter')
  await untilShown(ana, 1)
  await attached.waitFor({ state: 'detached' })
  await choose('rim.png', 'image/png', png)
  await attached.getByText(`${png.length} B`).waitFor()
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
