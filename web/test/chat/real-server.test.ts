import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserAddress } from '../../../server/src/app/website-chat/who/bearer.ts'
import type { ContactId } from '../../../server/src/platform/ids.ts'
import { untilAnswered } from '../../../server/test/helpers/bots.ts'
import { png } from '../../../server/test/helpers/media-files.ts'
import { openWriting } from '../../../server/test/helpers/strangers.ts'
import { teachHours } from '../../../server/test/helpers/two-answers.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { openChat, type RealChat, startRealChat, stored } from './helpers/real-chat.ts'
import { visit } from './helpers/shop.ts'

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

/** Until it is there: what is shown may be of the message before. */
async function writeTo({ written }: RealChat, page: Page, text: string): Promise<void> {
  await write(page, text)
  await until(async () => (await written()).includes(text), `not sent: ${text}`)
}

const log = (page: Page) => page.getByRole('log')
const shown = (page: Page, text: string) => log(page).getByText(text, { exact: true })
const sent = (page: Page) => page.getByText(/\d:\d\d\s*Sent$/).last()

test('a visitor writes, taps what the bot offers, is told elsewhere that a person has answered, and is shown as having read it', async () => {
  await using chat = await startRealChat()
  const { app, site, channelId, messages, written } = chat
  await teachHours(app, chat.shop)
  await using window = await visit()
  const { page, requests } = window
  await page.goto(`${site.url}/?secret=1#there`)
  await openChat(page)
  await page.getByText('Hello </script><b>.').waitFor()
  await write(page, 'opening hours')
  await sent(page).waitFor()
  await untilAnswered(app)
  const offer = page.getByRole('button', { name: 'What are your opening hours at the weekend?' })
  await offer.click()
  await until(async () => (await written()).length === 2, 'the tap is not sent')
  await untilAnswered(app)
  await shown(page, 'From 10 to 4.').waitFor()
  assert.equal(await offer.count(), 0)
  const [{ content }] = (await app.db.selectFrom('deliveryParts').select('content').execute()) as [
    { content: { choices: { id: string; title: string }[] } },
  ]
  const details = await app.db.selectFrom('messageDetails').select('data').orderBy('messageId').execute()
  const choice = content.choices.find(({ title }) => title.includes('weekend'))?.id
  const where = { page: `${site.url}/`, language: 'en' }
  assert.deepEqual(
    details.map(({ data }) => data),
    [where, { ...where, choice }],
  )

  const contactId = (await messages())[0]?.contactId as ContactId
  const marked = async (at: 'deliveredAt' | 'readAt') =>
    (await app.db.selectFrom('deliveries').select(at).execute()).filter((row) => row[at] !== null).length
  await until(async () => (await marked('readAt')) === 2, 'what the bot has said is not read')
  await page.getByRole('button', { name: 'Close the chat' }).first().click()
  await chat.reply(contactId, 'Ben here. See https://shop.test/hours')
  await chat.reply(contactId, 'Are you there?')
  const asked = () => requests.filter((request) => /^GET .*messages/.test(request)).length
  await page.goto(`${site.url}/other`)
  await page.getByRole('button', { name: 'Open the chat, 2 new messages' }).waitFor()
  await until(async () => (await marked('deliveredAt')) === 4, 'not told that they arrived')
  assert.equal(await marked('readAt'), 2, 'what nobody has seen is not read')
  const before = asked()
  await page.goto(site.url)
  await page.getByRole('button', { name: 'Open the chat, 2 new messages' }).waitFor()
  await page.waitForLoadState('networkidle')
  assert.equal(asked(), before, 'once a minute is enough')
  await openChat(page)
  await page.getByRole('link', { name: 'https://shop.test/hours' }).waitFor()
  await until(async () => (await marked('readAt')) === 4, 'not read')

  await page.goto(`${site.url}/other`)
  await shown(page, 'From 10 to 4.').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.id), '', 'it opens again without taking the focus')
  await writeTo(chat, page, 'Is my <b>bike</b> ready?')
  await shown(page, 'Is my <b>bike</b> ready?').waitFor()
  await page.getByRole('button', { name: 'Close the chat' }).first().click()
  await page.getByRole('button', { name: 'Open the chat', exact: true }).waitFor()
  const [seen] = await app.db.selectFrom('chatPages').selectAll().where('channelId', '=', channelId).execute()
  assert.deepEqual([seen?.seenHost, seen?.refusedOrigin], [`shop.test:${site.port}`, null])
})

