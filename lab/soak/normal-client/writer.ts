import { incomingPath, outgoingPath, post as postOf } from '../../common/public-api.ts'
import type { Sent } from '../../common/sender.ts'
import { forwardedFrom, type Guest, newGuest, writeAsGuest } from '../../common/website-chat.ts'
import type { Kind } from './log.ts'

/** `name` identifies it in the log. */
type Request = Sent & { name: string }

const file = { type: 'application/octet-stream', bytes: 5 * 1024 * 1024 }
/** How many people write to the normal tenant. */
const people = 500
/** How many have the website chat of a shop open. */
const guestsOfChat = 200
/** Where a proxy, if there is one, sees the integration and the browser of somebody of the team. */
const [integration, colleague] = [forwardedFrom('198.51.100.10'), forwardedFrom('198.51.100.20')]

/** Makes requests with unique names. `apiKey`: of the public API; of the app's own, the token of a session; of a website chat, its channel's id. */
export function openWriter(
  label: string,
  random: () => number,
  guestsOfOne = guestsOfChat,
): (kind: Kind, apiKey: string) => Request {
  let written = 0
  const person = () => `person ${Math.trunc(random() * people)}`
  let [created, chatted] = [0, 0]
  /** The first is the number that `find` looks up. */
  const phone = () => {
    created += 1
    const n = created === 1 ? 0 : Math.trunc(random() * 5_000)
    return `+1555${String(n).padStart(7, '0')}`
  }
  const guests: Guest[] = []
  const guest = (channelId: string, n: number) => {
    guests[n] ??= newGuest(channelId, n)
    return guests[n]
  }
  const post = (apiKey: string, path: string, [name, body]: [string, unknown]) => {
    const { headers, ...sent } = postOf(apiKey, path, body)
    return { ...sent, headers: { ...headers, ...integration }, name }
  }
  const get = (path: string, headers: Sent['headers']) => ({ method: 'GET', path, headers, body: undefined })

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
        return post(apiKey, outgoingPath, [name, { customData }])
      }
      case 'create':
        return post(apiKey, '/v1/contacts', [name, { phone: phone() }])
      case 'app':
        return { ...get('/api/session', { cookie: `__Host-patchbay=${apiKey}`, ...colleague }), name }
      case 'chat':
        chatted += 1
        return { ...writeAsGuest(guest(apiKey, chatted % guestsOfOne), name), name }
      case 'find':
        return { ...get('/v1/contacts?phoneNumber=15550000000', { 'x-api-key': apiKey, ...integration }), name }
    }
  }
}

/** A different file each time, whose first bytes match no known format. */
function fileContent(n: number): string {
  const bytes = Buffer.alloc(file.bytes, `\x01${n} `)
  return bytes.toString('base64')
}
