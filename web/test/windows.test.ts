import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { startReceiver } from '../../server/test/helpers/receivers.ts'
import { openWindow } from './helpers/site.ts'

/** A page and a worker, without the app's policy, which forbids half of what is tried here. */
async function startPlain() {
  const receiver = await startReceiver(({ path }, response) => {
    const type = path === '/worker.js' ? 'text/javascript' : 'text/html'
    response.writeHead(200, { 'content-type': type }).end('')
  })
  return { url: new URL(receiver.url).origin, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() }
}

/** Runs in the page: whatever a page can keep in a browser. */
async function leaveTraces(): Promise<void> {
  await cookieStore.set('left', 'behind')
  localStorage.setItem('left', 'behind')
  sessionStorage.setItem('left', 'behind')
  await new Promise((done) => {
    indexedDB.open('left').onsuccess = done
  })
  await (await caches.open('left')).put('/left', new Response('behind'))
  await navigator.serviceWorker.register('/worker.js')
  await navigator.serviceWorker.ready
}

/** Everything that a test could see of an earlier one. */
async function readState(page: Page) {
  return {
    ...(await page.evaluate(async () => ({
      cookie: document.cookie,
      local: localStorage.length,
      session: sessionStorage.length,
      databases: (await indexedDB.databases()).length,
      caches: (await caches.keys()).length,
      workers: (await navigator.serviceWorker.getRegistrations()).length,
      location: (await navigator.permissions.query({ name: 'geolocation' })).state,
      dark: matchMedia('(prefers-color-scheme: dark)').matches,
      still: matchMedia('(prefers-reduced-motion: reduce)').matches,
      width: innerWidth,
      history: history.length,
      added: 'added' in window,
      fetched: await fetch('/anything').then(
        (answer) => answer.status,
        () => 'failed',
      ),
    }))),
    cookies: (await page.context().cookies()).length,
    tabs: page.context().pages().length,
  }
}

test('a window knows nothing of what another one at the same address has left behind, in the same context', async () => {
  await using site = await startPlain()
  const openPlain = async () => {
    const window = await openWindow(site.url)
    await window.go('/')
    return window
  }
  let before: Awaited<ReturnType<typeof readState>>
  let context: unknown
  {
    await using first = await openPlain()
    context = first.context
    before = await readState(first.page)
  }
  {
    await using second = await openPlain()
    const { page } = second
    assert.equal(second.context, context)
    await page.addInitScript(() => Object.assign(window, { added: true }))
    await page.goto('/elsewhere')
    await page.evaluate(leaveTraces)
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 360, height: 800 })
    await page.route('**/anything', (route) => route.abort())
    await (page.context() as BrowserContext).grantPermissions(['geolocation'])
    await page.evaluate(() => void open('/popup'))
    await second.context.newPage()
    await second.context.addCookies([{ name: 'also', value: 'left', url: site.url, httpOnly: true }])
    const left = await readState(page)
    const unchanged = Object.entries(before).filter(([name, value]) => left[name as keyof typeof left] === value)
    assert.deepEqual(unchanged, [], 'this leaves no trace')
    await second.context.setOffline(true)
  }
  await using third = await openPlain()
  assert.equal(third.context, context)
  assert.deepEqual(await readState(third.page), before)
})

test('a problem of any tab fails the test of its window, and of no other window', async () => {
  await using site = await startPlain()
  const provocations: Record<string, (page: Page) => Promise<unknown>> = {
    'console: wrong': (page) => page.evaluate(() => console.error('wrong')),
    'error: thrown': (page) =>
      page.evaluate(() => {
        setTimeout(() => {
          throw new Error('thrown')
        })
      }),
    'dialog: asks': (page) => page.evaluate(() => alert('asks')),
    'calls http://localhost:9/': (page) => page.evaluate(() => fetch('http://localhost:9/').catch(() => {})),
  }
  for (const [problem, provoke] of Object.entries(provocations)) {
    const window = await openWindow(site.url)
    await window.go('/')
    const unwatched = await window.openUnwatched()
    await unwatched.goto('/')
    if (!problem.startsWith('dialog')) await provoke(unwatched)
    assert.deepEqual(window.problems, [])
    const tab = await window.context.newPage()
    await tab.goto('/')
    await provoke(tab)
    await tab.evaluate(() => new Promise((done) => setTimeout(done)))
    await assert.rejects(async () => await window[Symbol.asyncDispose](), new RegExp(problem))
  }
  await using after = await openWindow(site.url)
  await after.go('/')
})
