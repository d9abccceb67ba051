import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'

/** What tests do to a context that the next one may get; all of it is undone. Anything else needs a context of its own. */
export type SharedContext = Pick<BrowserContext, 'addCookies' | 'clearCookies' | 'newPage' | 'setOffline'>

type Borrowed = { context: BrowserContext; giveBack: () => Promise<void> }

type Warm = { context: BrowserContext; url: string; keeper: Page; devtools: CDPSession }

/** Each has a process. */
const mostIdle = 4

/** Those that no test uses now, the one used last at the end. */
const idle: Warm[] = []

/**
 * A context in which everything is as in a new one, except that the app's scripts are loaded and compiled: what an earlier
 * test opened at the same address has left its process running. A page then takes half the processor time.
 */
export async function borrowContext(url: string): Promise<Borrowed> {
  const at = idle.findLastIndex((each) => each.url === url)
  const warm = idle.splice(at, at < 0 ? 0 : 1)[0] ?? (await openWarm(url))
  return { context: warm.context, giveBack: () => giveBack(warm) }
}

export async function openContext(url: string): Promise<BrowserContext> {
  const browser = await connect()
  return browser.newContext({ viewport: { width: 1280, height: 800 }, baseURL: url, permissions: allowed })
}

const allowed = ['clipboard-read', 'clipboard-write']

/** A blank page of the app's address stays open: with the last page of an address its process would end. */
async function openWarm(url: string): Promise<Warm> {
  const context = await openContext(url)
  const keeper = await context.newPage()
  await keeper.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await keeper.goto(url)
  await keeper.unrouteAll()
  return { context, url, keeper, devtools: await context.newCDPSession(keeper) }
}

/** One that cannot be made as new is not used again. */
async function giveBack(warm: Warm): Promise<void> {
  if (!warm.context.browser()?.isConnected()) return // a window that was open until all tests had ended
  try {
    await renew(warm)
  } catch (error) {
    await warm.context.close()
    throw error
  }
  idle.push(warm)
  if (idle.length > mostIdle) await idle.shift()?.context.close()
}

/** Viewport, media, routes, scripts and session storage are those of a page, and end with it. */
async function renew({ context, url, keeper, devtools }: Warm): Promise<void> {
  await Promise.all(context.pages().map((page) => (page === keeper ? undefined : page.close())))
  await context.setOffline(false)
  await context.unrouteAll()
  await context.clearPermissions()
  await context.grantPermissions(allowed)
  await context.clearCookies()
  await devtools.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'all' })
}

let browser: Promise<Browser> | undefined
after(async () => await (await browser)?.close())

/** One connection for all tests of the process. */
function connect(): Promise<Browser> {
  const endpoint = process.env.PATCHBAY_TEST_BROWSER
  assert.ok(endpoint, 'run the browser tests with: npm run test:only -- web')
  browser ??= chromium.connect(endpoint)
  return browser
}