test('what is further up is fetched where it is read, a picture is shown, and a file is downloaded as it was sent', async () => {
  await using chat = await startRealChat()
  const { app, shop, site, channelId, messages } = chat
  await using window = await visit()
  const { page } = window
  await page.goto(site.url)
  await openChat(page)
  await writeTo(chat, page, 'the first of all')
  await untilAnswered(app)
  const key = await page.evaluate((id) => JSON.parse(localStorage.getItem(`patchbay.${id}`) ?? '').key, channelId)
  const { address } = browserAddress(channelId, key)
  const more = openWriting(app.db, { accountId: shop.accountId, channelId })
  for (let n = 0; n < 120; n += 1) await more(address, `number ${n}`, { mayBeAnswered: false })
  await page.goto(`${site.url}/other`)
  const seqs = () =>
    log(page).evaluate((element) =>
      [...element.querySelectorAll<HTMLElement>('[data-seq]')].map(({ dataset }) => Number(dataset.seq)),
    )
  const older = page.getByRole('button', { name: 'Older messages' })
  await shown(page, 'number 119').waitFor()
  for (const shownBefore of [50, 100]) {
    const [first] = await seqs()
    const top = async () => (await log(page).locator(`[data-seq="${first}"]`).boundingBox())?.y ?? 0
    await older.scrollIntoViewIfNeeded()
    const before = await top()
    assert.equal((await seqs()).length, shownBefore)
    await older.click()
    await until(async () => (await seqs()).length > shownBefore, 'nothing older came')
    assert.ok(Math.abs((await top()) - before) < 2, `what was read has moved from ${before} to ${await top()}`)
  }
  assert.deepEqual(
    await seqs(),
    (await messages()).map(({ seq }) => Number(seq)),
    'each once, in order',
  )
  assert.equal(await older.count(), 0)
  await page.getByText('Hello </script><b>.').waitFor()

  const choose = page.locator('#patchbay-chat input[type=file]')
  await choose.setInputFiles({ name: 'my bike.png', mimeType: 'image/png', buffer: png })
  const picture = page.getByRole('img', { name: 'my bike.png' })
  await picture.waitFor()
  await until(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth === 1), 'the picture is not shown')
  await choose.setInputFiles({ name: 'plan.html', mimeType: 'text/html', buffer: Buffer.from('<script>1</script>') })
  await page.getByText('Not sent: files of this kind are not taken.').first().waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  const text = 'Grüße from a file'
  await choose.setInputFiles({ name: 'how to.txt', mimeType: 'text/plain', buffer: Buffer.from(text) })
  const link = page.getByRole('link', { name: 'how to.txt' })
  await link.waitFor()
  await link.evaluate((a) => a.removeAttribute('target'))
  const [file] = await Promise.all([page.waitForEvent('download'), link.click()])
  assert.equal(await readFile(await file.path(), 'utf8'), text)
})

test('who waits may leave an e-mail address; a key stays in its tab until the page says more; a chat is deleted where the shop can be asked', async () => {
  const hours = { zone: 'UTC', windows: [], closed: [] }
  await using chat = await startRealChat({ keeps: 'tab', hours })
  const { app, site, between, channel } = chat
  await using window = await visit()
  const { page } = window
  await page.goto(`${site.url}/behind`)
  await openChat(page)
  await writeTo(chat, page, 'Can I talk to a person please?')
  await untilAnswered(app)
  const email = page.getByLabel('E-mail, if you like')
  for (const [given, said] of [
    ['ana', 'This is no e-mail address.'],
    ['Ana@example.com', 'Kept. You find the answer here too.'],
  ] as const) {
    await email.fill(given)
    await page.getByRole('button', { name: 'Keep' }).click()
    await page.getByText(said).first().waitFor()
  }
  const left = await app.db.selectFrom('contactChannels').select(['leftEmail']).execute()
  assert.deepEqual(left, [{ leftEmail: 'Ana@example.com' }])

  const consent = (yes: boolean) =>
    page.evaluate(
      (is) => (window as unknown as { patchbayChat: { consent: (is: boolean) => void } }).patchbayChat.consent(is),
      yes,
    )
  assert.deepEqual(await stored(page), [0, 1, ''])
  await consent(true)
  assert.deepEqual(await stored(page), [1, 1, ''])
  const other = await window.newPage()
  await other.goto(site.url)
  await openChat(other)
  await shown(other, 'Can I talk to a person please?').waitFor()
  await consent(false)
  assert.equal((await stored(page))[0], 0)
  await page.reload()
  await shown(page, 'Can I talk to a person please?').waitFor()

  const remove = page.getByRole('button', { name: 'Delete', exact: true })
  const askToDelete = async () => {
    await page.getByRole('button', { name: 'Privacy' }).click()
    await page.getByRole('button', { name: 'Delete this chat' }).click()
    await remove.click()
  }
  between.isDown = true
  await askToDelete()
  await page.getByText('Not deleted: no connection. Please try again.').waitFor()
  assert.equal((await stored(page))[1], 1, 'nothing is lost')
  between.isDown = false
  await remove.click()
  await page.getByText('It is gone from this browser.').waitFor()
  assert.deepEqual(await stored(page), [0, 0, ''])
  for (const tab of [page, other])
    await until(async () => (await shown(tab, 'Can I talk to a person please?').count()) === 0, 'it is still shown')
  const reason = () => app.db.selectFrom('conversations').select('waitingReason').execute()
  assert.deepEqual(await reason(), [{ waitingReason: 'asked_to_be_deleted' }])

  await chat.change({ deletes: 'at once' })
  const isChanged = async () => (await chat.get(`/chat/${channel.id}.js`)).text.includes('"deletes":"at once"')
  await until(isChanged, 'the settings do not hold')
  await writeTo(chat, page, 'Forget this')
  assert.equal((await reason()).length, 2)
  await askToDelete()
  await page.getByText('This chat was deleted.').waitFor()
  assert.deepEqual(await chat.written(), ['Can I talk to a person please?'])
  assert.equal(await page.getByText('Forget this').count(), 0)
})

