import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { countAllUsage } from '../../../server/src/answers/knowledge/usage/stage.ts'
import { conversation, makeTurnsDue, untilAnswered, write } from '../../../server/test/helpers/bots.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { openSignedIn, type Site, startSite } from '../helpers/site.ts'

/** Waits for the bot, without the time it gives a contact to write more. */
const answered = ({ app }: Site) => untilAnswered(app)

async function teach(page: Page, question: string, answer: string): Promise<void> {
  await page.getByRole('button', { name: 'New entry' }).first().click()
  await page.getByRole('textbox', { name: 'Phrasing 1' }).fill(question)
  await page.getByLabel('What the bot says, word for word').fill(answer)
  await page.getByRole('button', { name: 'Add entry' }).click()
  await page.getByRole('button', { name: question, exact: true }).waitFor()
}

/** What the bot says by the only entry; of an entry's texts it is number 0. */
async function storedAnswer({ app }: Site): Promise<string> {
  const { text } = await app.db.selectFrom('entryTexts').select('text').where('n', '=', 0).executeTakeFirstOrThrow()
  return text
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Ask the bot').fill(question)
  await page.getByLabel('Ask the bot').press('Enter')
}

test('from no campaign to a taught bot that answers a contact, by clicking only', async () => {
  await using site = await startSite()
  await site.app.db.deleteFrom('campaigns').execute()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/inbox')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Campaigns' }).click()
  await page.getByText('No campaigns yet.').waitFor()
  await page.getByRole('button', { name: 'New campaign' }).last().click()
  await page.getByRole('button', { name: 'Create campaign' }).click()
  await page.getByText('Give it a name.').waitFor()
  await page.getByLabel('Name').fill('Workshop')
  await page.getByRole('button', { name: 'Create campaign' }).click()
  await page.getByRole('heading', { name: 'Workshop' }).waitFor()
  await page.getByText('This campaign is a draft.').waitFor()

  await teach(page, 'Do you service e-bikes?', 'Yes, it takes two days, {{firstName}}.')
  await ask(page, 'can you service my e-bike')
  const log = page.getByRole('log')
  await log.getByText('Yes, it takes two days.').waitFor()
  await log.getByText('Answer', { exact: true }).waitFor()
  assert.equal(await log.getByRole('img', { name: /^score 0\./ }).count(), 1)

  await page.getByRole('button', { name: 'Copy campaign ID' }).click()
  const campaignId = await page.evaluate(() => navigator.clipboard.readText())
  await page.getByRole('button', { name: 'Make live' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Make it the default' }).click()
  await page.getByText('Default', { exact: true }).waitFor()

  await write(site.account, 'Do you service e-bikes?', { firstName: 'Ana' })
  await answered(site)
  assert.deepEqual(await conversation(site.app), [
    'contact: Do you service e-bikes?',
    'bot: Yes, it takes two days, Ana.',
  ])
  const { id } = await site.app.db.selectFrom('campaigns').select('id').executeTakeFirstOrThrow()
  assert.equal(id, campaignId)

  await page.getByText('not used').waitFor()
  const createdAt = new Date(Date.now() - 120_000)
  const { accountId } = site.account
  await site.app.db.updateTable('answers').set({ createdAt }).where('accountId', '=', accountId).execute()
  await countAllUsage(site.app.db)
  await page.reload()
  await page.getByText('1 in 30 d').waitFor()
})

