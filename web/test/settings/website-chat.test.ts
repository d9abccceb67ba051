import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMember } from '../../../server/test/helpers/sessions.ts'
import { assertFine } from '../helpers/axe.ts'
import { openSignedIn, type Site, startSite, type Window } from '../helpers/site.ts'

type Page = Window['page']

async function stored({ app, account }: Site) {
  const rows = await app.db
    .selectFrom('channels')
    .select(['id', 'name', 'settings', 'version'])
    .where('accountId', '=', account.accountId)
    .orderBy('createdAt')
    .execute()
  return rows.map((row) => ({ ...row, settings: row.settings as Record<string, unknown> }))
}

const path = '/settings/website-chat'
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
const untilSaved = (page: Page) => page.locator('.chat-set-save').waitFor({ state: 'detached' })

/** Makes a chat for a page on this machine, which works without an address that others reach. */
async function makeChat(page: Page): Promise<void> {
  await page.getByLabel('Page of your shop').fill('LocalHost:3000')
  await page.getByRole('button', { name: 'Make the chat' }).click()
  await page.getByText(/^<script async src="https:\/\/.+\/chat\/chn_.+\.js"><\/script>$/).waitFor()
}

test('an owner makes a chat with its first page, sets each field by clicking and finds it again; what is refused is said at its field', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site, { width: 1440, height: 900 })
  const { page } = window
  await window.go('/settings/account')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Website chat' }).click()
  await page.getByRole('heading', { name: 'A chat on your own page' }).waitFor()
  await assertFine(page)
  await page.getByRole('button', { name: 'Make the chat' }).click()
  await page.getByText('Name the page, such as shop.example.').waitFor()
  await makeChat(page)
  assert.deepEqual((await stored(site))[0]?.settings.pages, ['localhost:3000'])
  await page.getByText('Listening. This turns green').waitFor()

  const newPage = page.getByLabel('New page')
  await newPage.fill('https://Shop.Example/contact?x=1')
  await page.getByRole('button', { name: 'Add', exact: true }).first().click()
  await newPage.fill('*.shop.example, grüße.example')
  await newPage.press('Enter')
  await page.getByRole('button', { name: 'Yellow' }).click()
  await page.getByText('Text on it: black, 11.6 to 1. Good to read.').waitFor()
  const hex = page.getByLabel('Own colour, hex')
  await hex.fill('#1F4')
  const group = (name: string) => page.getByRole('group', { name, exact: true })
  await group('Scheme').getByRole('button', { name: 'Dark' }).click()
  await group('Corner').getByRole('button', { name: 'Left' }).click()
  await page.getByLabel('Name on top').fill('')
  await save(page)
  await page.getByText('A colour such as #00616E.').waitFor()
  await page.getByText('Give it a name.').waitFor()
  await hex.fill('#1f4fbf')
  await page.getByText('Text on it: white, 7').waitFor()
  const name = page.getByLabel('Name on top')
  await name.focus()
  await page.keyboard.type('Kettle Lane Cycles')
  const preview = page.getByRole('complementary', { name: 'Preview' })
  await preview.getByRole('dialog').getByText('Kettle Lane Cycles', { exact: true }).waitFor()
  assert.equal(await name.evaluate((element) => element.matches(':focus')), true, 'the preview takes no focus')
  await page.getByLabel('Deutsch').check()
  await page.getByLabel('العربية').check()
  await page.getByLabel('Where none of them is the visitor’s').selectOption('de')
  await group('Words in').getByRole('button', { name: 'Deutsch' }).click()
  await page.getByLabel('First message').fill('Hallo. Fragen Sie uns.')
  await page.getByLabel('Button', { exact: true }).fill('Schreiben Sie uns')
  await page.getByLabel('Privacy sentence').fill('Wir bewahren es auf.')
  await preview.getByText('Wir bewahren es auf.').waitFor()
  await preview.getByRole('log').getByText('Hallo. Fragen Sie uns.').waitFor()
  await preview.getByRole('button', { name: 'Phone' }).click()
  await preview.getByRole('dialog').waitFor()
  await preview.getByRole('button', { name: 'Closed' }).click()
  await preview.getByRole('button', { name: /Schreiben Sie uns/ }).waitFor()
  await page.getByLabel('Privacy link').fill('shop.example/privacy')
  await page.getByRole('button', { name: 'At these hours' }).click()
  await preview.getByRole('button', { name: 'Open' }).click()
  await preview.getByText('Der Assistent antwortet sofort').waitFor()
  await preview.getByText('Ja, von 10 bis 16 Uhr.').waitFor()
  await preview.getByRole('button', { name: 'Waits for a person' }).click()
  await preview.getByText(/^Wieder jemand da ab /).waitFor()
  await preview.getByText('E-Mail, wenn Sie möchten').waitFor()
  await page.getByLabel('Monday, from').fill('08:30')
  await page.getByLabel('Friday, to').fill('00:00')
  await page.getByRole('button', { name: 'Add hours on Saturday' }).click()
  await page.getByRole('button', { name: 'Remove the hours on Tuesday from 09:00' }).click()
  await page.getByLabel('Time zone of these hours').fill('Europe/Nowhere')
  await page.getByLabel('Another closed day').fill('2026-12-25')
  await page.getByRole('button', { name: 'Add', exact: true }).last().click()
  for (const name of ['Ask for an e-mail address when nobody is there', 'Take files from visitors']) {
    await page.getByRole('switch', { name }).click()
  }
  await page.getByRole('radio', { name: 'This tab only' }).check()
  await page.getByRole('radio', { name: 'It is erased' }).check()
  await page.getByRole('radio', { name: 'May be known' }).check()
  await page.getByLabel('New visitors a day').fill('0')
  await page.getByLabel('Files a day, in MB').fill('250')
  await save(page)
  await page.getByText('A whole number from 1 to 1,000,000.').waitFor()
  await page.getByText('Deutsch: An address that begins with https://.').waitFor()
  await page.getByLabel('New visitors a day').fill('150')
  await page.getByLabel('Privacy link').fill('https://shop.example/privacy')
  await save(page)
  await page.getByText('There is no time zone "Europe/Nowhere"').waitFor()
  const zone = page.getByLabel('Time zone of these hours')
  await zone.and(page.locator('[aria-invalid=true]')).and(page.locator(':focus')).waitFor()
  assert.equal((await stored(site))[0]?.version, 1, 'nothing is kept of what is refused')
  await assertFine(page)
  await zone.fill('Europe/Berlin')
  await save(page)
  await untilSaved(page)

  const [chat] = await stored(site)
  assert.ok(chat)
  assert.equal(chat.name, 'Kettle Lane Cycles')
  const { caps, hours, words, ...rest } = chat.settings as Record<string, Record<string, unknown>>
  const { asksEmail, takesFiles, tellsPage, showsNames, ...others } = rest as Record<string, unknown>
  assert.deepEqual([asksEmail, takesFiles, tellsPage, showsNames], [false, false, true, true])
  assert.deepEqual(others, {
    pages: ['localhost:3000', 'shop.example', '*.shop.example', 'xn--gre-6ka8l.example'],
    ...{ colour: '#1f4fbf', scheme: 'dark', corner: 'left', languages: ['de', 'en', 'ar'], campaignId: null },
    ...{ keeps: 'tab', deletes: 'at once', members: 'may' },
  })
  assert.deepEqual(words?.de, {
    ...{ greeting: 'Hallo. Fragen Sie uns.', button: 'Schreiben Sie uns', privacy: 'Wir bewahren es auf.' },
    privacyUrl: 'https://shop.example/privacy',
  })
  assert.deepEqual([caps?.contactsADay, caps?.fileBytesADay, caps?.messagesADay], [150, 250_000_000, 20_000])
  assert.deepEqual([hours?.zone, hours?.closed], ['Europe/Berlin', ['2026-12-25']])
  assert.deepEqual(hours?.windows, [
    { day: 1, from: '08:30', to: '17:00' },
    { day: 3, from: '09:00', to: '17:00' },
    { day: 4, from: '09:00', to: '17:00' },
    { day: 5, from: '09:00', to: '24:00' },
    { day: 6, from: '09:00', to: '24:00' },
  ])
  await page.reload()
  await page.getByRole('button', { name: 'Remove *.shop.example' }).waitFor()
  assert.equal(await page.getByLabel('Name on top').inputValue(), 'Kettle Lane Cycles')
  assert.equal(await page.getByLabel('First message').inputValue(), 'Hallo. Fragen Sie uns.')
  assert.equal(await page.getByLabel('Friday, to').inputValue(), '00:00')
  assert.equal(await page.getByLabel('Files a day, in MB').inputValue(), '250')
  assert.equal(await page.getByRole('radio', { name: 'It is erased' }).isChecked(), true)
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0)
})

