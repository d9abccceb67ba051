import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../server/test/helpers/harness.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { openChat, startRealChat, stored } from './helpers/real-chat.ts'
import { visit } from './helpers/shop.ts'

/** KB are 1,000 bytes, as they are transferred: compressed, with the heads of their answers. */
const most = { loader: 12_000, both: 30_000 }

test('closed, the chat costs a page one request, moves nothing and stores nothing; loader and panel are as small as was promised', async (t) => {
  await using chat = await startRealChat()
  const { site, channel, origin } = chat
  await using window = await visit()
  const { page, context, requests } = window
  const tab = await context.newCDPSession(page)
  const [urls, bytes] = [new Map<string, string>(), new Map<string, number>()]
  tab.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url))
  tab.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    bytes.set(String(urls.get(requestId)).replace(/^.*\/(chn|panel).*$/, '$1'), encodedDataLength),
  )
  await tab.send('Network.enable')
  await tab.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.addInitScript(() => {
    type Shift = { value: number; sources: { node: Element | null }[] }
    const shifts: string[] = []
    const said = ({ value, sources }: Shift) =>
      `${value} of ${sources.map(({ node }) => node?.className || node?.nodeName).join(', ')}`
    Object.assign(globalThis, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as Shift[]) shifts.push(said(entry))
    }).observe({ type: 'layout-shift', buffered: true })
  })
  const shifts = () => page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts)
  const browser = context.browser()
  await browser?.startTracing(page, { categories: ['devtools.timeline'] })
  await page.goto(site.url)
  await page.getByRole('button', { name: 'Chat with us' }).waitFor()
  await page.waitForLoadState('networkidle')
  const trace = String(await browser?.stopTracing())
  assert.deepEqual(requests, [`GET /chat/${channel.id}.js`])
  assert.deepEqual(await stored(page), [0, 0, ''])
  t.diagnostic(`the loader runs for ${scriptMs(trace, `${origin}/chat/`).join(' + ')} ms, 4 times throttled`)

  assert.deepEqual(await shifts(), [], 'the page has moved')
  await tab.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await openChat(page)
  await page.getByRole('dialog', { name: `Chat with ${channel.name}` }).waitFor()
  await page.getByText('Hello </script><b>.').waitFor()
  await page.waitForLoadState('networkidle')
  assert.match(requests[1] ?? '', /^GET \/chat\/panel-en-[0-9a-f]{10}\.js$/)
  assert.equal(requests.length, 2, 'opening without a chat asks for nothing but the panel')
  assert.equal((await stored(page))[0], 0)
  const [loader = 0, panel = 0] = [bytes.get('chn'), bytes.get('panel')]
  t.diagnostic(`${loader} bytes of loader, ${panel} of panel`)
  assert.ok(loader > 3_000 && loader <= most.loader, `${loader} bytes of loader`)
  assert.ok(panel > 5_000 && loader + panel <= most.both, `${loader + panel} bytes of loader and panel`)
  await page.evaluate(() => document.body.prepend(Object.assign(document.createElement('h1'), { textContent: 'Sale' })))
  await until(async () => (await shifts()).some((shift) => shift.includes('MAIN')), 'what moves is not noticed')
  t.diagnostic(`moved afterwards: ${(await shifts()).join('; ')}`)
})

/** Milliseconds of its evaluation, and of what it has called later. */
function scriptMs(trace: string, from: string): number[] {
  const { traceEvents } = JSON.parse(trace) as {
    traceEvents: { name: string; dur?: number; args: { data?: { url?: string } } }[]
  }
  const msOf = (wanted: string) =>
    traceEvents
      .filter(({ name, args }) => name === wanted && args.data?.url?.startsWith(from))
      .reduce((sum, { dur = 0 }) => sum + dur / 1_000, 0)
  return ['EvaluateScript', 'FunctionCall'].map((name) => Math.round(msOf(name) * 10) / 10)
}

test('loader and panels are kept as long as they hold, may be loaded by any page, and a removed chat is an empty script', async () => {
  await using chat = await startRealChat({ languages: ['en', 'de'] })
  const { app, owner, channel, get } = chat
  const loader = await get(`/chat/${channel.id}.js`)
  assert.equal(loader.status, 200)
  const { headers } = loader
  assert.deepEqual(
    [
      'content-type',
      'access-control-allow-origin',
      'cross-origin-resource-policy',
      'x-content-type-options',
      'cache-control',
    ].map((name) => headers[name]),
    [
      'text/javascript; charset=utf-8',
      '*',
      'cross-origin',
      'nosniff',
      'public, max-age=300, stale-while-revalidate=86400',
    ],
  )
  assert.ok(!loader.text.includes('</script'), 'a greeting ends no script')
  assert.equal((await get(`/chat/${channel.id}.js`, { 'if-none-match': String(headers.etag) })).status, 304)
  await using apiAlone = await startApp({ ROLE: 'api', SERVE_APP: '0' }, app.database)
  const ofApi = await get(`/chat/${channel.id}.js`, {}, apiAlone)
  assert.equal(ofApi.text, loader.text, 'a server without the app gives pages their chat')
  const names = [...loader.text.matchAll(/panel-([a-z]{2})-[0-9a-f]{10}\.js/g)]
  assert.deepEqual(names.map(([, language]) => language).sort(), ['de', 'en'])
  const [name = ''] = names[0] ?? []
  const panel = await get(`/chat/${name}`)
  assert.match(String(panel.headers['cache-control']), /immutable/)
  const old = await get('/chat/panel-de-0000000000.js')
  assert.deepEqual([old.status, old.headers['cache-control']], [200, 'no-store'])
  for (const wrong of ['panel-xx-0000000000.js', 'loader.js', 'files.json', 'panel-de-..%2f.js', `${channel.id}`])
    assert.equal((await get(`/chat/${wrong}`)).status, 404, wrong)
  const removed = await owner.call('DELETE', `/api/channels/${channel.id}`, { version: channel.version })
  assert.ok(removed.status < 300, JSON.stringify(removed.body))
  await until(async () => (await get(`/chat/${channel.id}.js`)).text === '', 'it is still there')
  assert.equal((await get('/chat/chn_0123456789abcdefghjkmnpqrs.js')).text, '')
})
