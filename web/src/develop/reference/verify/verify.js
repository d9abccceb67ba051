import { createHmac, timingSafeEqual } from 'node:crypto'

// headers: those of node:http, or a Headers object; body: the bytes as they came
export function isFromPatchbay(secret, headers, body) {
  const given = headers instanceof Headers ? Object.fromEntries(headers) : headers
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = given
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  return signatures.split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',')
    const bytes = Buffer.from(text, 'base64')
    return version === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
}
