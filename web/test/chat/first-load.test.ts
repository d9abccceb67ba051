import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { chatId, openFakeChat } from './helpers/fake-chat.ts'
import { openShop, visit } from './helpers/shop.ts'

/** KB are 1,000 bytes, as they are transferred: compressed. */
const most = { loader: 12_000, both: 30_000 }

test('closed, the chat costs a page one request and stores nothing; loader and panel are as small as was promised', async (t) => {
  await using fake = await openFakeChat()
  await using shop = await openShop({ '/': {} }, fake.line)
  fake.settings.pages = [`shop.test:${shop.port}`]
  await using window = await visit()
  const { page, requests } = window
  const scripts: Promise<number>[] = []
  page.on('response', async (response) => {
    if (response.url().includes('patchbay.test'))
      scripts.push(response.body().then((body) => brotliCompressSync(body).length))
  })
  await page.goto(shop.url)
  await page.getByRole('button', { name: 'Chat with us' }).waitFor()
  await page.waitForLoadState('networkidle')
  assert.deepEqual(requests, [`GET /chat/${chatId}.js`])
  const stored = () => page.evaluate(() => [localStorage.length, document.cookie, Object.keys(sessionStorage).length])
  assert.deepEqual(await stored(), [0, '', 0])

  await page.getByRole('button', { name: 'Chat with us' }).click()
  await page.getByRole('dialog', { name: 'Chat with Kettle Lane Cycles' }).waitFor()
  await page.getByRole('log').getByText('Hello. Ask about a repair').waitFor()
  await page.waitForLoadState('networkidle')
  assert.match(requests[1] ?? '', /^GET \/chat\/panel-en-[0-9a-f]{10}\.js$/)
  assert.equal(requests.length, 2, 'opening without a chat asks for nothing but the panel')
  assert.equal((await stored())[0], 0)
  const [loader = 0, panel = 0] = await Promise.all(scripts)
  t.diagnostic(`${loader} bytes of loader, ${panel} of panel`)
  assert.ok(loader > 3_000 && loader <= most.loader, `${loader} bytes of loader`)
  assert.ok(panel > 5_000 && loader + panel <= most.both, `${loader + panel} bytes of loader and panel`)
})

test('a message is sent once, shown as sent, and its answer is offered with buttons; a tap is a message', async () => {
  await using fake = await openFakeChat()
  await using shop = await openShop({ '/': {}, '/other': {} }, fake.line)
  fake.settings.pages = [`shop.test:${shop.port}`]
  await using window = await visit()
  const { page } = window
  await page.goto(`${shop.url}/?secret=1#there`)
  await page.getByRole('button', { name: 'Chat with us' }).click()
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('Do you service e-bikes?')
  await page.keyboard.press('Enter')
  await page.getByText('Sent').waitFor()
  fake.say({ text: 'Yes.', choices: [{ id: 'k1', title: 'Book a service' }] })
  await page.getByRole('button', { name: 'Book a service' }).click()
  await page.getByText('Sent').nth(1).waitFor()
  assert.deepEqual(
    fake.posts.map(({ text, choice, page: from, language }) => ({ text, choice, from, language })),
    [
      { text: 'Do you service e-bikes?', choice: undefined, from: `${shop.url}/`, language: 'en' },
      { text: 'Book a service', choice: 'k1', from: `${shop.url}/`, language: 'en' },
    ],
  )
  assert.equal(await page.getByRole('button', { name: 'Book a service' }).count(), 0)
  assert.equal(await page.getByText('Do you service e-bikes?').count(), 1)

  await page.getByRole('link', { name: 'Workshop' }).click()
  await page.getByRole('log').getByText('Book a service').waitFor()
  assert.equal(
    await page.evaluate(() => document.activeElement?.id),
    '',
    'the panel opens again without taking the focus',
  )
  assert.deepEqual(
    [...fake.bearers].map((bearer) => /^b\.[\w-]{43}$/.test(bearer)),
    [true],
  )
})
