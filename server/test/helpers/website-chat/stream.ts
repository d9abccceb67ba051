import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { ChatEvents } from '@patchbay/contract/chat/protocol.ts'

type ChatEvent = {
  [Name in keyof ChatEvents]: { event: Name; id: string | undefined; data: ChatEvents[Name] }
}[keyof ChatEvents]

export type ChatStream = {
  status: number
  headers: IncomingMessage['headers']
  events: ChatEvent[]
  /** Comments that keep proxies from closing it. */
  comments: () => number
  ended: Promise<void>
  isOpen: () => boolean
  [Symbol.dispose]: () => void
}

type Asked = { url: string; headers: Record<string, string>; onEvent?: (event: ChatEvent) => void }

/** A visitor's stream on a connection of its own, once it is answered. It trusts every server. */
export async function openStream({ url, headers, onEvent = () => {} }: Asked): Promise<ChatStream> {
  const asked: ClientRequest = request(url, { rejectUnauthorized: false, agent: false, headers })
  asked.end()
  const [response]: IncomingMessage[] = await once(asked, 'response')
  asked.on('error', () => {}) // told by `ended`
  if (!response) throw new Error('no response')
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const events: ChatEvent[] = []
  let [text, comments, isOpen] = ['', 0, true]
  response.setEncoding('utf8')
  response.on('data', (data: string) => {
    const parts = (text + data).split('\n\n')
    text = parts.pop() ?? ''
    for (const part of response.statusCode === 200 ? parts : []) {
      if (part.startsWith(':')) comments += 1
      const event = readEvent(part)
      if (!event) continue
      events.push(event)
      onEvent(event)
    }
  })
  response.on('error', () => {})
  response.once('close', () => {
    isOpen = false
    resolve()
  })
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    comments: () => comments,
    ended,
    isOpen: () => isOpen,
    [Symbol.dispose]: () => void asked.destroy(),
  }
}

function readEvent(part: string): ChatEvent | undefined {
  const fields = new Map(part.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]))
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { event: fields.get('event'), id: fields.get('id'), data: JSON.parse(data) } as ChatEvent // as the server says
}
