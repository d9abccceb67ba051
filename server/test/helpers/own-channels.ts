import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { Channel } from '@patchbay/contract/app/channels.ts'
import { openReceiveFromChannel } from '../../src/journey/intake/channel-messages/receive-from-channel.ts'
import { openFairShare } from '../../src/platform/database/fair-share.ts'
import type { AccountId, ContactId } from '../../src/platform/ids.ts'
import { secretKey, sharedApp, type TestAccount, type TestApp } from './harness.ts'
import { type SignedIn, signIn } from './sessions.ts'

/** A shop with a website chat, whose address and page are on this machine. */
export type OwnWorld = AsyncDisposable & {
  app: TestApp
  shop: TestAccount
  owner: SignedIn
  channel: Channel
  /** A visitor writes: as if their browser had, which is not what is looked at here. */
  write: (visitor: string, body: string) => Promise<ContactId>
}

export async function startOwnWorld(environment: Parameters<typeof sharedApp>[0] = {}): Promise<OwnWorld> {
  const app = await sharedApp({ ROLE: 'all', ...environment })
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const channel = await makeChat(owner)
  const share = openFairShare({ slots: 4, mostWaiting: 100, longestWaitMs: 20_000 })
  const receive = openReceiveFromChannel({ db: app.db, share, secretKey, hint: () => {}, instruments: app.instruments })
  let messages = 0
  return {
    ...{ app, shop, owner, channel },
    write: async (visitor, body) => {
      messages += 1
      const accountId = shop.accountId as AccountId
      const address = hash('sha256', `${channel.id} ${visitor}`)
      const { messageId } = await receive({
        ...{ accountId, channelId: channel.id as `chn_${string}` },
        messageSid: `${channel.id}:${address.slice(0, 24)}/${messages}`,
        addresses: [{ kind: 'browser', address }],
        names: { firstName: null, lastName: null, username: null },
        ...{ kind: 'text', body, at: Date.now(), mayBeAnswered: false, file: null, replyTo: null, data: {} },
      })
      const rows = app.db.selectFrom('messages').select('contactId').where('id', '=', messageId)
      return (await rows.executeTakeFirstOrThrow()).contactId
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

export async function makeChat(owner: SignedIn, settings: object = { pages: ['localhost:3000'] }): Promise<Channel> {
  const { status, body } = await owner.call('POST', '/api/channels', { kind: 'webchat', settings })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
