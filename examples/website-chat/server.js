import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/* A shop with a chat on its page, which says who is signed in. Plain Node, nothing to install. Read the README beside it first. */

const { PATCHBAY_URL, CHANNEL_ID, CHAT_SECRET, PORT = '8070' } = process.env
if (!PATCHBAY_URL || !CHANNEL_ID) {
  console.error(
    'Set PATCHBAY_URL (such as https://localhost:8443), CHANNEL_ID (chn_…) and, to sign customers in, CHAT_SECRET.',
  )
  process.exit(1)
}

const line = `<script async src="${PATCHBAY_URL}/chat/${CHANNEL_ID}.js"></script>`
const shop = readFileSync(new URL('shop.html', import.meta.url), 'utf8').replace('<!-- the line -->', line)
/** Who is signed in, by session: a shop has such a table already. */
const customers = new Map()

/** Everything that the chat is told about a customer is under the signature, and nothing else counts. */
function chatToken({ id, name, email }) {
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = { sub: id, name, email, aud: CHANNEL_ID, exp: Math.floor(Date.now() / 1_000) + 3_600 }
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', CHAT_SECRET).update(signed).digest('base64url')}`
}

const routes = {
  'GET /': () => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: shop }),
  // A real shop asks for a password here.
  'POST /sign-in': () => {
    const session = randomUUID()
    customers.set(session, { id: '4711', name: 'Ana Lima', email: 'ana@example.com' })
    return { headers: { 'set-cookie': `session=${session}; HttpOnly; SameSite=Lax; Path=/` } }
  },
  'POST /sign-out': (session) => ({ body: customers.delete(session) ? 'Signed out.' : 'Nobody was signed in.' }),
  'GET /chat-token': (session) => {
    const customer = CHAT_SECRET ? customers.get(session) : undefined
    return customer ? { body: chatToken(customer) } : { status: 204 }
  },
}

const server = createServer(({ method, url, headers: { cookie = '' } }, response) => {
  const route = routes[`${method} ${url.split('?')[0]}`]
  const answer = route ? route(/session=([\w-]+)/.exec(cookie)?.[1]) : { status: 404, body: 'There is nothing here.' }
  response.writeHead(answer.status ?? 200, {
    'content-type': 'text/plain',
    'cache-control': 'no-store',
    ...answer.headers,
  })
  response.end(answer.body)
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`the shop is on http://localhost:${server.address().port}`))
