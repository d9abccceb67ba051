import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../server/src/platform/ids.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { openSignedIn, type Site, startSite } from '../helpers/site.ts'

/** A channel over which nothing has come yet. */
async function addChannel({ app, account }: Site, name: string, isRemoved = false): Promise<string> {
  const id = newId('chn')
  const found = isRemoved
    ? { state: 'removed', credentials: null, removedAt: new Date() }
    : { state: 'working', credentials: 'sealed' }
  const own = { accountId: account.accountId, id, kind: 'telegram', providerKey: id, name, address: '@shop_bot' }
  await app.db
    .insertInto('channels')
    .values({ ...own, ...found, settings: '{}' })
    .execute()
  return id
}

const settingsOf = async ({ app }: Site) => {
  const { settings } = await app.db.selectFrom('campaigns').select('settings').executeTakeFirstOrThrow()
  return settings as { channels?: string[]; introduction?: string | null }
}

test('a campaign answers on a built-in channel that is chosen by its name, and says what it is there', async () => {
  await using site = await startSite()
  const id = await addChannel(site, 'Bay Bicycles')
  await addChannel(site, 'The one before', true)
  await using window = await openSignedIn(site, { width: 360 })
  const { page } = window
  const save = async () => {
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page
      .getByText(/^Saved/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'hidden' })
  }
  const look = async () => {
    await assertAccessible(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, page.url())
  }
  await window.go('/campaigns')
  await page.getByRole('link', { name: 'Default' }).click()
  await page.waitForURL(/campaigns\/cmp_/)
  const address = new URL(page.url()).pathname
  await window.go(`${address}?tab=settings`)
  const channels = page.getByRole('group', { name: 'Channels' })
  await channels.getByLabel('Bay Bicycles').waitFor()
  assert.equal(await channels.getByLabel('The one before').count(), 0)
  await channels.getByLabel('All channels').uncheck()
  assert.ok(await channels.getByLabel('Bay Bicycles').isChecked())
  await save()
  assert.deepEqual((await settingsOf(site)).channels, [id])

  await window.go(`${address}?tab=texts`)
  const sentence = page.getByLabel('What it says it is')
  assert.equal(await sentence.inputValue(), 'I am the automatic assistant of {{businessName}}.')
  const warning = page.getByText('Nobody is told that a bot answers.')
  assert.equal(await warning.count(), 0)
  await sentence.fill('')
  await warning.waitFor()
  await look()
  await save()
  assert.equal((await settingsOf(site)).introduction, null)
  await page.reload()
  await warning.waitFor()
})
