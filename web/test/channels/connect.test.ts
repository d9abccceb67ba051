import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bot, untilShown } from '../../../server/test/helpers/providers/telegram.ts'
import { refuse } from '../../../server/test/helpers/providers/telegram-faults.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertFine } from '../helpers/axe.ts'
import { givePassword, openWindow, signInByForm, type Window } from '../helpers/site.ts'
import { type ChannelSite, openChannelSite } from './site.ts'

type Page = Window['page']

async function enter(page: Page, { token }: Pick<Bot, 'token'>): Promise<void> {
  await page.getByLabel('Bot token').fill(token)
  await page.getByRole('button', { name: 'Check and save' }).click()
}

const stepOf = (page: Page, title: string) =>
  page.locator('.step').filter({ has: page.getByRole('heading', { name: title }) })
const isDone = (page: Page, title: string) => stepOf(page, title).and(page.locator('.done')).waitFor()

const kept = ({ site: { app, account } }: ChannelSite) =>
  app.db.selectFrom('channels').select(['id', 'state']).where('accountId', '=', account.accountId).execute()

test('a newcomer signs in, pastes a token in the first run and chats with the bot on a phone; each step turns green by itself', async () => {
  await using opened = await openChannelSite()
  const { telegram, site } = opened
  await givePassword(site)
  await using window = await openWindow(site.app.url)
  const { page } = window
  await window.go('/')
  await signInByForm(page, site.account.email)
  await page.getByRole('button', { name: 'or connect Telegram' }).click()
  await page.getByText('Four steps, two minutes, no public address.').waitFor()
  const bot = telegram.addBot()
  await enter(page, bot)
  await isDone(page, 'Token saved: Telegram knows the bot')
  await page.getByText('Listening. This turns green when your message arrives.').waitFor()
  await assertFine(page)

  const ana = bot.addPerson({ first_name: 'Ana' })
  ana.write('Is anyone there?')
  await isDone(page, 'First message received')
  await page.getByText('“Is anyone there?”').waitFor()
  await page.getByLabel('Question').fill('When do you open?')
  await page.getByLabel('Answer', { exact: true }).fill('We open at nine.')
  await page.getByRole('button', { name: 'Add the answer' }).click()
  await isDone(page, 'Bot taught')
  const before = ana.shown.length
  ana.write('When do you open?')
  await until(() => ana.shown.slice(before).some(({ text }) => text.includes('We open at nine.')), 'it does not answer')
  await isDone(page, 'First reply delivered')
  await page.getByRole('heading', { name: 'Your first channel is plugged in' }).waitFor()
  await assertFine(page)
  await window.go('/')
  await page.waitForURL(/inbox/)
})

test('from Channels to the first message by the keyboard alone; what it leads to is the conversation', async () => {
  await using opened = await openChannelSite()
  const { telegram, window, page } = opened
  const bot = telegram.addBot('kettle_lane_bot')
  await window.go('/inbox')
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.getByText('No channel yet. Which one first?').waitFor()
  await tabTo(page, 'Telegram')
  await page.keyboard.press('Enter')
  await page.getByLabel('Bot token').waitFor()
  await tabTo(page, 'Bot token')
  await page.keyboard.type(bot.token)
  await page.keyboard.press('Enter')
  await page.getByText('https://t.me/kettle_lane_bot').waitFor()
  bot.addPerson({ first_name: 'Ana' }).write('Hello')
  await isDone(page, 'First message received')
  await page.getByText('“Hello”').or(page.getByText('from Ana')).first().waitFor()
  await page.getByRole('img', { name: 'Telegram is connected to Patchbay.' }).waitFor()
  await tabTo(page, 'Open in the inbox')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('Hello', { exact: true }).waitFor()
  assert.equal((await page.content()).includes(bot.token), false)
})

