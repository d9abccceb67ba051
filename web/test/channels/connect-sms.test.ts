import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTexter } from '../../../server/test/helpers/providers/twilio.ts'
import type { TwilioAccount } from '../../../server/test/helpers/providers/twilio-account.ts'
import { assertFine } from '../helpers/axe.ts'
import type { Window } from '../helpers/site.ts'
import { openSmsSite } from './sms-site.ts'

type Page = Window['page']

async function enter(page: Page, { accountSid, authToken }: Pick<TwilioAccount, 'accountSid' | 'authToken'>) {
  await page.getByLabel('Account SID').fill(accountSid)
  await page.getByLabel('Auth token').fill(authToken)
  await page.getByRole('button', { name: 'Show its senders' }).click()
}

const stepOf = (page: Page, title: string) =>
  page.locator('.step').filter({ has: page.getByRole('heading', { name: title }) })
const isDone = (page: Page, title: string) => stepOf(page, title).and(page.locator('.done')).waitFor()

test('from an account to the first text: what cannot be chosen says why, what another tool had is shown before it is replaced, each step turns green by a real call', async () => {
  await using opened = await openSmsSite()
  const { twilio, site, window, page } = opened
  const account = twilio.addAccount()
  account.type = 'Trial'
  const number = account.addNumber('+447700900155', { sms_url: 'https://sms.old-shop.example/in' })
  account.addNumber('+447700900156', { sms: false })
  await window.go('/channels/new')
  await page.getByRole('link', { name: /^SMS/ }).click()
  await page.getByRole('button', { name: 'Show its senders' }).click()
  await page.getByText('Copy it from the front page of Twilio’s console.').first().waitFor()
  await enter(page, { accountSid: 'AC12', authToken: account.authToken })
  await page.getByText('accountSid must be the SID of an account').waitFor()
  await page.getByLabel('Account SID').and(page.locator('[aria-invalid=true]')).waitFor()
  await enter(page, { ...account, authToken: 'f'.repeat(32) })
  await page.getByText('Twilio does not take these credentials.').waitFor()
  await page.getByText('20003 Authenticate').waitFor()
  await assertFine(page)
  await enter(page, account)
  await isDone(page, 'Account')
  await page.getByText('Kettle Lane Ltd').first().waitFor()
  await page.getByText('This is a trial account').first().waitFor()
  await page.getByText('Twilio takes it. It is saved with the sender.').waitFor()
  assert.equal((await page.content()).includes(account.authToken), false)
  assert.deepEqual(await site.app.db.selectFrom('channels').selectAll().execute(), [], 'nothing is kept')

  await page
    .getByRole('radio', { name: /900156 cannot send or receive SMS/ })
    .and(page.locator(':disabled'))
    .waitFor()
  await page.getByRole('radio', { name: /900155/ }).check()
  await page.getByText('Its messages now go to sms.old-shop.example.').waitFor()
  assert.equal(number.sms_url, 'https://sms.old-shop.example/in')
  await assertFine(page)
  await page.getByRole('button', { name: 'Use this number' }).click()
  await isDone(page, 'Sender')
  await page.getByText('Listening. This turns green when your message arrives.').waitFor()
  assert.match(String(number.sms_url), /\/hooks\/sms\/chn_/)
  await page.waitForURL(/channel=chn_/)

  addTexter(account, number.phone_number).text('Are you open?')
  await isDone(page, 'First message received')
  await page.getByText('“Are you open?”').waitFor()
  await page.getByRole('img', { name: 'Twilio is connected to Patchbay.' }).waitFor()
  await assertFine(page)
  await page.getByRole('link', { name: 'See the channel' }).click()
  await page.getByRole('region', { name: 'Sender' }).getByText('+447700900155').waitFor()
  await page.getByText('Saved. Never shown again.').waitFor()
  await page.getByText('+447700900155 can send and receive SMS.').waitFor()
  assert.equal(await page.getByText('How Twilio reaches us').count(), 0, 'there is nothing to choose')
  await assertFine(page)
})

test('a token that was replaced at Twilio is replaced here by itself, with or without a key; the account and the sender stay', async () => {
  await using opened = await openSmsSite()
  const { twilio, window, page } = opened
  const account = twilio.addAccount()
  const service = account.addService('Shop service', [account.addNumber(), account.addNumber()])
  await window.go('/channels/new?kind=sms')
  await enter(page, account)
  await page.getByRole('radio', { name: 'Shop service 2 numbers, Twilio chooses' }).check()
  await page.getByRole('button', { name: 'Use this service' }).click()
  await isDone(page, 'Sender')
  assert.match(String(service.inbound_request_url), /\/hooks\/sms\/chn_/)
  account.renew()
  const { keySid, keySecret } = account.addKey()
  await page.getByRole('button', { name: 'Replace' }).click()
  assert.equal(await page.getByLabel('Account SID').count(), 0)
  await page.getByLabel('Auth token').fill('f'.repeat(32))
  await page.getByRole('button', { name: 'Check and save' }).click()
  await page.getByText('Twilio does not take these credentials.').waitFor()
  await page.getByLabel('Auth token').fill(account.authToken)
  await page.getByText('Call with an API key').click()
  await page.getByLabel('API key SID').fill(keySid)
  await page.getByLabel('API key secret').fill(keySecret)
  await assertFine(page)
  await page.getByRole('button', { name: 'Check and save' }).click()
  await page.getByText('Saved. Never shown again.').waitFor()
  const byKey = `Basic ${Buffer.from(`${keySid}:${keySecret}`).toString('base64')}`
  assert.ok(twilio.calls.some(({ operation, authorization }) => operation === 'service' && authorization === byKey))
})

test('without a public address it is said on the card and in the steps, and nothing is asked for', async () => {
  await using opened = await openSmsSite({ isPublic: false })
  const { window, page } = opened
  await window.go('/channels/new')
  await page.getByText('It needs a public address, which this server has not.').waitFor()
  await page.getByRole('link', { name: /^SMS/ }).click()
  await page.getByText('This server has no public address, so Twilio cannot call it.').waitFor()
  assert.equal(await page.getByLabel('Auth token').count(), 0)
  await assertFine(page)
})
