import { incomingPath } from '../../common/public-api.ts'

/**
 * Messages as integrations send them. `names`: first name, last name and e-mail address in every message, of contacts
 * whose fields have them already; `plain`: without; `new`: as `names`, and one message in five is the first of its
 * contact; `owed`: as `names`, to an account whose bot owes an answer to each.
 */
export const messageTraffic = ['names', 'plain', 'new', 'owed'] as const
export type MessageTraffic = (typeof messageTraffic)[number]

/** Requests that must cost the server less than a message does. */
export const cheapKinds = ['duplicate', 'missing body', 'wrong key', 'throttled'] as const
export type CheapKind = (typeof cheapKinds)[number]

/**
 * What is sent: messages, `many` as `names` but of a million contacts; or grants of credits, to any of the sub-accounts
 * or all of them to one.
 */
export type TrafficKind = MessageTraffic | 'many' | CheapKind | 'grant to any' | 'grant to one'

export type Traffic = { kind: TrafficKind; port: number; apiKey: string }

/** Of the JSON body of a message without names, everything included; with names it has their bytes more. */
const bodyBytes = 300

/** Of `many`: far more than the product remembers. The first message of each makes it. */
export const contactsOfMany = 1_000_000

/** How many contacts write at the time, out of those that `fill` makes. */
export const activeContacts = 10_000
export const contactsPerActive = 10

/** More than there are connections, so that no copy meets its original still on its way. */
const duplicatedMessages = 1_000

/** Returns a function that makes the next request, whole, as it goes over the wire. */
export function makeTraffic({ kind, port, apiKey }: Traffic): () => string {
  const end = ` HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\ncontent-length: `
  const post = (key: string, body: string) => `POST ${incomingPath}?apiKey=${key}${end}${body.length}\r\n\r\n${body}` // all ASCII: characters are bytes
  switch (kind) {
    case 'plain':
    case 'throttled':
      return () => post(apiKey, message(`SM${randomHex()}`, randomContact()))
    case 'names':
    case 'owed':
      return () => post(apiKey, messageWithNames(contactId(randomContact())))
    case 'new':
      return () => post(apiKey, messageWithNames(Math.random() < newShare ? stranger() : contactId(randomContact())))
    case 'many':
      return () => post(apiKey, messageWithNames(`one-of-many-${Math.floor(Math.random() * contactsOfMany)}`))
    case 'duplicate': {
      let sent = 0
      return () => {
        sent = (sent + 1) % duplicatedMessages
        return post(apiKey, message(`DUPLICATE-${sent}`, sent))
      }
    }
    case 'missing body':
      return () => post(apiKey, withoutText(`SM${randomHex()}`, randomContact()))
    case 'grant to any':
      return () => grant({ port, apiKey }, Math.floor(Math.random() * subaccounts))
    case 'grant to one':
      return () => grant({ port, apiKey }, 0)
    case 'wrong key':
      return () => post(`pb_wrong-${randomHex()}`, message(`SM${randomHex()}`, randomContact()))
  }
}

export const subaccounts = 100

export function subaccountEmail(n: number): string {
  return `sub${n}@patchbay.local`
}

/** A credit, with the key in the header, as this endpoint wants it. */
function grant({ port, apiKey }: Pick<Traffic, 'port' | 'apiKey'>, to: number): string {
  const body = `{"email":"${subaccountEmail(to)}","amount":1,"description":"Benchmark"}`
  return `POST /v1/subaccounts/credits HTTP/1.1\r\nhost: localhost:${port}\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** Of `new`: the messages that are the first of their contact. */
const newShare = 1 / 5

/** The id, on the sender's side, of one of the contacts that write. `fill.ts` knows the same form. */
function contactId(active: number): string {
  return `contact-${active * contactsPerActive}`
}

function message(messageSid: string, contact: number): string {
  return `${withSender(messageSid, contactId(contact))},"body":"${text}"}}`
}

/** The id of a contact that has never written. */
function stranger(): string {
  return `stranger-${randomHex()}`
}

function messageWithNames(id: string): string {
  return `${withSender(`SM${randomHex()}`, id)},${namesOf(id)},"body":"${text}"}}`
}

/** What `fill.ts` has given the contact too. A message fills blanks and overwrites nothing, so any words would do. */
function namesOf(id: string): string {
  return `"firstName":"Ana","lastName":"Of ${id}","email":"${id}@example.com"`
}

function withoutText(messageSid: string, contact: number): string {
  return `${withSender(messageSid, contactId(contact))},"status":"${text}"}}`
}

function withSender(messageSid: string, fromId: string): string {
  return `{"customData":{"messageSid":"${messageSid}","fromId":"${fromId}","toId":"shop","channel":"bench"`
}

export const filling = 'The quick brown fox jumps over the lazy dog and asks when the shop opens tomorrow. '.repeat(4)

const longestStart = `${withSender(`SM${'0'.repeat(32)}`, contactId(activeContacts))},"body":"`.length

/** The text of a message, the same in all traffic, so that what is kept of it is the same. */
export const text = filling.slice(0, bodyBytes - longestStart - 3)

function randomContact(): number {
  return Math.floor(Math.random() * activeContacts)
}

const hex = Array.from({ length: 65_536 }, (_, n) => n.toString(16).padStart(4, '0'))

/**
 * 128 bits. Random like the ids of real sources, because ids in order would flatter the index on them; from a table,
 * because the client shares the machine with what it measures.
 */
function randomHex(): string {
  let text = ''
  for (let part = 0; part < 8; part += 1) text += hex[Math.floor(Math.random() * 65_536)]
  return text
}
