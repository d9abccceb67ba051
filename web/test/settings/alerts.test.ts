import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { beginToWait, setWaiting } from '../../../server/test/helpers/alerts.ts'
import { holdTurnsBack } from '../../../server/test/helpers/bots.ts'
import { saveUrl } from '../../../server/test/helpers/deliveries.ts'
import { startReceiver } from '../../../server/test/helpers/receivers.ts'
import { addMember } from '../../../server/test/helpers/sessions.ts'
import { assertAccessible } from '../helpers/axe.ts'
import { openSignedIn, openSignedInCold, startSite, type Window as TestWindow } from '../helpers/site.ts'

type Recorded = { title: string; tag: string; click: () => void }
declare global {
  interface Window {
    recorded: Recorded[]
  }
}

/**
 * Records what is constructed; the real notification is still made. A headless shell can show none, and says that they are
 * denied, whatever was granted.
 */
function record(): void {
  const Real = window.Notification
  window.recorded = []
  class Recording extends Real {
    static override readonly permission = 'granted'
    constructor(title: string, options: NotificationOptions = {}) {
      super(title, options)
      window.recorded.push({ title, tag: options.tag ?? '', click: () => this.onclick?.(new Event('click')) })
    }
  }
  window.Notification = Recording
}

const titlesOf = (page: Page) => page.evaluate(() => window.recorded.map(({ title }) => title))
const untilSaid = (page: Page, title: string) =>
  page.waitForFunction((wanted) => window.recorded.some((one) => one.title === wanted), title)

/** A browser that allows notifications and has them on. */
async function openNotified(site: Parameters<typeof openSignedIn>[0]): Promise<TestWindow> {
  const shown = await openSignedInCold(site)
  await shown.context.grantPermissions(['notifications', 'clipboard-read', 'clipboard-write'])
  await shown.context.addInitScript(record)
  await shown.context.addInitScript(() => {
    if (location.protocol === 'https:') localStorage.setItem('patchbay notices', 'on') // a new tab is of no address yet
  })
  return shown
}

test('a browser notifies once of a conversation that begins to wait, in one tab, and a click opens it', async () => {
  await using site = await startSite()
  const { app, account } = site
  await holdTurnsBack(app)
  await using shown = await openNotified(site)
  const { page, context } = shown
  const known = page.waitForResponse((response) => response.url().endsWith('/api/alerts/state'))
  await shown.go('/contacts')
  await known
  const second = await context.newPage()
  await second.goto('/settings/appearance')
  await second.getByRole('heading', { name: 'Appearance' }).first().waitFor()
  const ana = await beginToWait(app, account, 'ana', { firstName: 'Ana', lastName: 'Silva' })
  await untilSaid(page, 'Ana Silva waits for a person')
  await page.waitForFunction(() => document.title === '(1) Contacts · Patchbay')
  await second.waitForFunction(() => document.title === '(1) Appearance · Patchbay')
  assert.deepEqual(await titlesOf(second), [])

  await page.evaluate(() => window.recorded[0]?.click())
  await page.waitForURL((url) => url.pathname === `/inbox/${ana}`)

  // What it was notified of is known to the next leading tab, and after a reload.
  await page.close()
  const reloaded = second.waitForResponse((response) => response.url().endsWith('/api/alerts/state'))
  await second.reload()
  await reloaded
  await beginToWait(app, account, 'ben', { firstName: 'Ben' })
  await untilSaid(second, 'Ben waits for a person')
  assert.deepEqual(await titlesOf(second), ['Ben waits for a person'])

  // Nothing is said of the conversation that somebody looks at.
  const cem = await beginToWait(app, account, 'cem', { firstName: 'Cem' })
  await untilSaid(second, 'Cem waits for a person')
  await setWaiting(app, { accountId: account.accountId, contactId: cem }, false)
  await second.goto(`/inbox/${cem}`)
  await second.getByText('Is anybody there?').first().waitFor()
  await second.bringToFront()
  await setWaiting(app, { accountId: account.accountId, contactId: cem }, true)
  await beginToWait(app, account, 'dora', { firstName: 'Dora' })
  await untilSaid(second, 'Dora waits for a person')
  assert.deepEqual(await titlesOf(second), ['Dora waits for a person'])

  // What is quiet is not said; what is wrong is.
  await second.evaluate(() => localStorage.setItem('patchbay quiet notices', 'waiting'))
  await saveUrl(app, account, 'http://127.0.0.1:9/replies')
  const failingSince = new Date(Date.now() - 11 * 60_000)
  await app.db.updateTable('receivers').set({ failingSince, failuresInRow: 3 }).execute()
  await beginToWait(app, account, 'eve', { firstName: 'Eve' })
  await untilSaid(second, 'Your receiver has been failing for ten minutes')
  assert.deepEqual(await titlesOf(second), [
    'Dora waits for a person',
    'Your receiver has been failing for ten minutes',
  ])

  await app.db.updateTable('conversations').set({ waitingSince: null, waitingReason: null }).execute()
  await second.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await second.waitForFunction(() => !document.title.startsWith('('))
})

