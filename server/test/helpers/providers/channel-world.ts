import assert from 'node:assert/strict'
import type { Channel } from '@patchbay/contract/app/channels.ts'
import type { TestDatabase } from '../databases.ts'
import { sharedUnless, startApp, type TestAccount, type TestApp } from '../harness.ts'
import { type SignedIn, signIn } from '../sessions.ts'
import { type Bot, startTelegram, type TelegramDouble } from './telegram.ts'

type Environment = Parameters<typeof startApp>[0]

/** A server with background work whose Telegram is a double. */
export type ChannelWorld = AsyncDisposable & {
  telegram: TelegramDouble
  app: TestApp
  shop: TestAccount
  owner: SignedIn
  /** Another server on the same database, with background work too; `database`: by another way to it. */
  startSecond: (database?: TestDatabase) => Promise<TestApp>
}

export async function startChannelWorld(environment: Environment = {}, attemptMs?: number): Promise<ChannelWorld> {
  const telegram = await startTelegram()
  const all = { ROLE: 'all', CHANNEL_ORIGINS: `telegram=${telegram.origin}`, ...environment }
  const outbound = attemptMs === undefined ? {} : { limits: { attemptMs } }
  const app = await sharedUnless(all, undefined, attemptMs)
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  return {
    ...{ telegram, app, shop, owner },
    startSecond: (database = app.database) => startApp(all, database, outbound),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await telegram[Symbol.asyncDispose]()
    },
  }
}

/** Connects a bot as its owner does in the app. */
export async function connectBot(owner: SignedIn, bot: Pick<Bot, 'token'>): Promise<Channel> {
  const { status, body } = await owner.call('POST', '/api/channels', {
    kind: 'telegram',
    credentials: { token: bot.token },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

export async function readChannel(owner: SignedIn, id: string): Promise<Channel> {
  const { status, body } = await owner.call('GET', `/api/channels/${id}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
