import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contactOf, holdTurnsBack, write } from '../../../server/test/helpers/bots.ts'
import { addMember } from '../../../server/test/helpers/sessions.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertAccessible, assertFine } from '../helpers/axe.ts'
import { openSignedIn, type Site, startSite, type Window } from '../helpers/site.ts'

/** Ines owns the account, Mia is a member, and both look at the inbox. */
async function startTeam() {
  await using starting = new AsyncDisposableStack()
  const site = starting.use(await startSite())
  const { app, account } = site
  await holdTurnsBack(app)
  await app.db.updateTable('users').set({ name: 'Ines Okafor' }).where('id', '=', account.userId).execute()
  const userId = await addMember(app, account.accountId, 'mia@example.com')
  for (const [fromId, firstName] of [
    ['ben', 'Ben'],
    ['ana', 'Ana'],
  ] as const) {
    await write(account, `This is ${firstName}`, { fromId, firstName, channel: 'Web chat' })
  }
  const ines = starting.use(await openSignedIn(site, { width: 1440 }))
  const mia = starting.use(await openSignedIn({ ...site, account: { ...account, userId } } as Site, { width: 1440 }))
  const started = starting.move()
  return { ...site, ines, mia, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/** Of the conversation with Ana. */
async function change({ app, account }: Site, fields: { snoozedUntil?: Date; state?: string }): Promise<void> {
  await app.db
    .updateTable('conversations')
    .set(fields)
    .where('accountId', '=', account.accountId)
    .where('contactId', '=', await contactOf(app, 'ana'))
    .execute()
}

const row = ({ page }: Window, name: string) => page.locator('.convo', { hasText: name })
const log = ({ page }: Window) => page.getByRole('log')
const head = ({ page }: Window) => page.locator('.thread-head')
const press = ({ page }: Window, key: string) => page.keyboard.press(key)

async function leaveField({ page }: Window): Promise<void> {
  const isInField = () => page.evaluate(() => document.activeElement instanceof HTMLTextAreaElement)
  await until(isInField, 'no field has the focus')
  await page.keyboard.press('Escape')
  await until(async () => !(await isInField()), 'the field keeps the focus')
}

test('a team assigns, notes, tags, puts off, closes, and a new message reopens, live in two browsers and by keyboard', async () => {
  await using team = await startTeam()
  const { app, account, ines, mia } = team
  const path = `/inbox/${await contactOf(app, 'ana')}`
  for (const each of [ines, mia]) {
    await each.go(path)
    await log(each).getByText('This is Ana').waitFor()
    await head(each).getByRole('button', { name: /Close/ }).waitFor() // from then on keys press what is in the head
  }

  await press(ines, 'a')
  await ines.page.getByRole('menuitem', { name: 'Mia Member' }).click()
  await log(ines).getByText('You assigned this to Mia Member').waitFor()
  await head(mia)
    .getByRole('button', { name: /Assigned to You/ })
    .waitFor()
  await log(mia).getByText('Ines Okafor assigned this to you').waitFor()
  await press(mia, '2')
  await row(mia, 'Ana').waitFor()
  assert.equal(await row(mia, 'Ben').count(), 0)

  await press(ines, 'n')
  await ines.page.getByLabel('Note for the team').fill('Ana is Tom’s aunt')
  await assertAccessible(ines.page)
  await ines.page.getByLabel('Note for the team').press('Enter')
  await log(mia).getByText('Ana is Tom’s aunt').waitFor()
  await log(mia).getByText('Note by Ines Okafor').last().waitFor()
  await mia.page.getByRole('status').getByText('Note by Ines Okafor: Ana is Tom’s aunt').waitFor({ state: 'attached' })
  assert.equal(await log(mia).getByRole('button', { name: 'Delete this note' }).count(), 0)
  await ines.page.getByLabel('Note for the team').fill('By mistake')
  await ines.page.getByLabel('Note for the team').press('Enter')
  await log(mia).getByText('By mistake').waitFor()
  await log(ines).getByRole('button', { name: 'Delete this note' }).last().press('Enter')
  await log(ines).getByRole('button', { name: 'Delete it for everybody' }).press('Enter')
  for (const each of [ines, mia]) await log(each).getByText('By mistake').waitFor({ state: 'detached' })
  await log(mia).getByText('Ana is Tom’s aunt').waitFor()
  await press(ines, 'n')
  await leaveField(ines)
  assert.equal((await app.db.selectFrom('messages').select('id').execute()).length, 2, 'a note is no message')

  await ines.page.getByRole('button', { name: 'Add a tag' }).click()
  await ines.page.getByRole('combobox', { name: 'Add a tag' }).fill('Refund')
  await press(ines, 'Enter')
  await mia.page.getByRole('button', { name: 'Remove the tag refund' }).waitFor()
  await press(ines, 'Escape')

  await ines.page.getByRole('combobox', { name: 'Add a tag' }).waitFor({ state: 'detached' })
  await press(ines, 'h')
  const snooze = ines.page.getByRole('dialog', { name: 'Snooze' })
  await snooze.getByRole('button', { name: /Tomorrow/ }).waitFor()
  await assertAccessible(ines.page)
  await snooze.getByRole('button', { name: /Tomorrow/ }).press('Enter')
  await head(ines)
    .getByText(/Snoozed until/)
    .waitFor()
  await row(ines, 'Ana').waitFor({ state: 'detached' })
  await head(mia)
    .getByText(/Snoozed until/)
    .waitFor()
  await change(team, { snoozedUntil: new Date() })
  await row(ines, 'Ana').waitFor()
  await log(mia).getByText('The snooze ended').waitFor()

  await press(ines, 'e')
  await ines.page.getByText('Closed. Next: Ben').hover() // it stays, and with it the way back
  await ines.page.waitForURL(/con_/)
  await log(ines).getByText('This is Ben').waitFor()
  await row(ines, 'Ana').waitFor({ state: 'detached' })
  await log(mia).getByText('Ines Okafor closed').waitFor()
  await head(mia)
    .getByRole('button', { name: /Reopen/ })
    .waitFor()
  await press(ines, 'z')
  await row(ines, 'Ana').waitFor()
  await head(mia).getByRole('button', { name: /Close/ }).waitFor()

  await press(mia, 'e')
  await head(mia)
    .getByRole('button', { name: /Reopen/ })
    .waitFor({ state: 'detached' })
  await row(ines, 'Ana').waitFor({ state: 'detached' })
  await write(account, 'One more question', { fromId: 'ana' })
  await row(ines, 'One more question').waitFor()
  await row(mia, 'One more question').waitFor()
})

test('closed, snoozed, channel and tag are behind the filter button, and axe finds nothing in them, wide and at 360 px', async () => {
  await using team = await startTeam()
  const { app, ines } = team
  const { page } = ines
  await app.db
    .insertInto('conversationTags')
    .values({
      accountId: team.account.accountId,
      contactId: await contactOf(app, 'ana'),
      tag: 'refund',
    })
    .execute()
  await change(team, { state: 'closed' })
  await ines.go('/inbox')
  await row(ines, 'Ben').waitFor()
  assert.equal(await row(ines, 'Ana').count(), 0)
  const open = async () => {
    await page.getByRole('button', { name: /More filters/ }).click()
    await page
      .getByRole('dialog', { name: /More filters/ })
      .getByRole('button', { name: 'refund' })
      .waitFor()
  }
  await open()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Closed', exact: true }).click()
  await row(ines, 'Ana').getByText('Closed').waitFor()
  await open()
  await page.getByRole('dialog').getByRole('button', { name: 'refund' }).click()
  await page.waitForURL(/tag=refund/)
  await row(ines, 'Ana').waitFor()
  await open()
  await page.getByRole('dialog').getByRole('button', { name: 'Web chat' }).click()
  await row(ines, 'Ben').waitFor()
  assert.equal(await row(ines, 'Ana').count(), 0)
  await page.getByRole('button', { name: /Web chat.*remove this filter/ }).click()
  await open()
  await page.getByRole('dialog').getByRole('button', { name: 'Snoozed' }).click()
  await page.getByText('Nothing is put off').waitFor()

  await ines.go(`/inbox/${await contactOf(app, 'ana')}`)
  await log(ines).getByText('This is Ana').waitFor()
  await assertFine(page, [1440, 1280, 768, 360])
  await page.setViewportSize({ width: 360, height: 800 })
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: /Reopen/ }).click()
  await log(ines).getByText('You reopened').waitFor()
})