test('an unanswered question becomes an entry in one click, the app says how many it answers, and asked again it is answered', async () => {
  await using site = await startSite()
  await write(site.account, 'Do you buy used bikes?')
  await answered(site)
  await write(site.account, 'Is there parking?', { fromId: 'ben' })
  await answered(site)
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/campaigns')
  await page.getByRole('link', { name: 'Default' }).click()
  await page.getByRole('link', { name: /^Unanswered/ }).click()
  await page.getByRole('link', { name: 'Open the conversation with ben' }).click()
  await page.getByRole('heading', { name: 'ben' }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Make an entry of “Do you buy used bikes?”' }).click()
  await page.getByLabel('Answer', { exact: true }).fill('Yes, bring it by.')
  await page.getByRole('button', { name: 'Make the entry' }).click()
  const says = page.getByText('It now answers 1 of the last 2 unanswered questions.')
  await says.waitFor({ timeout: 90_000 }) // the thread of the built-in model starts now, behind everything else
  await page.getByText('Do you buy used bikes?').waitFor({ state: 'detached' })
  await page.getByRole('img', { name: /^score 0\./ }).waitFor() // of the entry that is nearest now
  await page.getByRole('button', { name: 'Dismiss “Is there parking?”' }).click()
  await page.getByText('Nothing is unanswered.').waitFor()

  await write(site.account, 'Do you buy used bikes?')
  await makeTurnsDue(site.app.db)
  await answered(site)
  assert.equal((await conversation(site.app)).at(-1), 'bot: Yes, bring it by.')

  await ask(page, 'what is the capital of peru')
  await page.getByRole('button', { name: 'Make an entry of it' }).click()
  assert.equal(await page.getByRole('textbox', { name: 'Phrasing 1' }).inputValue(), 'what is the capital of peru')
})

test('of two people who edit, the second is told what changed, and chooses; nothing is overwritten silently', async () => {
  await using site = await startSite()
  await using one = await openSignedIn(site)
  await using other = await openSignedIn(site)
  await one.go('/campaigns')
  await one.page.getByRole('link', { name: 'Default' }).click()
  await teach(one.page, 'When do you open?', 'At nine.')
  const address = new URL(one.page.url()).pathname
  await other.go(address)
  for (const { page } of [one, other])
    await page.getByRole('button', { name: 'When do you open?', exact: true }).click()
  const answerOf = (page: Page) => page.getByLabel('What the bot says, word for word')
  await answerOf(other.page).fill('At eleven.')
  await answerOf(one.page).fill('At ten.')
  await one.page.getByRole('button', { name: 'Save entry' }).click()
  // Its toast says what that of the new entry says, which may still be there.
  await until(async () => (await storedAnswer(site)) === 'At ten.', 'the first change is not stored')
  await other.page.getByRole('button', { name: 'Save entry' }).click()
  const told = other.page.getByRole('alert').filter({ hasText: 'Somebody else has changed this meanwhile.' })
  await told.getByText('Answer: At ten.').waitFor()
  assert.equal(await answerOf(other.page).inputValue(), 'At eleven.')
  await told.getByRole('button', { name: 'Load theirs' }).click()
  assert.equal(await answerOf(other.page).inputValue(), 'At ten.')

  for (const { go } of [one, other]) await go(`${address}?tab=texts`)
  await one.page.getByLabel('When nothing fits').fill('No idea.')
  await other.page.getByLabel('Thanks').fill('Any time!')
  await one.page.getByRole('button', { name: 'Save changes' }).click()
  await one.page
    .getByText(/^Saved/)
    .first()
    .waitFor()
  await other.page.getByRole('button', { name: 'Save changes' }).click()
  await other.page.getByText('When nothing fits: No idea.').waitFor()
  await other.page.getByRole('button', { name: 'Keep mine' }).click()
  await other.page
    .getByText(/^Saved/)
    .first()
    .waitFor()
  const { settings } = await site.app.db.selectFrom('campaigns').select('settings').executeTakeFirstOrThrow()
  assert.deepEqual(
    [(settings as { thanksText: string }).thanksText, (settings as { fallbackText: string }).fallbackText],
    ['Any time!', 'No idea.'],
  )
})

test('phrases are typed line by line, and changes that are dropped leave none of them in the field', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/campaigns')
  await page.getByRole('link', { name: 'Default' }).click()
  await page.waitForURL(/campaigns\/cmp_/)
  await window.go(`${new URL(page.url()).pathname}?tab=texts`)
  const phrases = page.getByLabel('More ways to ask for a person')
  await phrases.fill('the boss')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page
    .getByText(/^Saved/)
    .first()
    .waitFor()
  await phrases.press('End')
  await phrases.pressSequentially('\n\nthe chief')
  assert.equal(await phrases.inputValue(), 'the boss\n\nthe chief')
  await page.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await phrases.inputValue(), 'the boss')
})

