import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import type { WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import type { Page } from 'playwright-core'
import type { ChannelId, ContactId } from '../../../../server/src/platform/ids.ts'
import { sharedApp } from '../../../../server/test/helpers/harness.ts'
import { openClient } from '../../../../server/test/helpers/https-client.ts'
import { makeChat } from '../../../../server/test/helpers/own-channels.ts'
import { signIn } from '../../../../server/test/helpers/sessions.ts'
import { openBetween } from './between.ts'
import { openShop, type ShopPage } from './shop.ts'

export type RealChat = Awaited<ReturnType<typeof startRealChat>>

/** The whole product, with a chat on the pages of a shop: on `/` and `/other`, and on `/behind`, where a proxy stands between them. */
export async function startRealChat(settings: Partial<WebchatSettings> = {}, head = '') {
  await using stack = new AsyncDisposableStack()
  const app = stack.use(await sharedApp({ ROLE: 'all', SERVE_APP: '1', RATE_LIMIT_PER_MINUTE: '0' }))
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const between = stack.use(await openBetween(app.url))
  const origin = `https://patchbay.test:${new URL(app.url).port}`
  const pages: Record<string, ShopPage> = {}
  const site = stack.use(await openShop(pages, ''))
  const words = { en: { greeting: 'Hello </script><b>.', button: 'Chat with us', privacy: '', privacyUrl: null } }
  const channel = await makeChat(owner, { pages: [`shop.test:${site.port}`], words, ...settings })
  const line = (from: string) => `<script async src="${from}/chat/${channel.id}.js"></script>`
  for (const path of ['/', '/other']) pages[path] = { head, line: line(origin) }
  pages['/behind'] = { head, line: line(between.origin) }
  pages['/without'] = { line: '' }
  const client = openClient({ certificate: app.certificate })
  stack.defer(() => client.close())
  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await owner.call(method, path, body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }
  const messages = () =>
    app.db.selectFrom('messages').selectAll().where('channel', '=', channel.id).orderBy('seq').execute()
  const running = stack.move()
  return {
    ...{ app, shop, owner, site, between, channel, channelId: channel.id as ChannelId, origin, ok, messages },
    get: (path: string, headers: Record<string, string> = {}, { url } = app) =>
      client.send(new URL(`${url}${path}`), { headers }),
    /** What visitors have written, in order. */
    written: async () => (await messages()).filter(({ direction }) => direction === 'incoming').map(({ body }) => body),
    reply: (contactId: ContactId, body: string) =>
      ok('POST', `/api/conversations/${contactId}/replies`, { body, clientId: randomUUID() }),
    change: async (more: Partial<WebchatSettings>) => {
      const { version } = await ok('GET', `/api/channels/${channel.id}`)
      await ok('PATCH', `/api/channels/${channel.id}`, { version, settings: more })
    },
    /** The shop's server, which knows the secret. */
    openSigning: async () => {
      const { secret } = await ok('POST', `/api/channels/${channel.id}/secret`, {})
      return (sub: string, seconds = 600) => {
        const claims = { sub, name: sub, aud: channel.id, exp: Math.floor(Date.now() / 1_000) + seconds }
        const signed = [{ alg: 'HS256', typ: 'JWT' }, claims]
          .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
          .join('.')
        return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
      }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

export const openChat = (page: Page) => page.getByRole('button', { name: /^(Chat with us|Open the chat)/ }).click()

/** How much the page keeps: for long, for the tab, and as cookies. */
export const stored = (page: Page) => page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])
