import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChannelWorld, startChannelWorld } from '../../../server/test/helpers/providers/channel-world.ts'
import { reply, startConversation } from '../../../server/test/helpers/providers/conversations.ts'
import { untilShown } from '../../../server/test/helpers/providers/telegram.ts'
import { faults } from '../../../server/test/helpers/providers/telegram-faults.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertFine } from '../helpers/axe.ts'
import { openSignedIn } from '../helpers/site.ts'

/** A conversation over a bot, in an inbox that is open. */
async function startThread(environment: Record<string, string> = {}) {
  const world = await startChannelWorld({ SERVE_APP: '1', RATE_LIMIT_PER_MINUTE: '0', ...environment })
  const conversation = await startConversation(world)
  const window = await openSignedIn({ app: world.app, account: world.shop, [Symbol.asyncDispose]: async () => {} })
  await window.go(`/inbox/${conversation.contactId}`)
  await window.page.locator('.bubble').getByText('Hello').waitFor()
  return {
    ...{ ...conversation, world, window, page: window.page },
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

async function leaveToPeople({ owner }: ChannelWorld, channel: { id: string; version: number }): Promise<void> {
  const change = { whenInDoubt: 'person', version: channel.version }
  assert.equal((await owner.call('PATCH', `/api/channels/${channel.id}`, change)).status, 200)
  await sleep(600) // the channel is read again twice a second
}

test('a reply that may have arrived twice says so here and in the list until somebody clicks Fine, without a reload', async () => {
  await using thread = await startThread()
  const { world, page, contactId, ana } = thread
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  await reply(world, contactId, 'At six')
  const box = page.locator('.delivery-error.unsure')
  await box.getByText('Telegram did not answer. It may have arrived.').waitFor()
  await page.locator('.convo').getByText('In doubt').waitFor()
  await box.getByText('In doubt: may have arrived twice.').waitFor()
  await box.getByText(/^Sent once more at \d\d:\d\d:\d\d\. Not again$/).waitFor()
  assert.equal(ana.shown.length, 2)
  await assertFine(page)
  await box.getByRole('button', { name: 'Fine' }).click()
  await box.waitFor({ state: 'detached' })
  await page.locator('.convo').getByText('In doubt').waitFor({ state: 'detached' })
  const sent = page.locator('.bubble.person .receipt-delivery')
  assert.equal((await sent.innerText()).trim(), 'Sent')
  assert.match((await sent.getAttribute('title')) ?? '', /Left once more .* Telegram tells us no more than this/)
})

test('of a reply that is left to people, It arrived makes it Sent, and Send again makes it leave once more', async () => {
  await using thread = await startThread()
  const { world, page, contactId, ana, channel } = thread
  await leaveToPeople(world, channel)
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  await reply(world, contactId, 'One')
  const box = page.locator('.delivery-error.unsure')
  await box.getByRole('button', { name: 'It arrived' }).waitFor()
  await box.getByText('It is not known whether this arrived.').waitFor()
  await page.locator('.convo').getByText('In doubt').waitFor()
  await assertFine(page)
  await box.getByRole('button', { name: 'It arrived' }).click()
  await box.waitFor({ state: 'detached' })
  assert.equal(ana.shown.length, 1)
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  await reply(world, contactId, 'Two')
  await box.getByRole('button', { name: 'Send again' }).waitFor()
  await page.keyboard.press('Shift+R')
  await untilShown(ana, 3)
  await box.waitFor({ state: 'detached' })
  assert.deepEqual(
    ana.shown.map(({ text }) => text),
    ['One', 'Two', 'Two'],
  )
})

test('what people send shows as what it is: edits with the first text, reactions, places, quotes that lead there, cards, stickers, files', async () => {
  await using thread = await startThread()
  const { world, page, contactId, ana } = thread
  await reply(world, contactId, 'Where shall I come?')
  await untilShown(ana, 1)
  const sent = ana.shown[0]?.id ?? 0
  ana.react(sent, '👍')
  const ours = page.locator('.bubble.person')
  await ours.locator('.reaction').getByText('👍').waitFor()
  ana.react(sent, null)
  await ours.locator('.reaction').waitFor({ state: 'detached' })
  ana.edit(1, 'Hello there')
  const first = page.locator('.bubble').first()
  await first.getByText('Hello there').waitFor()
  await first.getByText(/^edited /).waitFor()
  await first.getByRole('button', { name: 'Before' }).click()
  await first.getByText('Hello', { exact: true }).waitFor()
  await first.getByRole('button', { name: 'Before' }).click()
  ana.send({ venue: { location: { latitude: 51.4551, longitude: -2.5879 }, title: 'Old Mill', address: 'Yard 4' } })
  const place = page.locator('.thread').getByRole('link', { name: /Old Mill, Yard 4/ })
  await place.waitFor()
  assert.match(
    (await place.getAttribute('href')) ?? '',
    /^https:\/\/www\.openstreetmap\.org\/\?mlat=51\.4551&mlon=-2\.5879/,
  )
  assert.deepEqual(
    [await place.getAttribute('target'), await place.getAttribute('rel')],
    ['_blank', 'noopener noreferrer'],
  )
  ana.send({ contact: { first_name: 'Ben', phone_number: '+447700900342' } })
  ana.send({ sticker: { file_id: 's', is_animated: true, emoji: '🐳' } })
  ana.send({ document: { file_id: 'b', file_name: 'plan.pdf', mime_type: 'application/pdf', file_size: 40_000_000 } })
  ana.write('There', { reply_to_message: { message_id: sent } })
  await page.locator('.as-sticker').getByText('🐳').waitFor()
  await page.locator('.thread').getByText('plan.pdf, 40.0 MB · It is too large to be kept').waitFor()
  await page.locator('.thread').getByText('Contact: Ben +447700900342').waitFor()
  const quote = page.locator('.thread').getByRole('button', { name: /Where shall I come\?/ })
  await quote.waitFor()
  await assertFine(page)
  await quote.click()
  await page.locator('.bubble.person.pointed-at').waitFor()
  assert.equal(await page.locator('.bubble:not(:has(:not(.receipt, .receipt *)))').count(), 0, 'no bubble is empty')
})

test('a reply waits for a paused channel without a word of failure, and one that was not sent says why in grey', async () => {
  await using thread = await startThread()
  const { world, page, contactId, ana, channel } = thread
  assert.equal((await world.owner.call('POST', `/api/channels/${channel.id}/pause`)).status, 200)
  await reply(world, contactId, 'It waits')
  await page.locator('.receipt').getByText('Waits for the channel').waitFor()
  assert.equal(await page.locator('.bubble.failed, .delivery-error, .convo .tag.fail').count(), 0)
  ana.block()
  await page.getByText('Ana has blocked this channel').waitFor()
  assert.equal((await world.owner.call('POST', `/api/channels/${channel.id}/resume`)).status, 200)
  const box = page.locator('.delivery-error.quiet')
  await box.getByText('They take nothing more from this channel.').waitFor()
  await box.getByText('Telegram was not asked').waitFor()
  await page.locator('.receipt').getByText('Not sent').waitFor()
  await assertFine(page)
  await page.getByText('Nothing is lost; what waits leaves in order when the channel works again.').waitFor()
  assert.equal(await page.getByText('your server').count(), 0, 'there is no server of theirs')
  const log = page.getByRole('link', { name: 'Log of this channel' })
  assert.equal(await log.getAttribute('href'), `/channels/${channel.id}`)
  await until(async () => ana.shown.length === 0, 'it was sent')
})