test('a file is previewed before it is imported, thresholds move by keyboard, and an export is a download', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/inbox')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Campaigns' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await page.getByRole('link', { name: 'Default' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('It knows nothing yet.').waitFor()
  await page.getByRole('button', { name: 'Import' }).click()
  const choose = (text: string) =>
    page.getByLabel('File').setInputFiles({ name: 'shop.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await choose('question,answer\nx,y')
  await page.getByRole('alert').getByText('The first line must be a header').waitFor()
  await choose('answer,question\nAt nine.,When do you open?\n,Where are you?\nYes.,Do you ship?\n')
  await page.getByRole('list', { name: 'Rows that are left out' }).getByText('Line 3: the answer is empty.').waitFor()
  await assertAccessible(page)
  await page.getByText('2 new entries, 0 replaced, 0 unchanged.').waitFor()
  assert.equal((await site.app.db.selectFrom('entries').select('id').execute()).length, 0)
  await page.getByRole('button', { name: 'Import 2 entries' }).click()
  await page.getByRole('button', { name: 'Do you ship?', exact: true }).waitFor()

  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click()
  assert.equal((await download).suggestedFilename(), 'default-knowledge.csv')

  await page.getByRole('navigation', { name: 'Parts of the campaign' }).getByRole('link', { name: 'Settings' }).click()
  const mark = page.getByRole('slider', { name: 'Answer from' })
  await mark.focus()
  await page.keyboard.press('End')
  assert.equal(await mark.getAttribute('aria-valuenow'), '1')
  await ask(page, 'Do you ship?')
  await page.getByRole('log').getByText('Offer', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('button', { name: /^(Save changes|Saving…)$/ }).waitFor({ state: 'detached' })
  const { settings } = await site.app.db.selectFrom('campaigns').select('settings').executeTakeFirstOrThrow()
  assert.equal((settings as { answerThreshold: number }).answerThreshold, 1)
})

test('axe finds nothing in campaigns in either theme, and nothing scrolls sideways at 360 px', async () => {
  await using site = await startSite()
  await write(site.account, 'Do you buy used bikes?')
  await answered(site)
  for (const width of [1280, 360]) {
    await using window = await openSignedIn(site, { width })
    const { page } = window
    const look = async () => {
      await assertAccessible(page)
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, page.url())
    }
    await window.go('/campaigns')
    await page.getByRole('link', { name: 'Default' }).waitFor()
    await look()
    await page.getByRole('link', { name: 'Default' }).click()
    if (width === 1280) await teach(page, 'When do you open?', 'At nine.')
    await page.getByRole('button', { name: 'When do you open?', exact: true }).click()
    const jump = page.getByRole('button', { name: 'Test', exact: true })
    assert.equal(await jump.isVisible(), width === 360, 'it leads to the test chat where that is below')
    if (width === 360) {
      await jump.click()
      await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Ask the bot')
    }
    await ask(page, 'When do you open?')
    await page.getByRole('log').getByText('At nine.').waitFor()
    await look()
    await page.getByRole('link', { name: /^Unanswered/ }).click()
    await page.getByRole('button', { name: /^Make an entry of/ }).click()
    await look()
    for (const tab of ['Settings', 'Texts']) {
      await page.getByRole('navigation', { name: 'Parts of the campaign' }).getByRole('link', { name: tab }).click()
      if (tab === 'Settings') await page.getByText('More settings').click()
      await look()
    }
  }
})