type WithApi = { patchbayChat: { identify: (token: string) => Promise<string>; logout: () => void }; told: unknown[] }

const identify = (page: Page, given: string) =>
  page.evaluate(
    (one) => (window as unknown as WithApi).patchbayChat.identify(one).catch((error: Error) => error.message),
    given,
  )

/** What a page shows and stores. */
const everything = (page: Page) =>
  page.evaluate(() => {
    const root = document.getElementById('patchbay-chat')?.shadowRoot
    return [
      root?.querySelector('.pbw')?.textContent,
      root?.querySelector('textarea')?.value,
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
    ].join('\n')
  })

const listens = `<script>window.told = []; (window.patchbayChat ||= []).push(['on', 'identity', (value) => told.push(value)])</script>`

test('WC21 WC22 what was written before signing in is folded above for the member; the next one and who logs out see nothing of it, in any tab', async () => {
  await using chat = await startRealChat({ members: 'may' }, listens)
  const { app, site, messages, channel } = chat
  const sign = await chat.openSigning()
  const holds = async () => {
    const headers = { authorization: `Bearer j.${sign('nobody')}`, origin: site.url }
    return (await chat.get(`/chat/${channel.id}/messages`, headers)).status === 204
  }
  await until(holds, 'the secret does not hold')
  await using window = await visit()
  const { page, requests } = window
  await page.goto(site.url)
  await openChat(page)
  await writeTo(chat, page, 'as a stranger')
  await until(() => requests.some((request) => request.includes('/stream?')), 'no stream')
  const key = await page.evaluate((id) => JSON.parse(localStorage.getItem(`patchbay.${id}`) ?? '').key, channel.id)

  const before = requests.length
  assert.equal(await identify(page, sign('ana')), 'member')
  await page.getByText('Before you signed in').click()
  await shown(page, 'as a stranger').waitFor()
  await writeTo(chat, page, 'as Ana')
  const contactId = (await messages()).at(-1)?.contactId as ContactId
  await chat.reply(contactId, 'Hello Ana')
  await shown(page, 'Hello Ana').waitFor()
  const asked = requests.slice(before)
  assert.ok(asked.length < 20, `a member without a chat asks again and again: ${asked.join(', ')}`)
  assert.equal(asked.filter((request) => request.includes('/stream?')).length, 1)
  const kinds = await app.db.selectFrom('conversationEvents').select(['kind', 'contactId']).execute()
  const events = kinds.filter(({ kind }) => (kind as string) === 'signed in')
  assert.equal(events.length, 2, 'both threads tell of it')

  const other = await window.newPage()
  await other.goto(`${site.url}/other`)
  await identify(other, sign('ana'))
  await openChat(other)
  await shown(other, 'Hello Ana').waitFor()
  await other.getByRole('textbox', { name: 'Message' }).fill('a draft of Ana')
  assert.equal(await identify(page, sign('bea')), 'member')
  for (const tab of [page, other])
    await until(async () => !/stranger|Ana/.test(await everything(tab)), 'something of Ana is left')
  assert.ok(!(await everything(page)).includes(key), 'the key is gone')
  await writeTo(chat, page, 'as Bea')
  await write(page, 'as Bea, in a hurry')
  await page.evaluate(() => (globalThis as unknown as WithApi).patchbayChat.logout())
  await until(async () => !/Bea/.test(await everything(page)), 'something of Bea is left')
  assert.deepEqual(await stored(page), [0, 0, ''])

  assert.match(await identify(page, `${sign('ana')}x`), /^refused/)
  await writeTo(chat, page, 'as a stranger again')
  assert.equal(await identify(page, sign('cem')), 'member')
  await writeTo(chat, page, 'as Cem')
  assert.equal(await identify(page, sign('cem', 4)), 'member')
  await page.getByText('You are not signed in any more.').waitFor()
  await write(page, 'late')
  await page.getByText('Waits for the connection').waitFor()
  assert.equal(await identify(page, sign('cem')), 'member')
  await until(async () => (await chat.written()).includes('late'), 'it is never sent')
  assert.equal(await page.getByText('You are not signed in any more.').count(), 0)
  assert.deepEqual(await page.evaluate(() => (globalThis as unknown as WithApi).told), [
    'member',
    'member',
    'none',
    'refused',
    'member',
    'member',
    'expired',
    'member',
  ])
  assert.equal(new Set((await messages()).map((message) => message.contactId)).size, 5)

  await chat.change({ members: 'must' })
  const isChanged = async () => (await chat.get(`/chat/${channel.id}.js`)).text.includes('"members":"must"')
  await until(isChanged, 'the settings do not hold')
  await using stranger = await visit()
  await stranger.page.goto(site.url)
  await stranger.page.waitForLoadState('networkidle')
  assert.equal(await stranger.page.locator('#patchbay-chat').count(), 0)
  await identify(stranger.page, sign('ana'))
  await openChat(stranger.page)
  await shown(stranger.page, 'Hello Ana').waitFor()
})

