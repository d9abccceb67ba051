/** Checks the signature of a post, by hand, in Node. */
export const signatureCheck = `import { createHmac, timingSafeEqual } from 'node:crypto'

// body: the bytes as they came, before any JSON parser
function isOurs(headers, body, secret) {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = \`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\${body}\`
  const wanted = createHmac('sha256', key).update(signed).digest()
  const isFresh = Math.abs(Date.now() / 1000 - headers['webhook-timestamp']) < 300
  return isFresh && headers['webhook-signature'].split(' ').some((one) => {
    const given = Buffer.from(one.replace('v1,', ''), 'base64')
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  })
}`

export const postedExample = JSON.stringify(
  {
    contactId: 'con_019a8b0e5d3c7c1f8a4e2b6d9f0a1c3e',
    messageId: 'msg_019a8b0e5d3c7c1f8a4e2b6d9f0a1c40',
    userId: 'usr_019a8b0e5d3c7c1f8a4e2b6d9f0a1c43',
    body: 'Yes, to all of Europe.',
    toId: 'customer-4711',
    channel: 'web chat',
  },
  null,
  2,
)