/** Presses Tab until what is named so has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 60; n += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement
      return (element instanceof HTMLInputElement && element.labels?.[0]?.innerText) || element.innerText
    })
    if (focused.startsWith(name)) return
  }
  assert.fail(`${name} is not reached`)
}

test('a wrong token is refused in the words of Telegram and nothing is kept; the right one then is never shown again', async () => {
  await using opened = await openChannelSite()
  const { telegram, window, page } = opened
  await window.go('/channels/new?kind=telegram')
  await enter(page, { token: 'not a token' })
  await page.getByText('token must be the token of a bot as @BotFather shows it').waitFor()
  await enter(page, { token: `123456:${'A'.repeat(35)}` })
  await page.getByText('Telegram does not know this token.').waitFor()
  await page.getByText('401 Unauthorized').waitFor()
  await page.getByText('Nothing was kept.').waitFor()
  await page.getByLabel('Bot token').and(page.locator(':focus')).waitFor()
  assert.deepEqual(await kept(opened), [])
  await assertFine(page)

  const bot = telegram.addBot()
  await enter(page, bot)
  await page.getByText('Saved. Never shown again.').waitFor()
  await page.getByText('The shop').waitFor()
  await page.waitForURL(/channel=chn_/)
  assert.equal((await page.content()).includes(bot.token), false)
  await page.reload()
  await page.getByText('Listening. This turns green when your message arrives.').waitFor()
  await page.getByRole('button', { name: 'Replace' }).click()
  await enter(page, telegram.addBot('another_bot'))
  await page.getByText('These credentials are of @another_bot', { exact: false }).waitFor()
  await enter(page, { token: bot.renew() })
  await page.getByText('Saved. Never shown again.').waitFor()
})

test('that another program reads the bot is said with what to do, and goes by itself when it has stopped', async () => {
  await using opened = await openChannelSite()
  const { telegram, site, window, page } = opened
  const bot = telegram.addBot()
  const conflict = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'
  const stop = telegram.plan('getUpdates', (response) => refuse(response, 409, conflict), { of: bot, times: 1_000 })
  await window.go('/channels/new?kind=telegram')
  await enter(page, bot)
  await page.getByText('Another program reads this bot.').waitFor()
  await page.getByText(`409 ${conflict}`).waitFor()
  await page.getByText('Stop it there, or make a bot of its own for it.').waitFor()
  await page.getByText('We try again every minute.').waitFor()
  const rail = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Channels/ })
  await rail.and(page.locator('.bad')).waitFor()
  await assertFine(page)

  stop()
  await site.app.db
    .updateTable('channelPolls')
    .set({ dueAt: new Date(0) })
    .execute()
  await page.getByText('Listening. This turns green when your message arrives.').waitFor()
  await rail.and(page.locator(':not(.bad)')).waitFor()
  await isDone(page, 'Telegram gives us its messages')
})

test('a bot that reports to another tool is shown with its host, stays as it is, and is taken over by a click', async () => {
  await using opened = await openChannelSite()
  const { telegram, window, page } = opened
  const bot = telegram.addBot()
  bot.hook.set({ url: 'https://bot.old-shop.example/hook' })
  await window.go('/channels/new?kind=telegram')
  await enter(page, bot)
  await page.getByText('It reports to another tool, at bot.old-shop.example.').waitFor()
  await page.getByText('We look again every ten minutes.').waitFor()
  await assertFine(page)
  assert.equal(bot.hook.info().url, 'https://bot.old-shop.example/hook', 'nothing is replaced unasked')
  await window.go('/channels')
  await page.getByText('1 of 3 checks is green.').waitFor()
  await page.getByRole('link', { name: 'Go on' }).click()
  await page.getByRole('button', { name: 'Take it over' }).click()
  await page.getByText('Listening. This turns green when your message arrives.').waitFor()
  assert.equal(bot.hook.info().url, '')
  const ana = bot.addPerson({ first_name: 'Ana' })
  ana.write('Hello')
  await isDone(page, 'First message received')
  await untilShown(ana, 1)
})
