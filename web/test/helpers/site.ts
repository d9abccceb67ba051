import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { hashPassword } from '../../../server/src/accounts/password.ts'
import { startApp, type TestAccount, type TestApp } from '../../../server/test/helpers/harness.ts'
import { signIn } from '../../../server/test/helpers/sessions.ts'

export const password = 'correct horse battery'

/** The whole product on its own port and database, with an account whose owner has a password. */
export type Site = { app: TestApp; account: TestAccount; [Symbol.asyncDispose]: () => Promise<void> }

export async function startSite(environment: Record<string, string> = {}): Promise<Site> {
  const app = await startApp({ ROLE: 'all', SERVE_APP: '1', RATE_LIMIT_PER_MINUTE: '0', ...environment })
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

export type Window = {
  page: Page
  context: BrowserContext
  /** Loads a path of the app. */
  go: (path: string) => Promise<void>
  /** What fails the test when it closes; a test that provokes a problem takes it out. */
  problems: string[]
  [Symbol.asyncDispose]: () => Promise<void>
}

type Looks = { width?: number; height?: number }

/**
 * A window of a browser of its own. When it closes, the test fails if the page logged an error, broke the content security
 * policy, or called another origin.
 */
export async function openWindow(url: string, { width = 1280, height = 800 }: Looks = {}): Promise<Window> {
  const context = await (await connect()).newContext({
    viewport: { width, height },
    baseURL: url,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  const problems = watch(page, url)
  return {
    page,
    context,
    go: async (path) => void (await page.goto(path)),
    problems,
    [Symbol.asyncDispose]: async () => {
      await context.close()
      assert.deepEqual(problems, [])
    },
  }
}

/** The same, signed in as the owner of the site's account without the form. */
export async function openSignedIn(site: Site, looks: Looks = {}): Promise<Window> {
  const window = await openWindow(site.app.url, looks)
  const { cookie } = await signIn(site.app, site.account)
  const [name = '', value = ''] = cookie.split('=')
  await window.context.addCookies([{ name, value, url: site.app.url, secure: true, httpOnly: true, sameSite: 'Lax' }])
  return window
}

/** Signs in by the form, which must be open. */
export async function signInByForm(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
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

/** What the page does that it must not. A failed request is no error of the page: tests cut connections on purpose. */
function watch(page: Page, url: string): string[] {
  const problems: string[] = []
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
  return problems
}
