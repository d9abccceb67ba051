import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type BrowserContext, chromium } from 'playwright-core'
import { findChromium } from '../web/test/helpers/find-chromium.ts'
import { business } from './business.ts'
import { startDemo } from './demo.ts'

/** Makes pictures of every screen from the demo: light and dark, wide and on a phone. */
const { values } = parseArgs({
  options: { folder: { type: 'string', default: 'demo-data' }, out: { type: 'string', default: 'docs/pictures' } },
})

const looks = [
  { name: 'light', width: 1440, height: 900, colorScheme: 'light' },
  { name: 'dark', width: 1440, height: 900, colorScheme: 'dark' },
  { name: 'phone-light', width: 360, height: 780, colorScheme: 'light' },
  { name: 'phone-dark', width: 360, height: 780, colorScheme: 'dark' },
] as const

const screens = {
  'first-run': '/first-run',
  contacts: '/contacts',
  lists: '/lists',
  'settings-account': '/settings/account',
  'settings-webhook': '/settings/webhook',
  simulator: '/develop/simulator',
}

const demo = await startDemo(resolve(values.folder), 0)
const out = resolve(values.out)
await mkdir(out, { recursive: true })
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
try {
  for (const { name, width, height, colorScheme } of looks) {
    const viewport = { width, height }
    const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: demo.url, viewport, colorScheme })
    await takeAll(context, name)
    await context.close()
    process.stdout.write(`${name}\n`)
  }
} finally {
  await browser.close()
  await demo.stop()
}

async function takeAll(context: BrowserContext, look: string): Promise<void> {
  const page = await context.newPage()
  const take = async (screen: string) => {
    await page.waitForTimeout(2_000) // the live stream never ends, so the network is never idle
    await page.screenshot({ path: join(out, `${screen}-${look}.png`) })
  }
  await page.goto('/sign-in')
  await take('sign-in')
  await page.getByLabel('E-mail').fill(business.owner.email)
  await page.getByLabel('Password').fill(business.owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'))
  await page.goto('/inbox')
  await take('inbox')
  await page.getByRole('link', { name: /Marta Lindqvist/ }).click()
  await take('conversation')
  for (const [screen, path] of Object.entries(screens)) {
    await page.goto(path)
    await take(screen)
  }
}
