import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

/*
 * An agency's side of auto-recharge: it receives the event, makes sure that it is from Patchbay, and grants the credits.
 * Plain Node, nothing to install. Read the README beside it first.
 */

const { PATCHBAY_URL, PATCHBAY_API_KEY, WEBHOOK_SECRET, PORT = '8090' } = process.env
if (!PATCHBAY_URL || !PATCHBAY_API_KEY || !WEBHOOK_SECRET) {
  console.error('Set PATCHBAY_URL (such as https://localhost:8443/v1), PATCHBAY_API_KEY and WEBHOOK_SECRET.')
  process.exit(1)
}

const mostBytes = 64 * 1024

const server = createServer(async (request, response) => {
  const { status, say } = await answer(request).catch((error) => ({ status: 500, say: String(error) }))
  console.log(`${status} ${say}`)
  response.writeHead(status, { 'content-type': 'text/plain' }).end(say)
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on port ${server.address().port}`))

async function answer(request) {
  if (request.method !== 'POST') return { status: 405, say: 'POST events here.' }
  const body = await read(request)
  if (body === undefined) return { status: 413, say: 'No event is that large.' }
  if (!isSigned(request.headers, body)) return { status: 401, say: 'The signature does not fit.' }
  const event = JSON.parse(body)
  if (event.event !== 'subaccount.auto_recharge') return { status: 200, say: 'Not for me.' }
  if (event.idempotency_key === 'evt_test') return { status: 200, say: 'The test has arrived.' }
  return grant(event)
}

async function read(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > mostBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. While a secret is being replaced there are two signatures. */
function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  // An old one may have been overheard and be sent again.
  if (!id || !signatures || !(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false
  const key = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return signatures.split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',')
    const given = Buffer.from(text, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/**
 * The same event may come twice: after a lost answer, a crash, or a person's "send again". Its key makes both of them one
 * grant, even when they arrive at the same moment. The body must then be the same too, so it is made of the event alone.
 */
async function grant({ idempotency_key, email, amount }) {
  // Here your own rules would stand: may this customer be recharged, is it paid for? Remember the key there as well.
  const answered = await fetch(`${PATCHBAY_URL}/subaccounts/credits`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': PATCHBAY_API_KEY,
      'idempotency-key': idempotency_key,
    },
    body: JSON.stringify({ email, amount, description: `Auto-recharge ${idempotency_key}` }),
  })
  const result = await answered.json()
  if (answered.ok) return { status: 200, say: `${email} has ${result.new_balance} credits after ${idempotency_key}.` }
  // Patchbay sends an event again that was not answered with 2xx.
  return { status: 502, say: `${email} was not recharged: ${result.error?.message}` }
}
