import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../server/test/helpers/harness.ts'
import { assertAccessible } from './helpers/axe.ts'
import { openSignedIn, openSignedInCold, type Site, startSite } from './helpers/site.ts'

const write = ({ account }: Site, sid: string, body: string, firstName = 'Omar') =>
  account.post('/incoming_custom_channel_message', {
    customData: { messageSid: sid, fromId: `from-${firstName}`, toId: 'shop', body, channel: 'Web chat', firstName },
  })

/** Less than the minute after which a page asks without being told: what appears within it came by the stream. */
const byStream = { timeout: 40_000 }

test('a message that is posted to the API appears in an open inbox by itself', async (t) => {
  await using site = await startSite({ ROLE: 'api' })
  await using window = await openSignedIn(site)
  await window.go('/inbox')
  await window.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  await write(site, 'one', 'Is anybody there?')
  await window.page.getByRole('link', { name: /Omar.*Is anybody there\?/ }).waitFor(byStream)
  await window.page.getByRole('link', { name: /Omar/ }).click()
  await window.page.getByRole('log').getByText('Is anybody there?').waitFor()
  for (const sid of ['two', 'three', 'four']) {
    const startedAt = performance.now()
    await write(site, sid, `Message ${sid}`)
    await window.page.getByRole('log').getByText(`Message ${sid}`).waitFor(byStream)
    t.diagnostic(`in the thread after ${Math.round(performance.now() - startedAt)} ms`)
  }
})

test('after the connection was cut and messages arrived meanwhile, each is shown once', async () => {
  await using site = await startSite({ ROLE: 'api' })
  await write(site, 'one', 'The first one')
  await using window = await openSignedIn(site)
  await window.go('/inbox')
  await window.page.getByRole('link', { name: /Omar/ }).click()
  const thread = window.page.getByRole('log')
  await thread.getByText('The first one').waitFor()
  await window.context.setOffline(true)
  site.app.server.closeAllConnections()
  await write(site, 'two', 'The second one').catch(() => write(site, 'two', 'The second one')) // its own connection was cut too
  await window.page.getByText(/No connection since/).waitFor()
  await window.context.setOffline(false)
  await thread.getByText('The second one').waitFor()
  assert.equal(await thread.getByText('The second one').count(), 1)
  assert.equal(await thread.getByText('The first one').count(), 1)
})

test('after the data was restored from a copy, an open page shows what is there now, and keeps its draft', async () => {
  await using site = await startSite({ ROLE: 'api' })
  await write(site, 'one', 'In the copy')
  await write(site, 'two', 'After the copy')
  await using window = await openSignedIn(site)
  await window.go('/inbox')
  await window.page.getByRole('link', { name: /Omar/ }).click()
  const thread = window.page.getByRole('log')
  await thread.getByText('After the copy').waitFor()
  await window.page.getByRole('textbox', { name: /^Message to/ }).fill('A draft')
  const { keys } = site.app.pools
  await keys.query(`delete from messages where body = 'After the copy'`)
  await keys.query(`insert into installation (secret_key_check) values ('of the copy')`) // its row names the installation
  await keys.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'patchbay listen' and datname = current_database()`,
  )
  await thread.getByText('After the copy').waitFor({ state: 'detached', ...byStream })
  await thread.getByText('In the copy').waitFor()
  assert.equal(await window.page.getByRole('textbox', { name: /^Message to/ }).inputValue(), 'A draft')
})

test('two browsers on two servers see what the other one answers', async () => {
  await using site = await startSite({ ROLE: 'api' })
  await using second = await startApp({ ROLE: 'api', SERVE_APP: '1' }, site.app.database)
  await write(site, 'one', 'Who answers?')
  await using one = await openSignedIn(site)
  await using other = await openSignedIn({ ...site, app: { ...second, makeAccount: site.app.makeAccount } })
  for (const window of [one, other]) {
    await window.go('/inbox')
    await window.page.getByRole('link', { name: /Omar/ }).click()
    await window.page.getByRole('log').getByText('Who answers?').waitFor()
  }
  const pairs = [
    { from: one, to: other, text: 'I do.' },
    { from: other, to: one, text: 'So do I.' },
  ]
  for (const { from, to, text } of pairs) {
    await from.page.getByRole('textbox', { name: /^Message to/ }).fill(text)
    await from.page.keyboard.press('Enter')
    await to.page.getByRole('log').getByText(text).waitFor(byStream)
  }
  for (const { page } of [one, other]) {
    assert.deepEqual(await page.locator('.bubble-text').allInnerTexts(), ['Who answers?', 'I do.', 'So do I.'])
  }
})

test('eight tabs of one browser all show a new message', async () => {
  await using site = await startSite({ ROLE: 'api' })
  await using window = await openSignedInCold(site)
  let streams = 0
  window.context.on('request', (request) => {
    if (request.url().includes('/api/live')) streams += 1
  })
  const tabs = [window.page]
  for (let n = 1; n < 8; n += 1) tabs.push(await window.context.newPage())
  for (const tab of tabs) {
    await tab.goto('/inbox')
    await tab.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  }
  await write(site, 'one', 'For all of you')
  for (const tab of tabs) await tab.getByText('For all of you').first().waitFor(byStream)
  assert.equal(streams, 1)
  await window.page.close() // it had the stream: another tab goes on with one of its own
  await write(site, 'two', 'For those who stay')
  for (const tab of tabs.slice(1)) await tab.getByText('For those who stay').first().waitFor(byStream)
  assert.equal(streams, 2)
})

test('the palette finds a person by name and opens their conversation, by keyboard alone, and axe finds nothing in it', async () => {
  await using site = await startSite({ ROLE: 'api' })
  await write(site, 'one', 'Hello there', 'Marta')
  await using window = await openSignedIn(site)
  await window.go('/contacts')
  await window.page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
  await window.page.keyboard.press('Control+k')
  await window.page.getByRole('combobox').waitFor()
  const hint = window.page.getByText('Type three letters of a word to search messages.')
  assert.equal(await hint.count(), 0)
  await window.page.keyboard.type('ma')
  await hint.waitFor()
  await window.page.getByRole('option', { name: /Marta/ }).first().waitFor()
  await assertAccessible(window.page)
  await window.page.keyboard.type('rta')
  await hint.waitFor({ state: 'detached' })
  await window.page.getByRole('option', { name: /Marta/ }).first().waitFor()
  await assertAccessible(window.page)
  await window.page.keyboard.press('Enter')
  await window.page.waitForURL('**/inbox/con_*')
})
