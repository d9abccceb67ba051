import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { holdTurnsBack, write } from '../../server/test/helpers/bots.ts'
import { openCold, openSignedIn, openSignedInCold, startSite } from './helpers/site.ts'

/** KB are 1,000 bytes, as they are transferred: compressed. */
const most = 150_000

/** Counts what a page loads from now on: bytes of scripts, and the addresses of everything. */
function measure(page: Page) {
  const sizes: Promise<number>[] = []
  const origins = new Set<string>()
  page.on('requestfinished', (request) => {
    origins.add(new URL(request.url()).origin)
    if (request.resourceType() === 'script')
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  })
  return { origins, scriptBytes: async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) }
}

async function check(t: TestContext, url: string, { origins, scriptBytes }: ReturnType<typeof measure>): Promise<void> {
  const bytes = await scriptBytes()
  t.diagnostic(`${bytes} bytes of script`)
  assert.ok(bytes > 50_000, `${bytes} bytes: this is no first view`)
  assert.ok(bytes <= most, `${bytes} bytes of script`)
  assert.deepEqual([...origins], [url])
}

test('the first view of the sign-in transfers at most 150 KB of script, and nothing from another origin', async (t) => {
  await using site = await startSite({ ROLE: 'api' })
  await using window = await openCold(site.app.url)
  const measured = measure(window.page)
  await window.go('/')
  await window.page.getByRole('button', { name: 'Sign in' }).waitFor()
  await window.page.waitForLoadState('networkidle')
  await check(t, site.app.url, measured)
})

test('the first view of the inbox with an open conversation transfers at most 150 KB of script, and nothing from another origin', async (t) => {
  await using site = await startSite({ ROLE: 'api' })
  await holdTurnsBack(site.app)
  await write(site.account, 'Hello', { fromId: 'ana', firstName: 'Ana' })
  await using window = await openSignedInCold(site, { width: 1440 })
  const measured = measure(window.page)
  await window.go('/inbox')
  await window.page.getByRole('link', { name: /Ana/ }).click()
  await window.page.getByRole('log').getByText('Hello').waitFor()
  await window.page.getByRole('complementary', { name: 'Contact' }).waitFor()
  await check(t, site.app.url, measured)
})

test('script cannot be made from text: the page is under Trusted Types and a policy without exceptions', async () => {
  await using site = await startSite({ ROLE: 'api' })
  await using window = await openSignedIn(site)
  const answer = await window.page.goto('/inbox')
  const policy = answer?.headers()['content-security-policy'] ?? ''
  assert.doesNotMatch(policy, /unsafe|\*|data:|blob:|https?:/)
  await window.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  const outcomes = await window.page.evaluate(() => {
    const attempts: Record<string, () => unknown> = {
      html: () => {
        document.createElement('div').innerHTML = '<img src=x>'
      },
      eval: () => Reflect.get(globalThis, 'eval')('1'),
      source: () => {
        document.createElement('script').src = '/assets/x.js'
      },
      policy: () => (globalThis as unknown as Factory).trustedTypes.createPolicy('any', {}),
    }
    type Factory = { trustedTypes: { createPolicy: (name: string, rules: object) => unknown } }
    const attempt = ([name, run]: [string, () => unknown]) => {
      try {
        run()
        return `${name} ran`
      } catch {
        return `${name} refused`
      }
    }
    // Later: what a debugger evaluates directly may call eval.
    return new Promise<string[]>((done) => setTimeout(() => done(Object.entries(attempts).map(attempt))))
  })
  window.problems.length = 0 // the attempts were logged as violations
  assert.deepEqual(outcomes, ['html refused', 'eval refused', 'source refused', 'policy refused'])
})
