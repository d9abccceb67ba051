import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../web/test/helpers/find-chromium.ts'

const looks = [
  { name: 'light', width: 1440, height: 900, colorScheme: 'light' },
  { name: 'dark', width: 1440, height: 900, colorScheme: 'dark' },
  { name: 'phone-light', width: 360, height: 780, colorScheme: 'light' },
  { name: 'phone-dark', width: 360, height: 780, colorScheme: 'dark' },
] as const

/** Brings the page into the state to be pictured; `after` brings it back. */
export type ScreenState = (
  page: Page,
  look: { isPhone: boolean; isFirst: boolean; isLast: boolean },
) => Promise<unknown>
export type Shots = Record<string, ScreenState | { enter: ScreenState; after: ScreenState }>

type Studio = AsyncDisposable & { take: (name: string, shot: Shots[string]) => Promise<void> }
type Options = { url: string; out: string; only: string; owner: { email: string; password: string } }

/** A browser with one window a look, all signed in; each picture is made in all of them before the next one. */
export async function openStudio({ url, out, only, owner }: Options): Promise<Studio> {
  await mkdir(out, { recursive: true })
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
  const windows = await Promise.all(
    looks.map(async ({ name, width, height, colorScheme }) => {
      const isPhone = width < 640
      const context = await browser.newContext({
        ignoreHTTPSErrors: true,
        baseURL: url,
        viewport: { width, height },
        colorScheme,
        hasTouch: isPhone,
        isMobile: isPhone,
        locale: 'en-GB',
      })
      await signIn(context, owner)
      return { name, isPhone, page: await context.newPage() }
    }),
  )
  return {
    take: async (name, shot) => {
      const { enter, after } = typeof shot === 'function' ? { enter: shot, after: undefined } : shot
      const isWanted = new RegExp(only).test(name)
      if (!isWanted && !name.startsWith('step')) return
      for (const [n, { name: look, isPhone, page }] of windows.entries()) {
        const place = { isPhone, isFirst: n === 0, isLast: n === windows.length - 1 }
        try {
          await enter(page, place)
          if (isWanted) await save(page, join(out, `${name}-${look}.png`))
          await after?.(page, place)
        } catch (error) {
          process.exitCode = 1 // the other pictures are still made
          process.stderr.write(`${name}, ${look}: ${error instanceof Error ? error.message : error}\n`)
        }
      }
      process.stdout.write(`${name}\n`)
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

async function signIn(context: BrowserContext, owner: Options['owner']): Promise<void> {
  const { status } = await context.request
    .post('/api/session', { data: owner, headers: { 'sec-fetch-site': 'same-origin' } })
    .then((answer) => ({ status: answer.status() }))
  if (status >= 300) throw new Error(`${owner.email} cannot sign in: ${status}`)
}

/** The live stream never ends, so the network is never idle: it waits until nothing loads or moves on the screen. */
async function save(page: Page, path: string): Promise<void> {
  await page.waitForTimeout(300)
  await page.waitForFunction("document.fonts.status === 'loaded'")
  const size = page.viewportSize()
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  // As high as the page, so that what is fixed to the edge of the screen is at its end.
  if (size && height > size.height) await page.setViewportSize({ ...size, height })
  await page.screenshot({ path, animations: 'disabled' })
  if (size && height > size.height) await page.setViewportSize(size)
}
