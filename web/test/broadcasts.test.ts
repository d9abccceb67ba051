import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeMembers, readersOf } from '../../server/test/helpers/broadcasts.ts'
import { saveUrl } from '../../server/test/helpers/deliveries.ts'
import { incoming, incomingPath } from '../../server/test/helpers/message-requests.ts'
import { startReceiver } from '../../server/test/helpers/receivers.ts'
import { until } from '../../server/test/helpers/until.ts'
import { assertAccessible } from './helpers/axe.ts'
import { openSignedIn, startSite } from './helpers/site.ts'

test('a broadcast is written, looked at, started from its list, paused, resumed and followed to its answers', async () => {
  let isHeld = false
  const held: (() => void)[] = []
  await using receiver = await startReceiver(({ body }, response) => {
    const refuses = body.includes('"to-2"')
    const answer = () => response.writeHead(refuses ? 422 : 200).end()
    if (isHeld) held.push(answer)
    else answer()
  })
  await using site = await startSite({ DELIVERY_RETRY_SECONDS: '0.02' })
  const { app, account } = site
  await saveUrl(app, account, receiver.url)
  const [optedOut] = await makeMembers(app.db, account, 6)
  assert.ok(optedOut)
  await app.db
    .updateTable('contacts')
    .set({ optedOutAt: new Date(), optedOutBy: 'contact' })
    .where('id', '=', optedOut)
    .execute()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go(`/lists/${account.listId}`)
  await page.getByRole('link', { name: 'Write to this list' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Name the channel.').waitFor()
  await page.getByText('Write the message.').waitFor()
  await page.getByLabel('Channel').fill('web chat')
  await page.getByLabel('Message', { exact: true }).fill('Hello {{lastName}}')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('only {{firstName}} can be filled in').waitFor()
  await page.getByLabel('Message', { exact: true }).fill('Hello {{firstName}}, we are open.')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('heading', { name: '5 contacts get it' }).waitFor()
  await page.getByText('1 opted out.').waitFor()
  await page.getByText('Hello Reader c, we are open.').waitFor()
  isHeld = true
  await page.getByRole('button', { name: 'Send to 5 contacts' }).click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused', { exact: true }).waitFor()
  isHeld = false
  for (const answer of held.splice(0)) answer()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Finished', { exact: true }).waitFor()
  await page.getByText('5 of 6').or(page.getByText('6 of 6')).waitFor()
  await page.getByText('Your server answered 422.').first().waitFor()
  await page.getByRole('rowheader', { name: 'Reader c' }).waitFor()
  await page.getByText('Opted out before their turn').waitFor()
  await page.getByRole('button', { name: 'Show who' }).click()
  const leftOut = page.getByRole('table', { name: 'Contacts that were left out' }).getByRole('row')
  assert.match(await leftOut.nth(1).innerText(), /^Reader b\s+Opted out/)
  await assertAccessible(page)
  await account.post(incomingPath, incoming({ fromId: 'to-3', messageSid: 'an answer', body: 'Thank you' }))
  await page.getByRole('link', { name: 'Reader d' }).click()
  await page.getByText('Thank you').first().waitFor()
  await page.getByTitle('Part of a broadcast').click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
})

test('people are imported by phone number onto a new list, and a broadcast over the only channel reaches them by it', async () => {
  await using receiver = await startReceiver()
  await using site = await startSite({ WEBHOOK_IN_FLIGHT: '32' })
  const { app, account } = site
  await saveUrl(app, account, receiver.url)
  await account.post(incomingPath, incoming({ fromId: 'first', messageSid: 'first', body: 'Hello', channel: 'sms' }))
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/contacts')
  await page.getByRole('link', { name: 'Import', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'Import contacts' })
  const people = Array.from({ length: 300 }, (_, n) => `Person,Nr ${n},07700 ${100_000 + n}`)
  const buffer = Buffer.from(['first name,last name,phone', ...people, 'Zoe,Short,12', ''].join('\n'))
  await sheet.getByLabel('Choose a file').setInputFiles({ name: 'Summer.csv', mimeType: 'text/csv', buffer })
  await sheet.getByText('0 of 301 rows are ready.').waitFor()
  await sheet.getByLabel('Numbers without a country code').selectOption('GB')
  await sheet.getByText('300 of 301 rows are ready.').waitFor()
  await sheet.getByLabel('Put them on a list').selectOption('On a new list')
  assert.equal(await sheet.getByLabel('Name of the new list').inputValue(), 'Summer')
  await assertAccessible(page)
  await sheet.getByRole('button', { name: 'Import 300 contacts' }).click()
  await sheet.getByText('300 new').waitFor()
  await sheet.getByText('Zoe Short').waitFor()
  await sheet.getByText('None of 300 has an ID yet. A broadcast can reach 300 by phone number.').waitFor()
  await assertAccessible(page)
  await sheet.getByRole('link', { name: 'Write to this list' }).click()
  const form = page.getByRole('form', { name: 'New broadcast' })
  await form.getByText('A broadcast can reach 300 by phone number.').waitFor()
  await until(async () => (await form.getByLabel('Channel').inputValue()) === 'sms', 'the only channel is not chosen')
  await form.getByLabel('Message', { exact: true }).fill('Hello {{firstName}}')
  await form.getByLabel('Messages a minute').fill('6000')
  await form.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Nobody on this list can be written to.').waitFor()
  await page.getByRole('button', { name: 'Change' }).click()
  await form.getByLabel('Who has no ID yet').selectOption('phone')
  await assertAccessible(page)
  await form.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('heading', { name: '300 contacts get it' }).waitFor()
  await page
    .getByText(/^\+447700100\d{3}$/)
    .first()
    .waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Send to 300 contacts' }).click()
  await page.getByText('Finished', { exact: true }).waitFor({ timeout: 120_000 })
  const reached = readersOf(receiver).filter((toId) => toId !== 'first') // whom the bot answers
  assert.deepEqual([reached.length, new Set(reached).size], [300, 300])
  const answer = incoming({ fromId: '+447700100007', messageSid: 'an answer', body: 'Yes please', channel: 'sms' })
  await account.post(incomingPath, answer)
  await page.getByRole('link', { name: 'Person Nr 7', exact: true }).click()
  await page.getByText('Yes please').first().waitFor()
  await page.getByText('Hello Person').first().waitFor()
})

test('broadcasts work by keys alone, with axe content in either theme and nothing that scrolls sideways at 360 px', async () => {
  await using site = await startSite()
  const { app, account } = site
  await makeMembers(app.db, account, 3)
  const body = { listId: account.listId, customChannel: 'web chat', body: 'W'.repeat(300), name: 'N'.repeat(200) }
  const { body: started } = await account.post('/broadcasts', body)
  for (const width of [1280, 360]) {
    await using window = await openSignedIn(site, { width })
    const { page } = window
    await window.go('/broadcasts')
    await page.getByRole('link', { name: /NNN/ }).waitFor()
    await assertAccessible(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
    await page.keyboard.press('n')
    await page.getByRole('form', { name: 'New broadcast' }).waitFor()
    await page.keyboard.type('Cust')
    await page.keyboard.press('Tab')
    await page.keyboard.type('web chat')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Hello')
    await assertAccessible(page)
    await page.getByLabel('Channel').press('Enter')
    await page.getByRole('heading', { name: '3 contacts get it' }).waitFor()
    await page.getByText('No webhook is saved.').waitFor()
    await assertAccessible(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
    await window.go(`/broadcasts/${started.id}`)
    await page.getByText('It waits: no webhook is saved.').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('3 contacts have not got it yet').waitFor()
    await assertAccessible(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
    await page.getByRole('button', { name: 'Keep it going' }).click()
  }
})

test('an empty page says what to do, and a broadcast that is not there is gone', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/inbox')
  await page.getByRole('link', { name: 'Broadcasts' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.getByText('No broadcasts yet.').waitFor()
  await window.go('/broadcasts/brc_no')
  await page.getByText('This broadcast is gone.').waitFor()
})
