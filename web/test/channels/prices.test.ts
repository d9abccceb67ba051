import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PricedWorld, startPricedChannel } from '../../../server/test/helpers/providers/priced-channel.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { assertFine } from '../helpers/axe.ts'
import { openSignedIn, type Site } from '../helpers/site.ts'

/** The app as one of the two sees it. `look`: keeps a picture, where somebody wants to look at them. */
async function openAs({ app, agency, sub }: PricedWorld, who: 'agency' | 'sub') {
  const account = who === 'agency' ? agency : { ...agency, ...sub }
  const site: Site = { app, account, [Symbol.asyncDispose]: async () => {} }
  const window = await openSignedIn(site, { width: 1440, height: 900 })
  const { page } = window
  const look = async (name: string) => {
    const folder = process.env.LOOK_AT
    if (!folder) return
    for (const [colorScheme, width] of [
      ['light', 1440],
      ['dark', 1440],
      ['light', 360],
      ['dark', 360],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true })
    }
    await page.emulateMedia({ colorScheme: null })
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  return { ...window, look, [Symbol.asyncDispose]: () => window[Symbol.asyncDispose]() }
}

const environment = { SERVE_APP: '1' }

test('an agency sets what a message over a channel costs, beside what an answer costs; what is no price is said at its field', async () => {
  await using world = await startPricedChannel({ price: 0, environment })
  await using window = await openAs(world, 'agency')
  const { page, look } = window
  await window.go(`/agency?id=${world.sub.accountId}`)
  const field = page.getByLabel(`Credits a message over Telegram · ${world.channel.name}`)
  const line = page.locator('form').filter({ has: field })
  assert.equal(await field.inputValue(), '0')
  await field.fill('0.00001')
  await line.getByRole('button', { name: 'Save' }).click()
  await line.getByText('From 0 to 1,000, with at most 4 decimals.').waitFor()
  await field.fill('0.25')
  await assertFine(page)
  await line.getByRole('button', { name: 'Save' }).click()
  const priceOf = async () =>
    (await world.owner.call('GET', `/api/channels/${world.channel.id}`)).body.creditsPerMessage
  await until(async () => (await priceOf()) === 0.25, 'it was not saved')
  await page.reload()
  assert.equal(await field.inputValue(), '0.25')
  await look('agency')
})

test('a sub-account sees what a channel costs, what was used in words, and credits by channel; nothing of it can be changed there', async () => {
  await using world = await startPricedChannel({ price: 0.25, environment })
  await world.grant(1)
  const [contactId = ''] = await world.meet([world.bot.addPerson({ first_name: 'Ana' })])
  assert.equal((await world.type(contactId, 'We open at nine')).status, 200)
  const words = `Telegram · ${world.channel.name}`
  await using window = await openAs(world, 'sub')
  const { page, look } = window
  await window.go(`/channels/${world.channel.id}`)
  const price = page.getByRole('region', { name: 'What it costs' })
  await price.getByText('0.25 credits').waitFor()
  assert.equal(await price.getByRole('button').or(price.getByRole('textbox')).count(), 0)
  await assertFine(page)
  await look('channel')

  await window.go('/settings/credits')
  await page.getByText(`A message over ${words}`, { exact: true }).waitFor()
  const history = page.getByRole('table', { name: 'History of credits' })
  const row = history.getByRole('row', { name: new RegExp(`Message over ${words} to Ana`) })
  await row.getByText('−0.25').waitFor()
  await assertFine(page)
  await look('credits')
  await world.setPrice(0.5)
  await page.getByText('0.5', { exact: true }).waitFor() // told by the server, without a reload

  await until(async () => {
    const { total } = (await world.owner.call('GET', '/api/reports?range=7')).body
    return total.credits === 0.25
  }, 'it was never counted')
  await window.go('/reports')
  const byChannel = page.getByRole('table', { name: 'By channel' })
  await byChannel
    .getByRole('row', { name: new RegExp(world.channel.name) })
    .getByText('0.25')
    .waitFor()
  await page.getByRole('button', { name: 'All channels' }).click()
  await page.getByRole('menuitem', { name: words }).click()
  await page.waitForURL(/channel=chn_/)
  await assertFine(page)
  await look('reports')
})

test('a reply that the credits do not cover is not sent, is still there to be tried again, and says why and who has more', async () => {
  await using world = await startPricedChannel({ price: 2, environment })
  const [contactId = ''] = await world.meet([world.bot.addPerson({ first_name: 'Ana' })])
  await using window = await openAs(world, 'sub')
  const { page, look } = window
  await window.go(`/inbox/${contactId}`)
  const box = page.getByRole('textbox', { name: /reply|Message|Write/i }).last()
  await box.fill('Too dear')
  await box.press('Control+Enter')
  await page.getByText('There are not enough credits: a message costs 2. Ask your agency for more.').first().waitFor()
  await look('refused')
  const made = await world.app.db.selectFrom('messages').select('id').where('direction', '=', 'outgoing').execute()
  assert.deepEqual(made, [])
})