/** What a page would do in seconds it does at once. */
function hurry(): void {
  const { setTimeout: wait } = globalThis
  const hurried = (act: () => void, ms = 0) => wait(act, ms >= 3_000 && ms <= 5_000 ? 100 : ms)
  Object.assign(globalThis, { setTimeout: hurried })
}

test('WC05 WC03 behind a proxy that holds streams back answers come all the same; a page that is killed while it sends has sent once', async () => {
  await using chat = await startRealChat()
  const { site, between, written, messages } = chat
  await using window = await visit()
  const { page, context } = window
  await page.addInitScript(hurry)
  between.isBuffering = true
  await page.goto(`${site.url}/behind`)
  await openChat(page)
  await writeTo(chat, page, 'Hello?')
  const contactId = (await messages())[0]?.contactId as ContactId
  for (const text of ['Yes?', 'Are you there?']) {
    await chat.reply(contactId, text)
    await shown(page, text).waitFor()
  }
  assert.equal(await page.getByText('No connection').count(), 0)

  between.keepsAnswerTo = '/messages'
  await write(page, 'in the middle')
  await until(() => between.kept === 1, 'it does not arrive')
  assert.equal(await page.getByText('Sending…').count(), 1)
  const tab = await context.newCDPSession(page)
  await killPages(context)
  between.keepsAnswerTo = ''
  await tab.send('Page.reload')
  const said = async () => {
    const expression =
      "document.getElementById('patchbay-chat')?.shadowRoot?.querySelector('.pbw-log')?.innerText ?? ''"
    const { result } = await tab.send('Runtime.evaluate', { expression }).catch(() => ({ result: { value: '' } }))
    return String(result.value)
  }
  await until(async () => /in the middle[\s\S]*Sent/.test(await said()), 'it is not shown as sent')
  assert.equal((await said()).split('in the middle').length, 2, 'shown once')
  assert.ok((await said()).includes('Are you there?'))
  assert.deepEqual(await written(), ['Hello?', 'in the middle'])
})

/** As when the machine runs out of memory. */
async function killPages(context: ReturnType<Page['context']>): Promise<void> {
  const system = await context.browser()?.newBrowserCDPSession()
  const { processInfo } = (await system?.send('SystemInfo.getProcessInfo')) ?? { processInfo: [] }
  const crashed = Promise.all(context.pages().map((page) => page.waitForEvent('crash')))
  for (const { type, id } of processInfo) if (type === 'renderer') process.kill(id, 'SIGKILL')
  await crashed
}

test('WC09 a page to which one goes back is as it was, from the memory of the browser, with what was missed', async () => {
  await using chat = await startRealChat()
  const { site, messages } = chat
  await using window = await visit({ isWhole: true })
  const { page, requests } = window
  await page.goto(site.url)
  await openChat(page)
  await writeTo(chat, page, 'Is my bike ready?')
  await until(() => requests.some((request) => request.includes('/stream?')), 'no stream')
  await page.evaluate(() => {
    Object.assign(globalThis, { isSame: true })
    addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { persisted }))
  })
  await page.goto(`${site.url}/without`)
  const contactId = (await messages())[0]?.contactId as ContactId
  await chat.reply(contactId, 'It is.')
  await page.goBack({ waitUntil: 'commit' })
  await shown(page, 'It is.').waitFor()
  await chat.reply(contactId, 'Since noon.')
  await shown(page, 'Since noon.').waitFor()
  const back = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType('navigation') as unknown as { notRestoredReasons?: unknown }[]
    return { ...(globalThis as { isSame?: boolean; persisted?: boolean }), reasons: entry?.notRestoredReasons ?? null }
  })
  assert.deepEqual([back.isSame, back.persisted, back.reasons], [true, true, null])
})
