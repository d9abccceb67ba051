import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

/*
 * An agency's side of auto-recharge: it receives the event, verifies its signature, and grants the credits.
 * Plain Node, nothing to install. Read the README beside it first.
 */

const { PATCHBAY_URL, PATCHBAY_API_KEY, WEBHOOK_SECRET, PORT = '8090' } = process.env
if (!PATCHBAY_URL || !PATCHBAY_API_KEY || !WEBHOOK_SECRET) {
  console.error('Set PATCHBAY_URL (such as https://localhost:8443/v1), PATCHBAY_API_KEY and WEBHOOK_SECRET.')
  process.exit(1)
}

const maxBytes = 64 * 1024

const server = createServer(async (request, response) => {
  const { status, text } = await answer(request).catch((error) => ({ status: 500, text: String(error) }))
  console.log(`${status} ${text}`)
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on port ${server.address().port}`))

async function answer(request) {
  if (request.method !== 'POST') return { status: 405, text: 'POST events here.' }
  const body = await read(request)
  if (body === undefined) return { status: 413, text: 'The body is too large.' }
  if (!isSigned(request.headers, body)) return { status: 401, text: 'The signature is invalid.' }
  const event = JSON.parse(body)
  if (event.event !== 'subaccount.auto_recharge') return { status: 200, text: 'Ignored.' }
  if (event.idempotency_key === 'evt_test') return { status: 200, text: 'Test event received.' }
  return grant(event)
}

async function read(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. While a secret is being replaced there are two signatures. */
function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  // Against replay attacks.
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
 * The same event may come twice: after a lost response, a crash, or a manual resend. Its key makes both one grant, even
 * when they arrive at the same moment. The body must be the same too, so it is built from the event only.
 */
async function grant({ idempotency_key, email, amount }) {
  // Add your own rules here: may this customer be recharged, is it paid for? Store the key there as well.
  const response = await fetch(`${PATCHBAY_URL}/subaccounts/credits`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': PATCHBAY_API_KEY,
      'idempotency-key': idempotency_key,
    },
    body: JSON.stringify({ email, amount, description: `Auto-recharge ${idempotency_key}` }),
  })
  const result = await response.json()
  if (response.ok) return { status: 200, text: `${email} has ${result.new_balance} credits after ${idempotency_key}.` }
  // Patchbay retries an event that was not answered with 2xx.
  return { status: 502, text: `${email} was not recharged: ${result.error?.message}` }
}
