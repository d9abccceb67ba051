import type { Kind } from './log.ts'

export type Request = {
  method: string
  path: string
  /** Of the public API; of the app's own, the token of a session. */
  apiKey: string
  isApp?: boolean
  body: string | undefined
  /** Identifies it in the log. */
  name: string
}

const incomingPath = '/v1/incoming_custom_channel_message'
const file = { type: 'application/octet-stream', bytes: 5 * 1024 * 1024 }
/** How many people write to the normal tenant. */
const people = 500

/** Makes requests with unique names. */
export function openWriter(label: string, random: () => number): (kind: Kind, apiKey: string) => Request {
  let written = 0
  const person = () => `person ${Math.trunc(random() * people)}`
  let created = 0
  /** The first is the number that `find` looks up. */
  const phone = () => {
    created += 1
    const n = created === 1 ? 0 : Math.trunc(random() * 5_000)
    return `+1555${String(n).padStart(7, '0')}`
  }
  const post = (apiKey: string, path: string, [name, body]: [string, unknown]) => ({
    method: 'POST',
    path,
    apiKey,
    name,
    body: JSON.stringify(body),
  })

  return (kind, apiKey) => {
    written += 1
    const name = `${label} ${kind} ${written}`
    const message = { messageSid: name, toId: 'shop', body: `Message ${name}` }
    switch (kind) {
      case 'incoming':
        return post(apiKey, incomingPath, [name, { customData: { ...message, fromId: person() } }])
      case 'hello':
        return post(apiKey, incomingPath, [name, { customData: { ...message, fromId: name, body: 'Hello' } }])
      case 'upload': {
        const mediaUrl = `data:${file.type};base64,${fileContent(written)}`
        const media = { mediaUrl, mediaContentType: file.type }
        return post(apiKey, incomingPath, [name, { customData: { ...message, fromId: person(), ...media } }])
      }
      case 'send': {
        const customData = { fromId: person(), customChannel: 'chat', body: name }
        return post(apiKey, '/v1/send_custom_channel_message', [name, { customData }])
      }
      case 'create':
        return post(apiKey, '/v1/contacts', [name, { phone: phone() }])
      case 'app':
        return { method: 'GET', path: '/api/session', apiKey, isApp: true, body: undefined, name }
      case 'find':
        return { method: 'GET', path: '/v1/contacts?phoneNumber=15550000000', apiKey, body: undefined, name }
    }
  }
}

/** A different file each time, whose first bytes match no known format. */
function fileContent(n: number): string {
  const bytes = Buffer.alloc(file.bytes, `\x01${n} `)
  return bytes.toString('base64')
}
