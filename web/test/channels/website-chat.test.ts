import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMember } from '../../../server/test/helpers/sessions.ts'
import { assertFine } from '../helpers/axe.ts'
import { openSignedIn, startSite } from '../helpers/site.ts'

test('a chat is connected from its first page to its first message, stands among the channels, is paused, and is disconnected with what remains said', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site, { width: 1440, height: 900 })
  const { page } = window
  const { db } = site.app
  const { accountId } = site.account
  const step = (title: string) =>
    page.locator('.step').filter({ has: page.getByRole('heading', { name: title, exact: false }) })
  const untilDone = (title: string) => step(title).and(page.locator('.done')).waitFor()
  await window.go('/channels')
  await page.getByRole('link', { name: /^Website chat One line in your page/ }).click()
  await page.getByLabel('Page of your shop').fill('localhost:3000')
  await page.getByRole('button', { name: 'Make the chat' }).click()
  await untilDone('It may be on localhost:3000')
  await page.waitForURL(/channel=chn_/)
  await page.getByRole('button', { name: 'Copy the line' }).waitFor()
  await page.getByText('Listening. This turns green').waitFor()
  assert.equal(await page.locator('.step.done').count(), 1, 'no step is done by a click')
  await assertFine(page)

  const { id } = await db.selectFrom('channels').select('id').executeTakeFirstOrThrow()
  const at = new Date()
  const seen = { seenHost: 'localhost:3000', seenAt: at }
  const refused = { refusedOrigin: 'https://elsewhere.example', refusedAt: at }
  await db
    .insertInto('chatPages')
    .values({ accountId, channelId: id, ...seen, ...refused })
    .execute()
  await untilDone('Seen on localhost:3000')
  await page.getByRole('img', { name: 'The chat is on a page.' }).waitFor()
  await page.getByText('refused: https://elsewhere.example').waitFor()
  const panels = { accountId, channelId: id, open: 2 }
  await db
    .insertInto('chatPanels')
    .values([
      { ...panels, process: 'one' },
      { ...panels, process: 'another' },
      { ...panels, process: 'died', at: new Date(Date.now() - 600_000) },
    ])
    .execute()
  await db
    .insertInto('chatDays')
    .values({
      ...{ accountId, channelId: id, day: new Date(at.toISOString().slice(0, 10)), contacts: 0 },
      ...{ refused: 1_300, refusedPage: 12, refusedPace: 1_280, forged: 6 },
    })
    .execute()
  await db.updateTable('channels').set({ lastEventAt: at }).where('id', '=', id).execute()
  await untilDone('First message received')
  await page.getByText('Somebody has written.').waitFor()
  await assertFine(page)

  await page.getByRole('link', { name: 'See the channel' }).click()
  await page.getByText('It takes and gives.').waitFor()
  await page.getByText('Website chat, localhost:3000').waitFor()
  const limits = page.getByRole('table', { name: 'Limits, and where this day is' })
  await limits.getByRole('row', { name: /New visitors 0 Of 2,000 a day, 60 a minute/ }).waitFor()
  await limits.getByRole('row', { name: /Open panels 4 / }).waitFor()
  await limits
    .getByRole('row', {
      name: /Refused 1,300 1,280 that were too much at once, 12 from pages that are not named, 6 with a forged identity, 2 of chats that are over.*https:\/\/elsewhere\.example/,
    })
    .waitFor()
  await limits.getByRole('row', { name: /Forged identities 6 / }).waitFor()
  for (const name of ['Credentials', 'Sender', 'Not understood']) {
    assert.equal(await page.getByRole('region', { name }).count(), 0, name)
  }
  await assertFine(page)
  await page.getByRole('button', { name: 'Pause' }).first().click()
  await page.getByText('New visitors see no button, and replies are refused until it goes on.').waitFor()
  await assertFine(page)
  await window.go('/channels')
  const row = page.getByRole('row', { name: /Website chat/ })
  await row.getByText('new visitors see no button', { exact: false }).waitFor()
  await row.getByRole('button', { name: 'Resume' }).click()
  await row.getByText('Seen on localhost:3000,').waitFor()
  await assertFine(page)

  const userId = await addMember(site.app, accountId, 'mia@example.com')
  await using member = await openSignedIn({ ...site, account: { ...site.account, userId } })
  await member.go(`/channels/${id}`)
  await member.page.getByText('Only an owner of the account can connect and change channels.').waitFor()
  for (const name of ['Pause', 'Disconnect…', 'Check now']) {
    assert.equal(await member.page.getByRole('button', { name }).count(), 0, name)
  }

  await row.getByRole('link', { name: /Website chat/ }).click()
  await page.getByRole('link', { name: 'Open the settings' }).click()
  await page.waitForURL(/settings\/website-chat\?channel=chn_/)
  await page.getByRole('link', { name: 'Use, log, pause' }).click()
  await page.getByRole('button', { name: 'Disconnect…' }).click()
  await page.getByText('The line on the page does nothing.').waitFor()
  await assertFine(page)
  await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
  await page.getByText('The line on the page does nothing: take it out when you like').waitFor()
  await window.go('/settings/website-chat')
  await page.getByRole('button', { name: 'Make the chat' }).waitFor()
  await assertFine(page)
  await page.getByRole('button', { name: /^Use it again: / }).press('Enter')
  await page.getByText(`/chat/${id}.js`).waitFor()
})
