import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ChatPage, ChatPost } from '@patchbay/contract/chat/protocol.ts'
import type { Client } from '../https-client.ts'

/** As a browser makes it at the first send. */
const newBearer = () => `b.${randomBytes(32).toString('base64url')}`

type ChatAnswer = {
  status: number
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects, which no type could do as well
  body: any
}

export type Visitor = {
  bearer: string
  /** What every request of theirs carries. */
  headers: Record<string, string>
  /** Any request of the protocol; a body that is no buffer is sent as JSON. */
  ask: (method: string, path: string, body?: object) => Promise<ChatAnswer>
  /** One message; a new id, unless one is given. */
  write: (text: string, more?: Partial<ChatPost>) => Promise<ChatAnswer>
  /** What a panel reads that has just been opened. */
  read: () => Promise<ChatPage>
}

export type Door = {
  client: Client
  /** Of the server, or of one of them: asked anew for each request. */
  url: () => string
  channelId: string
  /** The page they are on. */
  origin: string
}

/** Somebody on the shop's page: what their browser says, and nothing of how it is shown. `from`: their network address, behind a trusted proxy. */
export function openVisitor(door: Door, { bearer = newBearer(), from = '' } = {}): Visitor {
  const headers = {
    origin: door.origin,
    authorization: `Bearer ${bearer}`,
    ...(from && { 'x-forwarded-for': from, 'x-forwarded-proto': 'https' }),
  }
  const ask = async (method: string, path: string, body?: object): Promise<ChatAnswer> => {
    const isRaw = Buffer.isBuffer(body)
    const type = isRaw ? 'application/octet-stream' : 'application/json'
    const sent = body && { body: isRaw ? body : JSON.stringify(body) }
    const answer = await door.client.send(`${door.url()}/chat/${door.channelId}/${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': type }) },
      ...sent,
    })
    const isJson = answer.headers['content-type']?.startsWith('application/json')
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(answer.text) : answer.text }
  }
  return {
    ...{ bearer, headers, ask },
    write: (text, more = {}) => ask('POST', 'messages', { id: randomUUID(), text, language: 'en', ...more }),
    read: async () => {
      const { status, body } = await ask('GET', 'messages')
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body
    },
  }
}

/** How the contact of a browser is known: what is kept of its key. */
export function addressOf(channelId: string, bearer: string): string {
  return hash('sha256', `${channelId} ${bearer.slice('b.'.length)}`)
}
