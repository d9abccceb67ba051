import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type { ChatPage, ChatPost } from '@patchbay/contract/chat/protocol.ts'
import type { WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import type { ChannelId, ContactId } from '../../../src/platform/ids.ts'
import { sharedUnless, type TestAccount, type TestApp } from '../harness.ts'
import { openClient } from '../https-client.ts'
import { makeChat } from '../own-channels.ts'
import { type SignedIn, signIn } from '../sessions.ts'
import { type ChatWindow, openWindow } from './chat-window.ts'

export const page = 'https://shop.example'

/** A shop with a website chat, behind a proxy on this machine that tells where visitors come from. */
export type ChatWorld = AsyncDisposable & {
  app: TestApp
  shop: TestAccount
  owner: SignedIn
  channelId: ChannelId
  /** A browser, or a member by the token that their shop gives them. */
  visitor: (given?: Partial<Identity>) => Visitor
  reply: (contactId: ContactId, body: string) => Promise<void>
  change: (settings: Partial<WebchatSettings>) => Promise<void>
}

type Identity = {
  bearer: string
  address: string
  origin: string | undefined
  at: { url: string; certificate: string }
}

export type ChatAnswer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects
  body: any
}

export type Visitor = {
  bearer: string
  call: (
    method: string,
    path: string,
    options?: { body?: unknown; raw?: Buffer; headers?: Record<string, string> },
  ) => Promise<ChatAnswer>
  post: (text: string, more?: Partial<ChatPost>) => Promise<ChatAnswer>
  read: (query?: string) => Promise<ChatPage>
  listen: (after?: number) => Promise<ChatWindow>
}

let addresses = 0

export async function startChatWorld(
  { settings, ...environment }: { settings?: Partial<WebchatSettings> } & Record<string, unknown> = {},
  besides?: ChatWorld,
): Promise<ChatWorld> {
  addresses = (addresses | 255) + 1 // a network that no other test has: a server counts what comes from each
  const app = await sharedUnless({ TRUST_PROXY: '127.0.0.1', ...(environment as Record<string, string>) }, besides?.app)
  const shop = besides?.shop ?? (await app.makeAccount())
  const owner = besides?.owner ?? (await signIn(app, shop))
  const made =
    besides?.channelId ??
    (await makeChat(owner, { pages: ['shop.example', '*.shop.example', 'localhost:3000'], ...settings })).id
  const channelId = made as ChannelId
  const client = openClient({ certificate: app.certificate })
  const visitor = (given: Partial<Identity> = {}): Visitor => {
    addresses += 1
    const {
      bearer = `b.${randomBytes(32).toString('base64url')}`,
      address = `198.51.${99 + (addresses >> 8)}.${addresses & 255}`,
      at = app,
    } = given
    const origin = 'origin' in given ? given.origin : page
    const head = {
      authorization: `Bearer ${bearer}`,
      'x-forwarded-for': address,
      ...(origin !== undefined && { origin }),
    }
    const call: Visitor['call'] = async (method, path, { body, raw, headers } = {}) => {
      const type = body !== undefined ? { 'content-type': 'application/json' } : {}
      const url = new URL(path.startsWith('/') ? `${at.url}${path}` : `${at.url}/chat/${channelId}/${path}`)
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const answer = await client.send(url, { method, headers: { ...head, ...type, ...headers }, body: sent })
      const isJson = String(answer.headers['content-type']).startsWith('application/json')
      return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(answer.text) : answer.text }
    }
    return {
      bearer,
      call,
      post: (text, more) => call('POST', 'messages', { body: { id: randomUUID(), text, language: 'en', ...more } }),
      read: async (query = '') => {
        const { status, body } = await call('GET', `messages${query}`)
        assert.equal(status, 200, JSON.stringify(body))
        return body
      },
      listen: (after = 0) =>
        openWindow({ url: `${at.url}/chat/${channelId}/stream?after=${after}`, certificate: at.certificate }, head),
    }
  }
  return {
    ...{ app, shop, owner, channelId, visitor },
    reply: async (contactId, body) => {
      const sent = await owner.call('POST', `/api/conversations/${contactId}/replies`, { body, clientId: randomUUID() })
      assert.equal(sent.status, 200, JSON.stringify(sent.body))
    },
    change: async (more) => {
      const { body } = await owner.call('GET', `/api/channels/${channelId}`)
      const changed = await owner.call('PATCH', `/api/channels/${channelId}`, { version: body.version, settings: more })
      assert.equal(changed.status, 200, JSON.stringify(changed.body))
    },
    [Symbol.asyncDispose]: async () => {
      client.close()
      await app[Symbol.asyncDispose]()
    },
  }
}

/** The contacts of the account, oldest first. */
export async function contactsOf({ app, shop }: Pick<ChatWorld, 'app' | 'shop'>): Promise<ContactId[]> {
  const rows = app.db.selectFrom('contacts').select('id').where('accountId', '=', shop.accountId).orderBy('id')
  return (await rows.execute()).map(({ id }) => id)
}
