import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCampaign } from '../../../server/test/helpers/bots.ts'
import { startModelServer } from '../../../server/test/helpers/model-server.ts'
import { addMember } from '../../../server/test/helpers/sessions.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { openSignedIn, startSite } from '../helpers/site.ts'

test('a connection is made, refused with the setting that allows it, tried for real, and deleted when nothing uses it', async () => {
  await using model = await startModelServer(() => 'OK')
  await using site = await startSite({ OUTBOUND_ALLOWED_NETWORKS: `127.0.0.1/32:${model.port}` })
  await using owner = await openSignedIn(site)
  const { page } = owner
  await owner.go('/settings/ai')
  await page.getByText('No connection yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'New connection' }).press('Enter')
  await page.keyboard.type('Local model')
  await page.getByRole('button', { name: 'Save connection' }).press('Enter')
  await page.getByText('Give the address of the server.').waitFor()
  await page.getByLabel('Base URL').fill('http://10.1.4.20:11434/v1')
  await page.getByLabel('Model', { exact: true }).fill('llama3.1:8b')
  await page.getByLabel('Key').fill('sk-canary')
  await page.getByLabel('Prompt, in tokens').fill('99')
  await page.getByRole('button', { name: 'Save connection' }).click()
  await page.getByText('Give a number from 1,500 to 64,000.').waitFor()
  await page.getByLabel('Prompt, in tokens').fill('')
  await page.getByRole('button', { name: 'Save connection' }).click()
  await page.getByText('10.1.4.20 is a private address, so it was not called.').waitFor()
  await page.getByText('OUTBOUND_ALLOWED_NETWORKS=10.1.4.0/24:11434').waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  await assertAccessible(page)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
  await page.setViewportSize({ width: 1280, height: 800 })
  owner.problems.splice(0) // the refused requests

  await page.getByLabel('Base URL').fill(`http://127.0.0.1:${model.port}/v1`)
  await page.getByLabel('Base URL').press('Enter')
  const card = page.getByRole('form', { name: 'Local model' })
  await card.getByText('used by no campaign').waitFor()
  await card.getByRole('button', { name: 'Try it' }).click()
  await card.getByText(/llama3.1:8b answered\. \d+ ms/).waitFor()
  assert.deepEqual(
    model.asked.map(({ key, model: name }) => [key, name]),
    [['sk-canary', 'llama3.1:8b']],
  )
  assert.equal(await card.getByLabel('Key').inputValue(), '')
  assert.equal(await card.getByLabel('Prompt, in tokens').inputValue(), '3000')
  await card.getByLabel('Prompt, in tokens').fill('8000')
  await card.getByRole('button', { name: 'Save' }).click()
  await card.getByRole('button', { name: 'Try it' }).waitFor()
  assert.equal(await card.getByLabel('Prompt, in tokens').inputValue(), '8000')
  await assertAccessible(page)

  const { campaignId } = await makeCampaign(site.app, site.account, { name: 'Sales' })
  const status = await page.evaluate(async (id) => {
    const { connections } = await (await fetch('/api/connections')).json()
    const body = JSON.stringify({ version: 1, connectionId: connections[0].id })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`/api/campaigns/${id}`, { method: 'PATCH', headers, body })).status
  }, campaignId)
  assert.equal(status, 200)
  await card.getByText('used by Sales').waitFor()
  await card.getByRole('button', { name: 'Delete' }).click()
  await card.getByText('It is used by Sales; choose another connection there first.').waitFor()
  owner.problems.splice(0) // the refused request

  const userId = await addMember(site.app, site.account.accountId, 'mia@example.com')
  await using member = await openSignedIn({ ...site, account: { ...site.account, userId } })
  await member.go('/settings/ai')
  await member.page.getByText('used by Sales').waitFor()
  await member.page.getByText('Only owners make and change connections.').waitFor()
  assert.equal(await member.page.getByRole('button', { name: /Try it|Delete|New connection/ }).count(), 0)
  await site.app.db.updateTable('campaigns').set({ connectionId: null }).where('id', '=', campaignId).execute()
  await page.reload()
  await card.getByRole('button', { name: 'Delete' }).click()
  await card.getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('No connection yet').waitFor()
})
