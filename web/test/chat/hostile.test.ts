import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFakeChat } from './helpers/fake-chat.ts'
import { openShop, visit } from './helpers/shop.ts'

const payloads = [
  '<img src=x onerror="alert(1)">',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  '[a](javascript:alert(1)) https://shop.test/"onmouseover="alert(1)',
  '\u202Egnp.exe\u2066',
  `Z${'\u0301'.repeat(3_999)}`,
  'NUL \0 here',
]

test('what a shop or a visitor writes is text, whatever it is', async () => {
  await using fake = await openFakeChat()
  const words = {
    en: {
      greeting: '</script><script>alert(1)</script>\u2028',
      button: 'Chat with us',
      privacy: '<b>',
      privacyUrl: 'javascript:alert(1)',
    },
  }
  Object.assign(fake.settings, { name: '</script><img src=x onerror=alert(1)>', words })
  await using shop = await openShop({ '/': {} }, fake.line)
  fake.settings.pages = [`shop.test:${shop.port}`]
  await using window = await visit()
  const { page, problems } = window
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(shop.url)
  await page.getByRole('button', { name: 'Chat with us' }).click()
  for (const text of payloads) {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.keyboard.press('Enter')
  }
  await page.getByText('Sent').last().waitFor()
  for (const text of payloads) {
    fake.say({ from: 'person', name: text.slice(0, 40), text, choices: [{ id: 'x', title: text.slice(0, 60) }] })
    fake.tell('line', { id: text.slice(0, 9), seq: fake.seq, at: Date.now(), is: 'joined', name: text.slice(0, 40) })
  }
  const file = {
    name: '<img src=x onerror=alert(1)>.svg',
    contentType: 'image/svg+xml',
    sizeBytes: 3,
    url: 'javascript:alert(1)',
    isPicture: true,
  }
  fake.say({ text: 'the last', file })
  await page.getByRole('log').getByText('the last').waitFor()
  await page.getByRole('button', { name: 'Privacy' }).click()
  const found = await page.evaluate(() => {
    const root = document.getElementById('patchbay-chat')?.shadowRoot
    const all = [...(root?.querySelectorAll('*') ?? [])]
    return {
      foreign: all.filter((each) => /^(img|script|b|iframe|object|embed)$/i.test(each.tagName)).length,
      handlers: all.filter((each) => each.getAttributeNames().some((name) => name.startsWith('on'))).length,
      links: [...new Set(all.flatMap((each) => each.getAttribute('href') ?? []))],
      rels: [...new Set(all.filter((each) => each.hasAttribute('href')).map((each) => each.getAttribute('rel')))],
      tall: Math.max(
        ...all.filter((each) => each.matches('.pbw-msg')).map((each) => each.scrollHeight - each.clientHeight),
      ),
    }
  })
  assert.deepEqual(found.links, ['https://shop.test/'])
  assert.deepEqual(found.rels, ['noopener noreferrer nofollow'])
  assert.deepEqual([found.foreign, found.handlers], [0, 0])
})

const hostile = `
  * { letter-spacing: 9px !important; color: red !important; font: 40px cursive !important }
  html { font-size: 62.5% !important; } body { line-height: 4; text-transform: uppercase; direction: ltr; }
  div { all: unset !important; display: none !important; opacity: .2 !important; } body > * { display: none !important; visibility: hidden !important; }
  button, textarea { background: hotpink !important; width: 500px !important; }`

test('styles of a hostile page change nothing: the same picture, dot for dot', async () => {
  await using fake = await openFakeChat()
  const body = '<p>A page.</p>'
  const pages = { '/plain': { body }, '/hostile': { body, head: `<style>${hostile}</style>`, headers: {} } }
  await using shop = await openShop(pages, fake.line)
  fake.settings.pages = [`shop.test:${shop.port}`]
  const pictures: Buffer[] = []
  for (const path of Object.keys(pages)) {
    await using window = await visit({ reducedMotion: 'reduce' })
    const { page } = window
    await page.clock.setFixedTime(new Date(2026, 7, 14, 10, 28))
    await page.goto(`${shop.url}${path}`)
    const button = page.getByRole('button', { name: 'Chat with us' })
    await button.waitFor()
    await button.click()
    await page.getByRole('log').getByText('Hello.').waitFor()
    await page.mouse.move(5, 5)
    const clip = await page.getByRole('dialog').boundingBox()
    assert.deepEqual(clip && [clip.width, clip.height], [372, 560])
    // Within its corners and its shadow, where the page shows through.
    const { x = 0, y = 0 } = clip ?? {}
    pictures.push(await page.screenshot({ caret: 'hide', clip: { x, y: y + 20, width: 372, height: 520 } }))
  }
  assert.ok(pictures[0]?.equals(pictures[1] ?? Buffer.alloc(0)))
})
