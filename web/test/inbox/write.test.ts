import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureSms } from '@patchbay/contract/segments.ts'
import type { Page, Route } from 'playwright-core'
import { newClientId } from '../../../server/test/helpers/providers/conversations.ts'
import { connectSms, startSmsWorld } from '../../../server/test/helpers/providers/sms-world.ts'
import { addTexter, untilTexted } from '../../../server/test/helpers/providers/twilio.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertAccessible, assertFine } from '../helpers/axe.ts'
import { openSignedIn, type Site } from '../helpers/site.ts'

const sender = '+447700900001'

/** A shop with a number, and the inbox of its owner. */
async function startShop(looks: { width: number; height?: number } = { width: 1280 }) {
  await using starting = new AsyncDisposableStack()
  const world = starting.use(await startSmsWorld({ SERVE_APP: '1', RATE_LIMIT_PER_MINUTE: '0' }))
  const account = world.twilio.addAccount()
  account.addNumber(sender)
  const channel = await connectSms(world.owner, account, { sender })
  const window = starting.use(await openSignedIn({ app: world.app, account: world.shop } as Site, looks))
  const { page } = window
  const make = async (fields: object): Promise<string> => {
    const { status, body } = await world.owner.call('POST', '/api/contacts', fields)
    assert.equal(status, 200, JSON.stringify(body))
    return body.contact.id
  }
  const write = async (contactId: string, body: string) => {
    const given = { body, channelId: channel.id, clientId: newClientId() }
    const { status } = await world.owner.call('POST', `/api/conversations/${contactId}/replies`, given)
    assert.equal(status, 200)
  }
  const started = starting.move()
  return {
    ...{ ...world, account, channel, window, page, make, write },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

const hasFocus = (page: Page, name: string) =>
  until(() => page.evaluate((wanted) => (document.activeElement as HTMLInputElement).name === wanted, name), `${name}`)

test('a number that is nobody’s is written to by the keys alone: what is no number is said at its field, and the conversation opens with the message in it', async () => {
  await using shop = await startShop()
  const { page, window, account } = shop
  const ana = addTexter(account, sender, '+447700900342')
  await window.go('/inbox')
  await page.getByText('Nobody has written yet').waitFor()
  await page.keyboard.press('c')
  const sheet = page.getByRole('dialog', { name: 'Write to a contact' })
  await sheet.waitFor()
  await hasFocus(page, 'to')
  await page.keyboard.type('07700 900342')
  await page.keyboard.press('Tab')
  await sheet.getByText('Choose somebody, or type a phone number').waitFor()
  await assertFine(page, [1280, 360])
  await page.keyboard.press('Control+Enter')
  await hasFocus(page, 'to')
  await sheet.getByText('Nothing is written yet.').waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('+44 7700 900342')
  await sheet.getByText('Nobody has this number yet').waitFor()
  await page.keyboard.press('Tab')
  await hasFocus(page, 'channelId')
  await page.keyboard.press('Tab')
  await hasFocus(page, 'body')
  await page.keyboard.type('Your wheel is ready')
  await sheet.getByText('19 of 160').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Control+Enter')
  await sheet.waitFor({ state: 'detached' })
  await page.getByRole('log').getByText('Your wheel is ready').waitFor()
  await untilTexted(ana, 1)
  await until(
    () => page.evaluate(() => document.activeElement?.matches('[data-composer]') === true),
    'the focus is elsewhere',
  )
  const { contacts } = (await shop.owner.call('GET', '/api/contacts')).body
  assert.deepEqual(
    contacts.map(({ phone }: { phone: string }) => phone),
    ['+447700900342'],
  )
})

test('somebody is found by name or by any variant of the number, and a message whose answer is lost is sent once', async () => {
  await using shop = await startShop()
  const { page, window, account } = shop
  const [ana, lia] = [addTexter(account, sender, '+447700900342'), addTexter(account, sender, '+5511987654321')]
  await shop.make({ firstName: 'Ana', lastName: 'Lopez', phone: ana.phone })
  await shop.make({ firstName: 'Lia', phone: lia.phone })
  await window.go('/inbox')
  await page.getByRole('button', { name: 'Write to a contact' }).click()
  const sheet = page.getByRole('dialog', { name: 'Write to a contact' })
  const to = sheet.getByLabel('To')
  await to.fill('+55 11 8765-4321')
  await sheet.getByText('This is Lia’s number.').waitFor()
  await to.fill('lop')
  await page.getByRole('option', { name: /Ana Lopez/ }).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await sheet.getByRole('button', { name: 'Choose somebody else' }).waitFor()
  await hasFocus(page, 'body')
  await sheet.getByRole('radio', { name: /\+44 7700 900342/ }).waitFor()
  await page.keyboard.type('Until six')
  const loseAnswer = async (route: Route) => {
    const { status } = await shop.owner.call(
      'POST',
      new URL(route.request().url()).pathname,
      route.request().postDataJSON(),
    )
    assert.equal(status, 200)
    await route.abort()
  }
  await page.route('**/replies', loseAnswer, { times: 1 })
  await sheet.getByRole('button', { name: 'Send' }).click()
  await sheet.getByRole('alert').waitFor()
  assert.equal(await sheet.getByLabel('Text').inputValue(), 'Until six')
  await sheet.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('log').getByText('Until six').waitFor()
  assert.equal((await untilTexted(ana, 1)).length, 1)
  const sent = shop.app.db.selectFrom('messages').select('id').where('direction', '=', 'outgoing')
  assert.equal((await sent.execute()).length, 1)
})

test('Write on a contact’s page is to that contact, says why a way cannot be used, and leads back when it is left', async () => {
  await using shop = await startShop({ width: 360, height: 740 })
  const { page, window } = shop
  const mia = await shop.make({ firstName: 'Mia', email: 'mia@example.com' })
  await window.go(`/contacts/${mia}`)
  await page.getByRole('link', { name: 'Write', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'Write to Mia' })
  await sheet.getByText('They have no phone number').waitFor()
  assert.equal(await sheet.getByRole('radio').isDisabled(), true)
  await sheet.getByLabel('Text').fill('Hello')
  await sheet.getByRole('button', { name: 'Send' }).click()
  await sheet.getByText('Choose a way that can be used.').waitFor()
  await assertAccessible(page)
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Mia' }).waitFor()
})

const texts = [
  'Four bikes are booked for Thursday, 7:30. Don’t forget the lock keys; Tom has the spare set at the side door. 🔧',
  'a'.repeat(161),
  '€'.repeat(81),
  'Привет',
  '👨‍👩‍👧‍👦 the whole family',
]

test('the composer says of a text how many segments it takes and what makes it take more, and makes signs plain without touching words', async () => {
  await using shop = await startShop()
  const { page, window, account } = shop
  const ana = addTexter(account, sender)
  const contactId = await shop.make({ firstName: 'Ana', phone: ana.phone })
  await shop.write(contactId, 'Hello')
  await window.go(`/inbox/${contactId}`)
  const box = page.getByLabel('Message to Ana')
  const line = page.locator('.segments-line')
  await line.getByText('0 of 160').waitFor()
  for (const text of texts) {
    const { units, room, segments } = measureSms(text)
    await box.fill(text)
    await line.getByText(`${units} of ${room}`).waitFor()
    await line.getByText(segments === 1 ? '1 segment' : `${segments} segments`, { exact: true }).waitFor()
  }
  await box.fill(texts[0] ?? '')
  await line.getByText('because of ’ and 🔧. Without them 1.').waitFor()
  await assertFine(page, [1280, 360])
  assert.equal(await line.locator('.segments-line-more').innerText(), '2 segments')
  await box.fill('Don’t wait – “now”…')
  await line
    .getByText('Unicode because of ’, – and 2 more.')
    .or(line.getByText(/^Unicode because of/))
    .waitFor()
  assert.equal(await line.locator('.segments-line-more').count(), 0, 'it costs no segment more')
  await line.getByRole('button', { name: 'Make them plain' }).click()
  assert.equal(await box.inputValue(), `Don't wait - "now"...`)
  await until(() => box.evaluate((field) => document.activeElement === field), 'the focus is lost with the button')
  await page.keyboard.press('Enter')
  await untilTexted(ana, 2)
  assert.deepEqual(
    ana.shown().map(({ body }) => body),
    ['Hello', `Don't wait - "now"...`],
  )
})

test('who has written STOP is said to have stopped: notes are all that can be written, unless another way is there, which is offered', async () => {
  await using shop = await startShop()
  const { page, window, account } = shop
  const kofi = addTexter(account, sender)
  const contactId = await shop.make({ firstName: 'Kofi', phone: kofi.phone })
  await shop.write(contactId, 'Your bike is due for its service')
  await untilTexted(kofi, 1)
  await window.go(`/inbox/${contactId}`)
  await page.getByLabel('Message to Kofi').fill('Hi Kofi')
  kofi.text('STOP')
  const bar = page.locator('.handler', { hasText: 'wrote STOP' })
  await bar.getByText(/No SMS until START comes from this number/).waitFor()
  await bar.getByText('There is no other way to reach Kofi yet.').waitFor()
  await page.getByRole('log').getByText('STOP', { exact: true }).waitFor()
  await page.getByRole('log').getByText('Kofi asked not to be written to by SMS').waitFor()
  await page.keyboard.press(']')
  await page.getByText('Only START from the phone ends it; nobody can here.').waitFor()
  const note = page.locator('.compose-box.as-note')
  await note.waitFor()
  assert.equal(await note.getByRole('button', { name: 'Reply', exact: true }).isDisabled(), true)
  await assertFine(page, [1280, 360])
  const given = await shop.owner.call('PATCH', `/api/contacts/${contactId}`, { externalId: 'kofi' })
  assert.equal(given.status, 200)
  await page.reload()
  await bar.getByRole('button', { name: 'By Your platform' }).click()
  await page.getByRole('button', { name: /^Reply by Your platform/ }).waitFor()
  assert.equal(await page.getByLabel('Message to Kofi').inputValue(), 'Hi Kofi', 'the draft was kept')
  kofi.text('START')
  await bar.waitFor({ state: 'detached' })
  await page.getByRole('log').getByText('Kofi may be written to by SMS again').waitFor()
})
