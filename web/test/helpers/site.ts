import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { hashPassword } from '../../../server/src/business/accounts/password.ts'
import { sharedApp, type TestAccount, type TestApp } from '../../../server/test/helpers/harness.ts'
import { signIn } from '../../../server/test/helpers/sessions.ts'
import { patienceMs } from '../../../server/test/helpers/until.ts'
import { borrowContext, openContext, type SharedContext } from './warm-contexts.ts'

export const password = 'correct horse battery'

/** The whole product with an empty database, and an account whose owner has a password. */
export type Site = { app: TestApp; account: TestAccount; [Symbol.asyncDispose]: () => Promise<void> }

export async function startSite(environment: Record<string, string> = {}): Promise<Site> {
  const app = await sharedApp({ ROLE: 'all', SERVE_APP: '1', RATE_LIMIT_PER_MINUTE: '0', ...environment })
  const account = await app.makeAccount()
  return { app, account, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const passwordHash = hashPassword(password)

export async function givePassword({ app, account }: Site): Promise<void> {
  await app.db
    .updateTable('users')
    .set({ passwordHash: await passwordHash })
    .where('id', '=', account.userId)
    .execute()
}

export type Window<Context = SharedContext> = {
  page: Page
  context: Context
  /** Loads a path of the app. */
  go: (path: string) => Promise<void>
  /** Another tab, of which no problem fails the test: it provokes them. */
  openUnwatched: () => Promise<Page>
  /** What fails the test when it closes; a test that provokes a problem takes it out. */
  problems: string[]
  [Symbol.asyncDispose]: () => Promise<void>
}

type Looks = { width?: number; height?: number }

/**
 * A window of a browser that knows nothing of any other window. When it closes, the test fails if a page of it logged an
 * error, broke the content security policy, or called another origin.
 */
export async function openWindow(url: string, looks: Looks = {}): Promise<Window> {
  const { context, giveBack } = await borrowContext(url)
  return openIn(context, url, looks, giveBack)
}

/** The same, signed in as the owner of the site's account without the form. */
export async function openSignedIn(site: Site, looks: Looks = {}): Promise<Window> {
  const window = await openWindow(site.app.url, looks)
  await addCookie(window, site)
  return window
}

/**
 * A window with a context of its own: for a test that changes what lasts as long as a context, or that measures what a
 * browser loads which has never been here.
 */
export async function openCold(url: string, looks: Looks = {}): Promise<Window<BrowserContext>> {
  const context = await openContext(url)
  return openIn(context, url, looks, () => context.close())
}

export async function openSignedInCold(site: Site, looks: Looks = {}): Promise<Window<BrowserContext>> {
  const window = await openCold(site.app.url, looks)
  await addCookie(window, site)
  return window
}

/** Signs the owner in: replaces the cookie of whoever was. */
async function addCookie({ context }: Window, { app, account }: Site): Promise<void> {
  const [name = '', value = ''] = (await signIn(app, account)).cookie.split('=')
  await context.addCookies([{ name, value, url: app.url, secure: true, httpOnly: true, sameSite: 'Lax' }])
}

async function openIn<Context extends SharedContext>(
  context: BrowserContext & Context,
  url: string,
  { width = 1280, height = 800 }: Looks,
  close: () => Promise<void>,
): Promise<Window<Context>> {
  const problems: string[] = []
  let isWatched = true
  const watchNew = (page: Page) => void (isWatched && watch(page, url, problems))
  context.on('page', watchNew)
  context.setDefaultTimeout(patienceMs) // of this page and of those that a test opens besides
  const page = await context.newPage()
  await page.setViewportSize({ width, height })
  return {
    page,
    context,
    go: async (path) => void (await page.goto(path)),
    openUnwatched: async () => {
      isWatched = false
      return await context.newPage().finally(() => {
        isWatched = true
      })
    },
    problems,
    [Symbol.asyncDispose]: async () => {
      context.off('page', watchNew)
      await close()
      assert.deepEqual(problems, [])
    },
  }
}

/** Signs in by the form, which must be open. */
export async function signInByForm(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
}

/** What the page does that it must not. A failed request is no error of the page: tests cut connections on purpose. */
function watch(page: Page, url: string, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !/Failed to load resource|net::ERR_/.test(text)) problems.push(`console: ${text}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(blob|data|about):/.test(request.url()))
      problems.push(`calls ${request.url()}`)
  })
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
}