test('a page that was refused is let in by the name that is shown; the secret is shown once and keeps what is typed; of two owners the second hears what the first did', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site, { width: 1440, height: 900 })
  const { page } = window
  const { db } = site.app
  await window.go(path)
  await makeChat(page)
  const [made] = await stored(site)
  assert.ok(made)
  const { accountId } = site.account
  const at = new Date()
  await db
    .insertInto('chatPages')
    .values({
      ...{ accountId, channelId: made.id, seenHost: 'localhost:3000', seenAt: at },
      ...{ refusedOrigin: 'https://www.shop.example', refusedAt: at },
    })
    .execute()
  await page.reload()
  await page.getByText('Seen on localhost:3000,').first().waitFor()
  await page.getByRole('button', { name: 'Allow it' }).click()
  await page.getByText('Add www.shop.example to the pages?').waitFor()
  await assertFine(page)
  await page.getByRole('button', { name: 'Add www.shop.example' }).click()
  await page.getByText('Last refused:').waitFor({ state: 'detached' })
  await save(page)
  await untilSaved(page)

  await page.getByRole('radio', { name: 'Only they' }).check()
  await page.getByRole('button', { name: 'Make one' }).click()
  const fresh = page.getByRole('status').filter({ hasText: 'Shown once.' })
  await fresh.getByRole('button', { name: 'Copy signing secret' }).waitFor()
  const secret = await fresh.locator('.copy').innerText()
  assert.ok(secret.trim().length >= 43, secret)
  await assertFine(page)
  await save(page)
  await untilSaved(page)
  await page.reload()
  await page.getByText('Never shown again.').waitFor()
  assert.equal((await page.content()).includes(secret.trim()), false)
  await page.getByRole('button', { name: 'Make a new one' }).click()
  await page.getByText('The one that is used now counts for 24 h more').waitFor()
  await assertFine(page)
  await page.getByRole('button', { name: 'Cancel' }).click()

  await using other = await openSignedIn(site, { width: 1440, height: 900 })
  await other.go(path)
  await other.page.getByRole('button', { name: 'Brick' }).click()
  await page.getByLabel('Name on top').fill('Mine')
  await save(other.page)
  await untilSaved(other.page)
  await save(page)
  await page.getByText('Somebody else has changed this meanwhile.').waitFor()
  await page.getByText('Colour: #A8321F').waitFor()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await untilSaved(page)
  const [chat] = await stored(site)
  assert.deepEqual([chat?.name, chat?.settings.colour, chat?.settings.members], ['Mine', '#A8321F', 'must'])

  await page.getByRole('button', { name: 'Remove localhost:3000' }).click()
  await save(page)
  await untilSaved(page)
  await page.getByText('Needs attention', { exact: true }).waitFor()
  await page
    .getByText(/^PUBLIC_URL is .+, which only this machine reaches/)
    .first()
    .waitFor()
  await assertFine(page)
  await window.go('/channels')
  await page.getByText('No page can fetch it,').waitFor()
  await page.getByRole('link', { name: 'Open it' }).click()
  await page.getByText(/^No page can fetch it, since /).waitFor()
  await page.getByText('The checks below say what is missing.').waitFor()
  await assertFine(page)
  window.problems.length = 0 // the refused request
})

