import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepRaw } from '../../../server/src/journey/provider-events/event-store.ts'
import { startChannelWorld } from '../../../server/test/helpers/providers/channel-world.ts'
import { reply, startConversation } from '../../../server/test/helpers/providers/conversations.ts'
import { type Entrance, startEntrance } from '../../../server/test/helpers/providers/entrance.ts'
import { untilShown } from '../../../server/test/helpers/providers/telegram.ts'
import { faults } from '../../../server/test/helpers/providers/telegram-faults.ts'
import { addMember } from '../../../server/test/helpers/sessions.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertFine } from '../helpers/axe.ts'
import { openSignedIn, type Site } from '../helpers/site.ts'

/** A bot to which Ana has written, with its page open. */
async function startPage(entrance?: Entrance) {
  const address = entrance ? { PUBLIC_URL: entrance.url } : {}
  const world = await startChannelWorld({ SERVE_APP: '1', RATE_LIMIT_PER_MINUTE: '0', ...address })
  entrance?.leadTo(world.app.url)
  const conversation = await startConversation(world, world.telegram.addBot('lane_bot'))
  const site = { app: world.app, account: world.shop, [Symbol.asyncDispose]: async () => {} } as Site
  const window = await openSignedIn(site, { width: 1440, height: 900 })
  await window.go(`/channels/${conversation.channel.id}`)
  await window.page.getByRole('heading', { name: 'The shop', level: 1 }).waitFor()
  return {
    ...{ ...conversation, world, site, window, page: window.page },
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

type Page = Awaited<ReturnType<typeof startPage>>

const untilFailed = ({ world }: Page, category: string) =>
  until(
    async () =>
      (await world.app.db.selectFrom('deliveries').select('id').where('errorCategory', '=', category).execute())
        .length === 1,
    `nothing failed with ${category}`,
    30_000,
  )

test('a channel says that it works, and of a message that was refused why in the provider’s words: in the log, in its parts, in sentences', async () => {
  await using one = await startPage()
  const { world, page, contactId, ana } = one
  await page.getByText('It takes and gives.').waitFor()
  await page.getByText('@lane_bot answers.').waitFor()
  await page.getByText('We fetch what comes; no public address is needed.').waitFor()
  await reply(world, contactId, 'We open at nine')
  await untilShown(ana, 1)
  world.telegram.plan('sendMessage', faults.badRequest)
  await reply(world, contactId, 'Here is the page')
  const log = page.getByRole('table', { name: 'Messages' })
  const refused = log.getByRole('row', { name: /Here is the page/ })
  await refused.getByText('Failed').waitFor()
  const says = 'Telegram says: “Bad Request: wrong type of the web page content” (400). Not again by itself.'
  assert.ok((await refused.innerText()).includes(says), await refused.innerText())
  await log
    .getByRole('row', { name: /We open at nine/ })
    .getByText('Sent', { exact: true })
    .waitFor()
  await refused.getByRole('button', { name: 'Ana' }).click()
  const detail = page.getByRole('region', { name: 'Message to Ana' })
  await detail.getByText('Telegram did not take it.').waitFor()
  const part = detail.getByRole('listitem', { name: 'Part 1 of 1' })
  await part.getByText('Not sent', { exact: true }).waitFor()
  assert.equal(await part.getByText('Not sent yet').count(), 0, 'it will not be sent')
  await part.getByText('400 Bad Request: wrong type of the web page content').waitFor()
  await assertFine(page)
  await page.getByRole('button', { name: 'Sent', exact: true }).click()
  await log.getByRole('row', { name: /Here is the page/ }).waitFor({ state: 'detached' })
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('nobody')
  await page.getByText('No message matches “nobody”').waitFor()
})

test('of a message in doubt the page says which part it is, since when, and that it left once more', async () => {
  await using one = await startPage()
  const { world, page, contactId } = one
  world.telegram.plan('sendMessage', faults.cut, { isDone: true, times: 2 })
  await reply(world, contactId, 'The chain is worn. '.repeat(300))
  await untilFailed(one, 'in_doubt')
  const row = page.getByRole('table', { name: 'Messages' }).getByRole('row', { name: /The chain is worn/ })
  await row.getByText('It is not known whether it arrived.').waitFor()
  await row.getByRole('button', { name: 'Ana' }).click()
  const first = page.getByRole('listitem', { name: 'Part 1 of 2' })
  await first.getByText(/^In doubt since \d\d:\d\d:\d\d$/).waitFor()
  await first.getByText(/^Sent once more at \d\d:\d\d:\d\d$/).waitFor()
  await page.getByRole('listitem', { name: 'Part 2 of 2' }).getByText('Not sent', { exact: true }).waitFor()
  await assertFine(page)
  const { hash } = new URL(page.url())
  assert.match(hash, /^#msg_/)
  await page.reload()
  await first.waitFor()
})

test('what could not be read is shown to an owner as text, as it came; a member reads the page, is told who may change it, and sees nothing of that', async () => {
  await using one = await startPage()
  const { world, site, page, channel, bot } = one
  const { app, shop } = world
  const ref = { accountId: shop.accountId, id: channel.id as `chn_${string}` }
  await keepRaw(app.db, ref, { why: 'an update of an unknown kind', raw: { text: '<b>Bold</b>', n: 7 } })
  bot.addPerson().send({ chat: { id: -5, type: 'group', title: 'All of us' }, text: 'Hello' })
  const raw = page.getByRole('region', { name: 'Not understood' })
  await raw.getByText(/^what is written in groups and channels, once, last /).waitFor()
  await raw.getByRole('button', { name: 'an update of an unknown kind' }).click()
  await raw.getByText('"text": "<b>Bold</b>"').waitFor()
  await assertFine(page)
  const userId = await addMember(app, shop.accountId, 'mia@example.com')
  await using member = await openSignedIn({ ...site, account: { ...shop, userId } as Site['account'] })
  await member.go(`/channels/${channel.id}`)
  await member.page.getByText('Only an owner of the account can connect and change channels.').waitFor()
  await member.page.getByText('Owners of the account see here what came in and could not be read.').waitFor()
  assert.equal(await member.page.getByText('an update of an unknown kind').count(), 0)
  for (const name of ['Check now', 'Pause', 'Replace', 'Disconnect…', 'Save']) {
    assert.equal(await member.page.getByRole('button', { name }).count(), 0, name)
  }
  assert.equal(await member.page.getByRole('textbox', { name: 'Name in Patchbay' }).isDisabled(), true)
  await assertFine(member.page)
})

test('name, pace and what happens in doubt are changed; of two who change at once the second is told what the first did, and may keep theirs', async () => {
  await using one = await startPage()
  const { world, page, channel } = one
  const name = page.getByRole('textbox', { name: 'Name in Patchbay' })
  const pace = page.getByRole('textbox', { name: 'Messages a second' })
  await name.fill('Kettle Lane')
  await pace.fill('0')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('A number from 0.1 to 1000, or nothing.').waitFor()
  await pace.fill('2.5')
  await page.getByRole('radio', { name: 'Leave it to a person' }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Kettle Lane', level: 1 }).waitFor()
  const read = async () => (await world.owner.call('GET', `/api/channels/${channel.id}`)).body
  const { perSecond, whenInDoubt, version } = await read()
  assert.deepEqual([perSecond, whenInDoubt], [2.5, 'person'])
  await name.fill('Mine')
  const change = { whenInDoubt: 'resend', version }
  assert.equal((await world.owner.call('PATCH', `/api/channels/${channel.id}`, change)).status, 200)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('When it is not known whether a reply arrived: Send it once more').waitFor()
  assert.equal((await read()).name, 'Kettle Lane', 'nothing was saved')
  await assertFine(page)
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor()
  const after = await read()
  assert.deepEqual([after.name, after.whenInDoubt], ['Mine', 'resend'], 'theirs stays where nothing of mine was')
})

test('a token that is refused leads to a new one: that of another bot is not taken and the old one stays; the right one makes it work, and what waited leaves', async () => {
  await using one = await startPage()
  const { world, page, contactId, bot, ana } = one
  bot.revoke()
  await page.getByRole('button', { name: 'Check now' }).first().click()
  await page.getByText(/^Telegram no longer takes the token, since /).waitFor()
  await page.getByText(/^Token refused, \d+ s$/).waitFor()
  await page.getByText('401 Unauthorized').waitFor()
  await reply(world, contactId, 'It waits')
  await page.getByText('1 reply waits, uses up no tries and leaves in order.').waitFor()
  await assertFine(page)
  await page.getByRole('button', { name: 'Enter a new token' }).click()
  const token = page.getByRole('textbox', { name: 'Token' })
  await page.keyboard.type(world.telegram.addBot('other_bot').token)
  await page.keyboard.press('Enter')
  await page.getByText('These credentials are of @other_bot, and this channel is @lane_bot.').waitFor()
  await assertFine(page)
  await token.fill(bot.renew())
  await page.getByRole('button', { name: 'Check and save' }).click()
  await page.getByText('It takes and gives.').waitFor()
  await untilShown(ana, 1)
  await page.getByText('Saved. Never shown again.').waitFor()
  assert.equal(await page.getByText(bot.token).count(), 0)
  const { version } = await world.app.db
    .selectFrom('channels')
    .select('version')
    .where('address', '=', '@lane_bot')
    .executeTakeFirstOrThrow()
  assert.equal(version, 2, 'the token of the other bot has changed nothing')
})

test('with the keyboard alone a channel is paused, which says by whom and what waits, goes on, and is disconnected', async () => {
  await using one = await startPage()
  const { world, page, contactId, ana } = one
  const press = async (name: string, key = 'Enter') => {
    await page.getByRole('button', { name, exact: true }).first().focus()
    await page.keyboard.press(key)
  }
  await press('Pause')
  await page.getByText(/^Paused by .+ at /).waitFor()
  await reply(world, contactId, 'Later')
  await page.getByText('1 reply waits, uses up no tries and leaves in order.').waitFor()
  await page.getByText('Waits for the channel').waitFor()
  await assertFine(page)
  await press('Resume')
  await untilShown(ana, 1)
  await page.getByText('It takes and gives.').waitFor()
  const keepsFocus = () =>
    page.waitForFunction(() => (document.activeElement as HTMLElement | null)?.innerText === 'Keep it')
  await press('Disconnect…')
  await page.getByText('Disconnect The shop?').waitFor()
  await page.getByText('Conversations, contacts and their history.').waitFor()
  await keepsFocus()
  await assertFine(page)
  assert.equal(await page.evaluate(() => (document.activeElement as HTMLElement).innerText), 'Keep it')
  await page.keyboard.press('Enter')
  await page.getByText('Disconnect The shop?').waitFor({ state: 'detached' })
  await press('Disconnect…')
  await keepsFocus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByText('The shop is disconnected.').waitFor()
  await assertFine(page)
  await page.getByRole('link', { name: 'To the channels' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL((at) => at.pathname === '/channels')
  await page.getByText('No channel yet. Which one first?').waitFor() // before that the page of the channel is still shown
  await page.goBack()
  await page.getByText('There is no such channel').waitFor()
  one.window.problems.length = 0 // the refused request
})

test('what could not be undone at the provider is said after a channel was disconnected, and a bot that reports to another tool is taken over by a click', async () => {
  await using entrance = await startEntrance()
  await using one = await startPage(entrance)
  const { world, page, bot, channel } = one
  const ours = `${entrance.url}/hooks/telegram/${channel.id}`
  bot.hook.set({ url: 'https://tool.example/in', secret_token: 's' })
  await page.getByRole('button', { name: 'Check now' }).first().click()
  await page.getByText('Read by others').waitFor()
  await assertFine(page)
  await page.getByRole('button', { name: 'Take it over' }).click()
  await page.getByText('It takes and gives.').waitFor()
  assert.equal(bot.hook.info().url, ours)
  world.telegram.plan('deleteWebhook', faults.error)
  await page.getByRole('button', { name: 'Disconnect…' }).click()
  await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
  await page.getByText('Telegram did not hear of it').waitFor()
  await page.getByText(ours).waitFor()
  await assertFine(page)
})

test('a channel of a restored copy says that it stands still and why, and goes on when an owner says so', async () => {
  await using one = await startPage()
  const { world, page, contactId, ana } = one
  await world.app.db.insertInto('installation').values({ secretKeyCheck: 'none', restoredAt: new Date() }).execute()
  await page.reload()
  await page.getByText('This is a restored copy, so the channel stands still.').waitFor()
  await reply(world, contactId, 'Said in the copy')
  await assertFine(page)
  await page.getByRole('button', { name: 'This copy goes on' }).click()
  await page.getByText('It takes and gives.').waitFor()
  await untilShown(ana, 1)
})
