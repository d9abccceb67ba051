import { outgoingPath } from '../../common/public-api.ts'
import { activeContacts, filling } from './traffic.ts'

/** Of the JSON body, everything included, as for messages that come in. */
const bodyBytes = 300

/** How many accounts send, each to a receiver of its own, and to how many contacts each. */
export const senders = 16
export const contactsPerSender = activeContacts / senders

export function senderKey(sender: number): string {
  return `a-key-of-sender-${sender}`
}

/** A request of any of the accounts to any of its contacts. The number is what we know it by when its event arrives. */
export function makeOutgoing(port: number, n: number): string {
  const key = senderKey(Math.floor(Math.random() * senders))
  const contact = Math.floor(Math.random() * contactsPerSender)
  const start = `{"customData":{"fromId":"contact-${contact}","customChannel":"bench","body":"#${n} `
  const body = `${start}${filling.slice(0, bodyBytes - start.length - 3)}"}}`
  return `POST ${outgoingPath}?apiKey=${key} HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}
