import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openSignedIn, type Site } from '../helpers/site.ts'
import { assertHarmless, assertShown, listen, readHarm } from './inspect.ts'
import { type PayloadName, payloadNames, payloads } from './payloads.ts'
import { openWorld, type World } from './world.ts'

let world: World
before(async () => {
  world = await openWorld()
})

const asMember = ({ site, memberId }: World): Site => ({ ...site, account: { ...site.account, userId: memberId } })

test('whatever somebody writes, their thread, contact, list and delivery show it as text, and nothing of it runs', async () => {
  await using window = await openSignedIn(asMember(world), { width: 1280 })
  await listen(window.page)
  const { page } = window
  const harm: string[] = []
  for (const name of payloadNames) {
    const payload = payloads[name]
    const { contactId, listId, replyId } = world.made[name]
    await page.setViewportSize({ width: 1280, height: 800 }) // the thread is read beside its contact
    const screens = {
      thread: `/inbox/${contactId}`,
      contact: `/contacts/${contactId}`,
      list: `/lists/${listId}`,
      delivery: `/settings/webhook#${replyId}`,
    }
    for (const [screen, path] of Object.entries(screens)) {
      await go(path)
      await assertShown(page, payload, `${screen}, ${name}`)
      if (screen === 'thread') await openThread(name)
      harm.push(...(await readHarm(page, `${screen}, ${name}`)))
    }
  }
  assert.deepEqual(harm, [])

  /** Loads the app once, and goes on within it: dozens of screens are shown. */
  async function go(path: string): Promise<void> {
    if (page.url() === 'about:blank') return window.go(path)
    await page.evaluate((to) => {
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    }, path)
  }

  /** All that the thread shows of them, with who wrote the reply, the delivery error under it, the contact, and the title. */
  async function openThread(name: PayloadName): Promise<void> {
    await page.locator('.bubble.person .receipt').getByText(payloads.attributes.slice(0, 12)).first().waitFor()
    // Later ones wait until the receiver is well again.
    if (name === payloadNames[0]) await page.getByText('Your server answered 503.').first().waitFor()
    if (name === payloadNames[0]) await page.keyboard.press(']') // it stays open
    await page.getByRole('complementary', { name: 'Contact' }).getByText('Who answers').waitFor()
  }
})

test('a message as large as one may be is folded, opened whole, and harmless', async () => {
  await using window = await openSignedIn(world.site, { width: 1280 })
  await listen(window.page)
  const { page } = window
  await window.go(`/inbox/${world.longest}`)
  await page.getByRole('button', { name: 'Show all (66 KB)' }).click()
  const shown = await page.locator('.bubble-text').first().textContent()
  assert.equal(Buffer.byteLength(shown ?? ''), 65_536)
  await assertHarmless(page, 'the longest message')
})

test('of all links that strangers write, only honest ones can be opened, and they get neither opener nor referrer', async () => {
  await using window = await openSignedIn(world.site, { width: 1280 })
  await listen(window.page)
  const { page } = window
  for (const name of ['links', 'lookalikes', 'markdown'] as const) {
    await window.go(`/inbox/${world.made[name].contactId}`)
    await assertShown(page, payloads[name], name)
    await page.locator('.bubble-box').first().waitFor() // the list shows it before the thread does
    const links = page.locator('.bubble-box a')
    const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    // As text it is an honest address; the picture behind it is never loaded.
    const honest = name === 'markdown' ? 'https://evil.example/i.png' : undefined
    assert.deepEqual([...new Set(hrefs)], honest === undefined ? [] : [honest])
  }
})

test('what the bot was taught and says is text too, also in why it said it', async () => {
  await using window = await openSignedIn(world.site, { width: 1280 })
  await listen(window.page)
  const { page } = window
  await window.go(`/inbox/${world.answered}`)
  await assertShown(page, `${payloads.markdown} ${payloads.links}`, 'the answer')
  await page.getByRole('button', { name: 'Why this answer' }).click()
  const why = page.getByRole('dialog', { name: 'Why this answer' })
  await why.getByText(payloads.elements).waitFor()
  await why.getByText(payloads.frames).waitFor()
  await assertHarmless(page, 'why this answer')
})
