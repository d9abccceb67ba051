import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFakeChat } from './helpers/fake-chat.ts'
import { openShop, type ShopPage, visit } from './helpers/shop.ts'

test('a page with a policy that allows nothing else can have the chat: by host, by nonce, with strict-dynamic, with Trusted Types, with require-corp', async () => {
  await using fake = await openFakeChat()
  const { origin } = fake
  const rest = `default-src 'none'; connect-src ${origin}; img-src ${origin}`
  const withNonce = fake.line.replace('<script', '<script nonce="n0nce"')
  const pages: Record<string, ShopPage> = {
    '/host': { policy: `${rest}; script-src ${origin}` },
    '/nonce': { policy: `${rest}; script-src 'nonce-n0nce'`, line: withNonce },
    '/strict': { policy: `${rest}; script-src 'nonce-n0nce' 'strict-dynamic'`, line: withNonce },
    '/types': {
      policy: `${rest}; script-src ${origin}; require-trusted-types-for 'script'; trusted-types patchbay-chat`,
    },
    '/corp': {
      headers: { 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-opener-policy': 'same-origin' },
    },
  }
  await using shop = await openShop(pages, fake.line)
  fake.settings.pages = [`shop.test:${shop.port}`]
  for (const path of Object.keys(pages)) {
    await using window = await visit()
    const { page } = window
    await page.goto(`${shop.url}${path}`)
    await page.getByRole('button', { name: 'Chat with us' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill(`from ${path}`)
    await page.keyboard.press('Enter')
    await page.getByText('Sent').waitFor()
    const file = { name: 'bike.png', contentType: 'image/png', sizeBytes: 70, url: '/files/bike', isPicture: true }
    fake.say({ text: 'Here it is.', file })
    await page.getByRole('img', { name: 'bike.png' }).waitFor()
    const look = await page
      .getByRole('button', { name: 'Send' })
      .evaluate((send) => getComputedStyle(send).backgroundColor)
    assert.equal(look, 'rgb(0, 97, 110)', `${path}: the styles apply`)
  }
})

test('a page whose policy does not let the chat ask its server is told the line that is missing; the text waits', async () => {
  await using fake = await openFakeChat()
  await using shop = await openShop({ '/': { policy: `default-src 'none'; script-src ${fake.origin}` } }, fake.line)
  fake.settings.pages = [`shop.test:${shop.port}`]
  await using window = await visit()
  const { page, problems } = window
  const said: string[] = []
  page.on('console', (line) => line.type() === 'warning' && said.push(line.text()))
  await page.goto(shop.url)
  await page.getByRole('button', { name: 'Chat with us' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello')
  await page.keyboard.press('Enter')
  await page.getByText('Waits for the connection').waitFor()
  assert.deepEqual(said, [`Patchbay chat: the policy of this page lacks: connect-src ${fake.origin}`])
  assert.ok(problems.length > 0)
  problems.length = 0
})

test('on a page that its owner has not named the chat stays away with one line, and so does a second one', async () => {
  await using fake = await openFakeChat()
  const body = '<p>A page.</p>'
  const pages = { '/': {}, '/twice': { body: body + fake.line }, '/head': { head: fake.line, line: '', body } }
  await using shop = await openShop(pages, fake.line)
  fake.settings.pages = [`shop.test:${shop.port}`]
  await using window = await visit()
  const { page, requests } = window
  const said: string[] = []
  page.on('console', (line) => said.push(line.text()))
  await page.goto(shop.evilUrl)
  await page.waitForLoadState('networkidle')
  assert.deepEqual(said, [`Patchbay chat: ${shop.evilUrl} is not among the pages that this chat may be on.`])
  assert.equal(await page.locator('#patchbay-chat').count(), 0)
  assert.equal(requests.length, 1)
  for (const path of ['/twice', '/head']) {
    await page.goto(`${shop.url}${path}`)
    await page.getByRole('button', { name: 'Chat with us' }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(await page.locator('#patchbay-chat').count(), 1, path)
  }
  assert.equal(said.length, 1)
})
