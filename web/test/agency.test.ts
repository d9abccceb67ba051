import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOwnerId } from '../../server/src/business/accounts/store.ts'
import { checkLedger } from '../../server/src/business/credits/check.ts'
import { notifyWorkers } from '../../server/src/platform/notify/notify.ts'
import { charge, makeSubaccount } from '../../server/test/helpers/credits.ts'
import { startReceiver } from '../../server/test/helpers/receivers.ts'
import { signIn } from '../../server/test/helpers/sessions.ts'
import { assertAccessible } from './helpers/axe.ts'
import { openSignedIn, startSite } from './helpers/site.ts'

/** A site whose account is an agency. */
async function startOffice() {
  const site = await startSite({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' })
  const account = await site.app.makeAccount({ kind: 'agency' })
  return { app: site.app, account, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
}

test('an agency makes a sub-account, grants by the keyboard, takes back, sets the recharge, visits and leaves', async () => {
  await using office = await startOffice()
  const { app } = office
  await using window = await openSignedIn(office, { width: 1440, height: 900 })
  const { page } = window
  await window.go('/inbox')
  await page.getByRole('link', { name: 'Agency' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.getByText('No sub-accounts yet.').waitFor()
  assert.equal(await page.getByText('Ledger adds up').count(), 0, 'it was never checked')
  await app.db.insertInto('installation').values({ secretKeyCheck: 'none' }).execute()
  await checkLedger(app.db)
  await page.keyboard.press('c')
  await page.getByLabel('Name of the business').fill('Kettle Lane Cycles')
  await page.getByLabel('E-mail of its owner').fill('ines@kettlelane.example')
  await page.keyboard.press('Enter')
  await page.getByText('ines@kettlelane.example can sign in with this password.').waitFor()
  await page.getByRole('button', { name: 'Copy password' }).click()
  const password = await page.evaluate(() => navigator.clipboard.readText())
  const headers = { 'sec-fetch-site': 'same-origin' }
  const body = { email: 'ines@kettlelane.example', password }
  assert.equal((await app.call('POST', '/api/session', { body, headers })).status, 200)
  await page.getByRole('button', { name: 'New sub-account' }).click()
  const another = page.getByRole('region', { name: 'New sub-account' })
  await another.getByLabel('Name of the business').fill('Old Market Couriers')
  await another.getByLabel('E-mail of its owner').fill('tom@oldmarket.example')
  await page.keyboard.press('Enter')
  await page.getByText('tom@oldmarket.example can sign in with this password.').waitFor()
  await page.getByText('ines@kettlelane.example can sign in with this password.').waitFor() // it is not put away yet
  for (const _ of [1, 2]) await page.getByRole('button', { name: 'Done' }).first().click()
  const keys = await app.db
    .selectFrom('apiKeys as k')
    .innerJoin('accounts as a', 'a.id', 'k.accountId')
    .select('a.id')
    .where('a.kind', '=', 'subaccount')
    .execute()
  assert.deepEqual(keys, [], 'no key is made that nobody has seen')
  await page.getByRole('link', { name: 'Kettle Lane Cycles' }).first().click()
  await page.getByText(/Ledger adds up, checked \d/).waitFor()
  await page.getByRole('button', { name: 'Link for a new password' }).click()
  await page.getByRole('button', { name: 'Copy password link' }).click()
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /\/join#/)
  await page.getByRole('button', { name: 'Close', exact: true }).click()

  await page.getByRole('button', { name: 'Grant credits to Kettle Lane Cycles' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('250.0625')
  await page.getByText('0 → 250.0625').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('250.0625 credits granted to Kettle Lane Cycles, who has 250.0625 now.').waitFor()
  const history = page.getByRole('table', { name: 'History of credits' })
  await history.getByText('+250.0625').waitFor()

  const sub = await app.db
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', 'Kettle Lane Cycles')
    .executeTakeFirstOrThrow()
  await page.getByLabel('Below').fill('250')
  await page.getByLabel('Ask for').fill('500')
  await page.getByRole('switch', { name: /Auto-recharge/ }).click()
  await page.getByText('recharge below 250').waitFor()
  await charge(app.db, sub.id, 1.5)
  await page.reload()
  await history.getByText('−1.5').waitFor()
  assert.ok(!(await history.innerText()).includes('con_'))
  await page.getByText('asked', { exact: true }).waitFor()
  await assertAccessible(page)

  await history.getByRole('button', { name: 'Take back −1.5' }).click()
  await page.getByLabel('Why, stands in their history').fill('the bot was wrong')
  await page.getByRole('button', { name: 'Take back 1.5' }).click()
  await history.getByText('Taken back: the bot was wrong').waitFor()

  await page.getByRole('button', { name: 'Open their app' }).click()
  await page.getByRole('button', { name: 'Leave' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Agency' }).count(), 0)
  await page.getByRole('heading', { name: 'Plug in your first channel' }).waitFor()
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('link', { name: 'Agency' }).waitFor()
  await page.waitForURL(`**/agency?id=${sub.id}`)
})

test('a recharge request is seen on its way to the server of the agency, which is saved and tested in the app', async () => {
  await using receiver = await startReceiver()
  await using office = await startOffice()
  const { app, account } = office
  const { accountId, email } = await makeSubaccount(app.db, account.accountId)
  await using window = await openSignedIn(office, { width: 1280, height: 900 })
  const { page } = window
  await window.go('/agency')
  await page.getByRole('link', { name: 'Recharge webhook' }).click()
  await page.getByText('No address is saved.').waitFor()
  await page.getByLabel('URL').fill(`${receiver.url}/recharge`)
  await page.keyboard.press('Enter')
  await page.getByText('Saved. Nothing was posted to it yet').waitFor()
  await page.getByRole('button', { name: 'Send a test post' }).click()
  await page.getByText('Your server takes what is posted.').waitFor()
  await page
    .getByText(/^Answered in/)
    .first()
    .waitFor()
  const agency = await signIn(app, account)
  const path = `/api/agency/subaccounts/${accountId}`
  await agency.call('POST', `${path}/grants`, { amount: '10', idempotencyKey: 'key-of-a-browser-2' })
  await agency.call('PUT', `${path}/recharge`, { threshold: '10', amount: '50' })
  await charge(app.db, accountId, 0.5)
  await notifyWorkers(app.db, 'delivery')
  await page.reload()
  const row = page.getByRole('row', { name: new RegExp(email) })
  await row.getByText('has 9.5, asks for 50').waitFor()
  await row.getByText('sent', { exact: true }).waitFor({ timeout: 40_000 })
  await row.getByRole('button', { name: email }).click()
  const detail = page.getByRole('region', { name: `Request of ${email}` })
  await detail.getByText('At the first try').waitFor()
  await detail.getByText('subaccount.auto_recharge').waitFor()
  await detail.getByRole('button', { name: 'Send again' }).click()
  await detail.getByText('After 2 tries').waitFor({ timeout: 40_000 })
  assert.equal(await detail.getByText('taken').count(), 2)
  await assertAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
})

test('a sub-account sees its credits and cannot make its answers free, by the app or by the API', async () => {
  await using office = await startOffice()
  const { app, account } = office
  const { accountId, apiKey } = await makeSubaccount(app.db, account.accountId, 'ines@kettlelane.example')
  const own = { ...account, accountId, userId: await findOwnerId(app.db, accountId) }
  const agency = await signIn(app, account)
  const order = { amount: '12.5', idempotencyKey: 'key-of-a-browser-1', description: 'Top-up November' }
  await agency.call('POST', `/api/agency/subaccounts/${accountId}/grants`, order)
  await using window = await openSignedIn({ ...office, account: own }, { width: 360, height: 740 })
  const { page } = window
  await window.go('/settings/credits')
  await page.getByText('Top-up November').waitFor()
  await page.getByText('owner2@example.com sets this.').waitFor()
  assert.equal(await page.getByRole('button', { name: /Take back|Grant/ }).count(), 0)
  await assertAccessible(page)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)

  const browser = await signIn(app, own)
  const { body } = await browser.call('GET', '/api/campaigns')
  const path = `/api/campaigns/${body.campaigns[0].id}`
  const { version } = (await browser.call('GET', path)).body
  assert.equal((await browser.call('PATCH', path, { version, settings: { creditsPerReply: 0 } })).status, 403)
  assert.equal((await browser.call('POST', `/api/agency/subaccounts/${accountId}/grants`, order)).status, 403)
  const granted = await app.call('POST', '/subaccounts/credits', {
    headers: { 'x-api-key': apiKey },
    body: { email: 'ines@kettlelane.example', amount: 1000 },
  })
  assert.ok([400, 403].includes(granted.status), String(granted.status))
  assert.equal((await browser.call('GET', '/api/credits')).body.balance, 12.5)
})

test('on a phone an agency reaches its sub-accounts by the menu, and nothing scrolls sideways', async () => {
  await using office = await startOffice()
  const { app, account } = office
  const { email } = await makeSubaccount(app.db, account.accountId, 'a-rather-long-name-of-somebody@kettlelane.example')
  const agency = await signIn(app, account)
  for (const [name, amount] of [
    ['zoe', '5'],
    ['mia', '10'],
  ]) {
    const { accountId } = await makeSubaccount(app.db, account.accountId, `${name}@kettlelane.example`)
    const grant = { amount, idempotencyKey: `key-of-a-browser-${name}` }
    await agency.call('POST', `/api/agency/subaccounts/${accountId}/grants`, grant)
  }
  await using window = await openSignedIn(office, { width: 360, height: 740 })
  const { page } = window
  await window.go('/contacts')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Agency' }).click()
  await page.getByRole('link', { name: email }).waitFor()
  const names = page.getByRole('table').locator('tbody th')
  const areInOrder = async (...emails: string[]) => {
    for (const [n, hasText] of emails.entries()) await names.nth(n).filter({ hasText }).waitFor()
  }
  const sortBy = (column: string) => page.getByRole('button', { name: column, exact: true }).click()
  await sortBy('Sub-account')
  await page.locator('th[aria-sort="ascending"]', { hasText: 'Sub-account' }).waitFor()
  await areInOrder(email, 'mia@', 'zoe@')
  await sortBy('Balance')
  await page.locator('th[aria-sort="ascending"]', { hasText: 'Balance' }).waitFor()
  await areInOrder(email, 'zoe@', 'mia@')
  await sortBy('Balance')
  await areInOrder('mia@', 'zoe@', email) // the newest first
  await page.getByRole('link', { name: email }).click()
  await page.getByText('No movements yet.').waitFor()
  await page.getByRole('button', { name: `Grant credits to ${email}` }).click()
  await page.getByRole('button', { name: /^Grant …/ }).click()
  await page.getByText('Above 0, with at most 4 decimals').waitFor()
  await assertAccessible(page)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
})

test('the sub-account that is shown stays while others take its place in the order', async () => {
  await using office = await startOffice()
  const { app, account } = office
  const ana = await makeSubaccount(app.db, account.accountId, 'ana@kettlelane.example')
  const ben = await makeSubaccount(app.db, account.accountId, 'ben@kettlelane.example')
  const agency = await signIn(app, account)
  const grant = ({ accountId }: { accountId: string }, amount: string) =>
    agency.call('POST', `/api/agency/subaccounts/${accountId}/grants`, {
      amount,
      idempotencyKey: `key-of-a-browser-${amount}`,
    })
  await grant(ana, '10')
  await grant(ben, '5')
  await using window = await openSignedIn(office, { width: 1440, height: 900 })
  const { page } = window
  await window.go('/agency')
  const names = page.getByRole('table').first().locator('tbody th')
  await page.getByRole('button', { name: 'Balance', exact: true }).click()
  await page.locator('th[aria-sort="ascending"]', { hasText: 'Balance' }).waitFor()
  await names.first().filter({ hasText: ben.email }).waitFor()
  const shown = page.getByRole('complementary', { name: ben.email })
  await shown.getByLabel('Below').fill('77')
  await grant(ben, '20')
  await names.first().filter({ hasText: ana.email }).waitFor()
  assert.equal(await shown.getByLabel('Below').inputValue(), '77')
})
