import { randomBytes, randomUUID } from 'node:crypto'
import type { ChatPost } from '@patchbay/contract/chat/protocol.ts'
import type { ChannelId } from '../../../src/platform/ids.ts'
import type { Client } from '../https-client.ts'
import type { ChatAnswer } from './chat-world.ts'

/** How visitors reach servers in processes of their own. */
export type Door = {
  client: Client
  /** One of them: asked anew for each request. */
  server: () => { url: string; certificate: string }
  channelId: ChannelId
  /** The page they are on. */
  origin: string
}

export type DoorVisitor = {
  key: string
  headers: Record<string, string>
  ask: (method: string, path: string, body?: object) => Promise<ChatAnswer>
  write: (text: string, more?: Partial<ChatPost>) => Promise<ChatAnswer>
}

/** A browser whose network address is `from`, as the proxy says. */
export function openVisitor({ client, server, channelId, origin }: Door, from: string): DoorVisitor {
  const key = randomBytes(32).toString('base64url')
  const headers = { origin, authorization: `Bearer b.${key}`, 'x-forwarded-for': from }
  const ask: DoorVisitor['ask'] = async (method, path, body) => {
    const sent = body && {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const answer = await client.send(`${server().url}/chat/${channelId}/${path}`, { method, headers, ...sent })
    const isJson = answer.headers['content-type']?.startsWith('application/json')
    return { ...answer, body: isJson ? JSON.parse(answer.text) : answer.text }
  }
  return {
    ...{ key, headers, ask },
    write: (text, more) => ask('POST', 'messages', { id: randomUUID(), text, language: 'en', ...more }),
  }
}
