import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { ChannelId, ContactId } from '../../../server/src/platform/ids.ts'
import { startApp } from '../../../server/test/helpers/harness.ts'
import { openClient } from '../../../server/test/helpers/https-client.ts'
import { makeChat } from '../../../server/test/helpers/own-channels.ts'
import { signIn } from '../../../server/test/helpers/sessions.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { openShop, visit } from './helpers/shop.ts'

/** The whole product, with a chat on a shop's page. */
async function start(t: TestContext) {
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  const app = stack.use(await startApp({ ROLE: 'all', SERVE_APP: '1', RATE_LIMIT_PER_MINUTE: '0' }))
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const origin = `https://patchbay.test:${new URL(app.url).port}`
  const pages: Parameters<typeof openShop>[0] = {}
  const site = stack.use(await openShop(pages, ''))
  const words = { en: { greeting: 'Hello </script><b>.', button: 'Chat with us', privacy: '', privacyUrl: null } }
  const channel = await makeChat(owner, { pages: [`shop.test:${site.port}`], languages: ['en', 'de'], words })
  pages['/'] = { line: `<script async src="${origin}/chat/${channel.id}.js"></script>` }
  const client = openClient({ certificate: app.certificate })
  stack.defer(() => client.close())
  const get = (path: string, headers: Record<string, string> = {}, { url } = app) =>
    client.send(new URL(`${url}${path}`), { method: 'GET', headers, body: undefined })
  return { app, shop, owner, channel, site, get }
}

test('what a visitor writes reaches the inbox, and what a person answers reaches the visitor, who is shown as having read it', async (t) => {
  const { app, owner, channel, site, shop } = await start(t)
  await using window = await visit()
  const { page } = window
  await page.goto(site.url)
  await page.getByRole('button', { name: 'Chat with us' }).click()
  await page.getByText('Hello </script><b>.').waitFor()
  await page.getByRole('textbox', { name: 'Message' }).fill('Is my <b>bike</b> ready?')
  await page.keyboard.press('Enter')
  await page.getByText('Sent').waitFor()
  const incoming = () => app.db.selectFrom('messages').selectAll().where('channel', '=', channel.id).execute()
  const [stored] = await incoming()
  assert.equal(stored?.body, 'Is my <b>bike</b> ready?')
  const contactId = stored?.contactId as ContactId
  const answer = await owner.call('POST', `/api/conversations/${contactId}/replies`, {
    body: 'It is: https://shop.test/ready',
    clientId: randomUUID(),
  })
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  await page.getByRole('link', { name: 'https://shop.test/ready' }).waitFor()
  const read = async () => {
    const rows = app.db.selectFrom('deliveries').select('readAt').where('accountId', '=', shop.accountId)
    return (await rows.execute()).some(({ readAt }) => readAt !== null)
  }
  await until(read, 'not read')
  await page.reload()
  await page.getByRole('link', { name: 'https://shop.test/ready' }).waitFor()
  assert.equal((await incoming()).length, 2)
  const seen = await app.db
    .selectFrom('chatPages')
    .selectAll()
    .where('channelId', '=', channel.id as ChannelId)
    .execute()
  assert.deepEqual(
    seen.map(({ seenHost, refusedOrigin }) => [seenHost, refusedOrigin]),
    [[`shop.test:${site.port}`, null]],
  )
})

test('loader and panels are kept as long as they hold, may be loaded by any page, and a removed chat is an empty script', async (t) => {
  const { app, owner, channel, get } = await start(t)
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