test('a saved reply is made, found by a slash with the name filled in, changed and deleted, by keyboard', async () => {
  await using team = await startTeam()
  const { app, ines } = team
  const { page } = ines
  await ines.go(`/inbox/${await contactOf(app, 'ana')}`)
  const field = page.getByLabel('Message to Ana')
  await field.focus()
  await page.keyboard.type('/')
  await page.getByRole('option', { name: /No saved reply yet/ }).waitFor()
  await assertAccessible(page)
  await press(ines, 'Enter')
  const dialog = page.getByRole('dialog', { name: 'Saved replies' })
  await dialog.getByLabel('Shortcut').fill('loan')
  await dialog.getByLabel('Text').fill('Yes, {{firstName}}: a city bike.')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Save reply' }).press('Enter')
  await dialog.getByText('/loan').waitFor()
  await dialog.getByRole('button', { name: 'New saved reply' }).click()
  await dialog.getByLabel('Shortcut').fill('loan')
  await dialog.getByLabel('Text').fill('Again')
  await dialog.getByRole('button', { name: 'Save reply' }).click()
  await dialog.getByText('There is a saved reply /loan already.').waitFor()
  await dialog.getByLabel('Shortcut').fill('location')
  await dialog.getByRole('button', { name: 'Save reply' }).click()
  await dialog.getByText('/location').waitFor()
  await press(ines, 'Escape')
  await dialog.waitFor({ state: 'detached' })

  await field.fill('')
  await field.focus()
  await page.keyboard.type('Hello. /lo')
  await page.getByRole('option', { name: /\/location/ }).waitFor()
  assert.deepEqual(
    await page
      .getByRole('option')
      .allInnerTexts()
      .then((all) => all.map((text) => text.split(/\s/)[0])),
    ['/loan', '/location', 'Manage'],
  )
  await press(ines, 'ArrowDown')
  await press(ines, 'ArrowUp')
  await press(ines, 'Enter')
  await until(async () => (await field.inputValue()) === 'Hello. Yes, Ana: a city bike.', 'the reply was not filled in')
  await field.fill('http://')
  assert.equal(await page.getByRole('option').count(), 0, 'a slash inside a word offers nothing')
  await field.fill('')
  await leaveField(ines)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('saved repl')
  await page.getByRole('option', { name: /Saved replies/ }).waitFor()
  await press(ines, 'Enter')
  await dialog.getByRole('button', { name: 'Delete /loan' }).click()
  await page.getByText('/loan is deleted.').waitFor()
  await dialog.getByRole('button', { name: 'Edit /location' }).click()
  await dialog.getByLabel('Text').fill('12 Kettle Lane')
  await dialog.getByRole('button', { name: 'Save reply' }).click()
  await dialog.getByLabel('Text').waitFor({ state: 'detached' }) // the form is open until it is saved
  await dialog.getByText('12 Kettle Lane').waitFor()
  const kept = await app.db.selectFrom('savedReplies').select(['shortcut', 'body']).execute()
  assert.deepEqual(kept, [{ shortcut: 'location', body: '12 Kettle Lane' }])
})