test('a browser is asked by the button alone; what it notifies of can be chosen; a blocked one is told what to do', async () => {
  await using site = await startSite()
  await using shown = await openSignedInCold(site)
  const { page, context } = shown
  await context.addInitScript(record)
  await context.addInitScript(() => {
    let answer: NotificationPermission = 'default'
    Object.defineProperty(window.Notification, 'permission', { get: () => answer })
    window.Notification.requestPermission = async () => {
      answer = sessionStorage.getItem('answer') as NotificationPermission
      return answer
    }
  })
  await shown.go('/settings/alerts')
  await page.getByText('This browser has not been asked yet.').waitFor()
  await page.evaluate(() => sessionStorage.setItem('answer', 'denied'))
  await page.getByRole('button', { name: 'Allow notifications' }).click()
  await page.getByText('The browser blocks notifications of this address.').waitFor()
  await page.reload()
  await page.evaluate(() => sessionStorage.setItem('answer', 'granted'))
  await page.getByRole('button', { name: 'Allow notifications' }).click()
  const on = page.getByRole('switch', { name: 'Notify me in this browser' })
  await on.waitFor()
  assert.equal(await on.getAttribute('aria-checked'), 'true')
  assert.deepEqual(await titlesOf(page), ['Notifications are on.'])
  const waiting = page
    .getByRole('group', { name: 'What to be notified of' })
    .getByRole('switch', { name: 'A conversation waits for a person' })
  await waiting.focus()
  await page.keyboard.press('Space')
  assert.equal(await waiting.getAttribute('aria-checked'), 'false')
  assert.equal(await page.evaluate(() => localStorage.getItem('patchbay quiet notices')), 'waiting')
})

test('an owner saves the alert address, tests it, chooses what is sent, sees what came of it and sends it again', async () => {
  let status = 500
  await using receiver = await startReceiver((_, response) => response.writeHead(status).end('no thanks'))
  await using site = await startSite({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1', DELIVERY_RETRY_SECONDS: '3600' })
  const { app, account } = site
  await holdTurnsBack(app)
  await using shown = await openSignedIn(site)
  const { page } = shown
  await shown.go('/settings/account')
  await page.getByRole('link', { name: 'Alerts' }).click()
  await page.getByText('No alert address is saved.').waitFor()
  await page.getByText('No alerts.', { exact: true }).waitFor()
  await assertAccessible(page)
  await page.getByLabel('URL').fill(`${receiver.url}/hooks`)
  await page.keyboard.press('Enter')
  await page.getByText('Saved. Nothing was posted to it yet').waitFor()
  await page.getByRole('button', { name: 'Send a test post' }).click()
  await page.getByText('It was not taken.').waitFor()
  await page.getByText('The alert address did not take the last test post.').waitFor()
  await page.getByRole('switch', { name: 'Name contacts' }).click()
  await page.waitForFunction(() => document.querySelectorAll('[aria-checked=true]').length >= 4)
  await beginToWait(app, account, 'ana', { firstName: '@everyone <b>Ana</b>' })
  await page.getByRole('button', { name: 'everyone b Ana b waits for a person.' }).waitFor()
  await page.getByText('The alert address is failing.').waitFor()
  status = 200
  await page.getByRole('button', { name: 'everyone b Ana b waits for a person.' }).click()
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Delivered.').waitFor()
  await assertAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  const widest = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.ok(widest <= 360, `${widest}`)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('button', { name: 'Keep it' }).waitFor()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('No alert address is saved.').waitFor()

  const userId = await addMember(app, account.accountId, 'mia@example.com')
  await using member = await openSignedIn({ ...site, account: { ...account, userId } })
  await member.go('/settings/alerts')
  await member.page.getByText('Only an owner of the account can see and change the alert address.').waitFor()
  const settings = app.db.selectFrom('alertSettings').select('namesContacts')
  assert.deepEqual(await settings.execute(), [{ namesContacts: true }])
})