test('by the keyboard alone: from the palette to a chat, a language, a colour and a switch; a member reads all of it and may copy the line', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site, { width: 1440, height: 900 })
  const { page } = window
  await window.go('/inbox')
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.type('website chat')
  await page.getByRole('option', { name: /Website chat/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByLabel('Page of your shop').waitFor()
  await page.getByLabel('Page of your shop').focus()
  await page.keyboard.type('localhost:3000')
  await page.keyboard.press('Enter')
  const press = async (name: string, role: 'button' | 'switch' | 'checkbox' = 'button') => {
    const target = page.getByRole(role, { name, exact: true }).first()
    await target.focus()
    assert.equal(await target.evaluate((element) => element.matches(':focus')), true, name)
    await page.keyboard.press('Space')
  }
  await page.getByRole('button', { name: 'Copy the line' }).waitFor()
  await press('Brick')
  await press('Français', 'checkbox')
  await press('Français')
  await page.getByLabel('First message').focus()
  await page.keyboard.type('Bonjour.')
  await press('Tell the page they write from', 'switch')
  await page.getByLabel('Name on top').focus()
  await page.keyboard.press('Enter')
  await untilSaved(page)
  const [chat] = await stored(site)
  assert.deepEqual(
    [chat?.settings.colour, chat?.settings.languages, chat?.settings.tellsPage],
    ['#A8321F', ['en', 'fr'], false],
  )

  await window.go('/channels/new?kind=webchat')
  await page.getByLabel('Page of your shop').fill('second.localhost:3000')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Colour, words and hours' }).focus()
  await page.keyboard.press('Enter')
  const which = page.getByRole('combobox', { name: 'Which chat' })
  await which.focus()
  await page.getByRole('button', { name: 'Remove second.localhost:3000' }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.getByRole('button', { name: 'Remove localhost:3000', exact: true }).waitFor()

  const userId = await addMember(site.app, site.account.accountId, 'mia@example.com')
  await using member = await openSignedIn({ ...site, account: { ...site.account, userId } })
  await member.go(path)
  await member.page.getByText('Only an owner of the account can change the chat.').waitFor()
  await member.page.getByRole('button', { name: 'Copy the line' }).waitFor()
  await member.page.getByRole('group', { name: 'Words in' }).getByRole('button', { name: 'Français' }).click()
  assert.equal(await member.page.getByLabel('First message').inputValue(), 'Bonjour.')
  for (const name of ['Remove localhost:3000', 'Add', 'Save', 'Make one', 'Allow it']) {
    assert.equal(await member.page.getByRole('button', { name, exact: true }).count(), 0, name)
  }
  for (const field of ['Name on top', 'First message', 'New visitors a day', 'Own colour, hex']) {
    assert.equal(await member.page.getByLabel(field).isDisabled(), true, field)
  }
  await assertFine(member.page)
})
