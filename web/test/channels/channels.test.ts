import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel } from '@patchbay/contract/app/channels.ts'
import { messageWebhook } from '../../../server/src/outbox/receivers.ts'
import type { ChannelId } from '../../../server/src/platform/ids.ts'
import { saveUrl } from '../../../server/test/helpers/deliveries.ts'
import { incoming, incomingPath } from '../../../server/test/helpers/message-requests.ts'
import { connectBot } from '../../../server/test/helpers/providers/channel-world.ts'
import { startReceiver } from '../../../server/test/helpers/receivers.ts'
import { signIn } from '../../../server/test/helpers/sessions.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertAccessible, assertFine } from '../helpers/axe.ts'
import { type ChannelSite, openAsMember, openChannelSite } from './site.ts'

const ownerOf = ({ site: { app, account } }: ChannelSite) => signIn(app, account)

/** Changes rows of the account as work would that takes too long for a test; who looks is told. */
async function change(
  { site: { app, account } }: ChannelSite,
  { id }: Pick<Channel, 'id'>,
  values: object,
): Promise<void> {
  await app.db
    .updateTable('channels')
    .set(values)
    .where('accountId', '=', account.accountId)
    .where('id', '=', id as ChannelId)
    .execute()
}

const needy = { state: 'attention', attentionReason: 'credentials', attentionSince: new Date() }

test('the table has all channels, those in need first with reason and act; custom ones are a row that leads to their webhook', async () => {
  await using opened = await openChannelSite()
  const { telegram, site, window, page } = opened
  const owner = await ownerOf(opened)
  const works = await connectBot(owner, telegram.addBot('works_bot'))
  const broken = telegram.addBot('broken_bot')
  const { id } = await connectBot(owner, broken)
  await owner.call('PATCH', `/api/channels/${works.id}`, { name: 'Kettle Lane', version: works.version })
  await site.account.post(incomingPath, incoming({ channel: 'Marketplace', fromId: 'ben' }))
  await owner.call('GET', '/api/conversations') // a label has its place from when it is first shown
  broken.revoke()
  await owner.call('POST', `/api/channels/${id}/check`, {})
  await window.go('/channels')
  await page.getByText('1 of 3 needs attention', { exact: false }).waitFor()
  const rows = page.getByRole('table', { name: 'Channel' }).getByRole('rowheader')
  assert.match((await rows.nth(0).innerText()) ?? '', /@broken_bot/)
  await page.getByText('Telegram no longer takes the token').waitFor()
  await page.getByRole('link', { name: 'Enter a new token' }).waitFor()
  await page.getByText('We look again every ten minutes.').waitFor()
  await page.getByRole('row', { name: /Kettle Lane.*Works/ }).waitFor()
  await assertFine(page)
  await page.getByRole('link', { name: /Marketplace/ }).click()
  await page.getByRole('heading', { name: 'Custom Channel Webhook' }).waitFor()
})

test('a paused channel says who paused it, and works again after a click', async () => {
  await using opened = await openChannelSite()
  const { telegram, window, page } = opened
  const owner = await ownerOf(opened)
  const { id } = await connectBot(owner, telegram.addBot())
  await owner.call('POST', `/api/channels/${id}/pause`)
  await window.go('/channels')
  await page.getByRole('row', { name: /Paused/ }).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('row', { name: /Works/ }).waitFor()
})

test('the rail is red while one needs somebody and leads to it, or to the table where several do', async () => {
  await using opened = await openChannelSite()
  const { telegram, site, window, page } = opened
  const owner = await ownerOf(opened)
  const [one, other] = [await connectBot(owner, telegram.addBot()), await connectBot(owner, telegram.addBot())]
  await window.go('/contacts')
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Channels/ })
  const leadsTo = async (href: string, says: string, isBad: boolean) => {
    await window.go('/contacts')
    await link.filter({ hasText: says }).waitFor()
    assert.equal(await link.getAttribute('href'), href)
    assert.equal(await link.evaluate((element) => element.classList.contains('bad')), isBad)
  }
  await leadsTo('/channels', 'No channel needs attention', false)
  await change(opened, one, needy)
  await leadsTo(`/channels/${one.id}`, 'The shop needs attention', true)
  await change(opened, other, needy)
  await leadsTo('/channels', '2 channels need attention', true)
  for (const each of [one, other])
    await change(opened, each, { state: 'working', attentionReason: null, attentionSince: null })
  await using receiver = await startReceiver()
  await saveUrl(site.app, site.account, receiver.url)
  const failing = { failingSince: new Date(), failuresInRow: 3 }
  await site.app.db.updateTable('receivers').set(failing).where('id', '=', messageWebhook).execute()
  await leadsTo('/settings/webhook', 'Your receiver has failed 3 times in a row', true)
})

test('members see how channels are, and are told who may connect and change them', async () => {
  await using opened = await openChannelSite()
  const { telegram } = opened
  const channel = await connectBot(await ownerOf(opened), telegram.addBot())
  await change(opened, channel, needy)
  await using window = await openAsMember(opened)
  const { page } = window
  await window.go('/channels')
  await page.getByText('Only an owner of the account can connect and change channels.', { exact: false }).waitFor()
  await page.getByText('Telegram no longer takes the token').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Connect a channel' }).count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Enter a new token' }).count(), 0)
  await window.go('/channels/new?kind=telegram')
  await page.getByText('Only an owner of the account can connect and change channels.', { exact: false }).waitFor()
  assert.equal(await page.getByLabel('Bot token').count(), 0)
})

test('in a restored copy everybody sees that its channels are held; an owner says that the copy goes on, and they work', async () => {
  await using opened = await openChannelSite()
  const { telegram, site, window, page } = opened
  const bot = telegram.addBot()
  await connectBot(await ownerOf(opened), bot)
  const restored = { restoredAt: new Date() }
  await site.app.db
    .insertInto('installation')
    .values({ secretKeyCheck: 'none', ...restored })
    .onConflict((c) => c.column('one').doUpdateSet(restored))
    .execute()
  await using member = await openAsMember(opened)
  await member.go('/inbox')
  await member.page.getByText('This is a restored copy.', { exact: false }).waitFor()
  assert.equal(await member.page.getByRole('button', { name: 'Does it go on?' }).count(), 0)

  await window.go('/channels')
  await page.getByRole('row', { name: /Held/ }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Does it go on?' }).click()
  await page.getByRole('dialog', { name: 'Does this copy go on?' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Leave it held' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const ana = bot.addPerson({ first_name: 'Ana' })
  ana.write('Hello')
  await page.getByRole('button', { name: 'Does it go on?' }).click()
  await page.getByRole('button', { name: 'This copy goes on' }).click()
  await page.getByText('The channels send and fetch again.').waitFor()
  await page.getByText('This is a restored copy.', { exact: false }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Works/ }).waitFor()
  await until(() => ana.shown.length > 0, 'it does not answer')
})
