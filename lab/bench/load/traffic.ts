import { incomingPath } from '../../common/public-api.ts'

/** Messages that come in. All but `new` must cost the server less than `new` does. */
export const messageKinds = ['new', 'duplicate', 'missing body', 'wrong key', 'throttled'] as const
export type MessageKind = (typeof messageKinds)[number]

/** What is sent: messages, or grants of credits, to any of the sub-accounts or all of them to one. */
export type TrafficKind = MessageKind | 'grant to any' | 'grant to one'

export type Traffic = { kind: TrafficKind; port: number; apiKey: string }

/** Of the JSON body, everything included. */
const bodyBytes = 300

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
    case 'new':
    case 'throttled':
      return () => post(apiKey, message(`SM${randomHex()}`, randomContact()))
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

/** The id, on the sender's side, of one of the contacts that write. `fill.ts` knows the same form. */
function contactId(active: number): string {
  return `contact-${active * contactsPerActive}`
}

function message(messageSid: string, contact: number): string {
  const start = `${withSender(messageSid, contact)},"body":"`
  return `${start}${filling.slice(0, bodyBytes - start.length - 3)}"}}`
}

function withoutText(messageSid: string, contact: number): string {
  const start = `${withSender(messageSid, contact)},"status":"`
  return `${start}${filling.slice(0, bodyBytes - start.length - 3)}"}}`
}

function withSender(messageSid: string, contact: number): string {
  return `{"customData":{"messageSid":"${messageSid}","fromId":"${contactId(contact)}","toId":"shop","channel":"bench"`
}

export const filling = 'The quick brown fox jumps over the lazy dog and asks when the shop opens tomorrow. '.repeat(4)

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
