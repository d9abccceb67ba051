import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startExample } from '../helpers/example.ts'
import { readToken } from '../helpers/website-chat/read-token.ts'

const channel = `chn_${'1'.repeat(32)}`
const secret = 'the secret of the channel'

test('the example shop has the line on its page, and vouches for whoever is signed in, and for nobody else', async () => {
  const environment = { PATCHBAY_URL: 'https://patchbay.example', CHANNEL_ID: channel, CHAT_SECRET: secret }
  await using shop = await startExample('website-chat', environment)
  const ask = (path: string, cookie = '', method = 'GET') =>
    fetch(`http://127.0.0.1:${shop.port}${path}`, { method, headers: { cookie } })

  const page = await (await ask('/')).text()
  assert.ok(page.includes(`<script async src="https://patchbay.example/chat/${channel}.js"></script>`))
  assert.ok(!page.includes(secret))
  assert.equal((await ask('/chat-token')).status, 204)
  assert.equal((await ask('/chat-token', 'session=made-up')).status, 204)
  assert.equal((await ask('/server.js')).status, 404)

  const signedIn = await ask('/sign-in', '', 'POST')
  const cookie = signedIn.headers.getSetCookie().join().split(';')[0] ?? ''
  const answer = await ask('/chat-token', cookie)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const { exp, ...said } = readToken(await answer.text(), secret)
  assert.deepEqual(said, { sub: '4711', name: 'Ana Lima', email: 'ana@example.com', aud: channel })
  assert.ok(Math.abs(Number(exp) - Date.now() / 1_000 - 3_600) < 60)

  await ask('/sign-out', cookie, 'POST')
  assert.equal((await ask('/chat-token', cookie)).status, 204)
})
