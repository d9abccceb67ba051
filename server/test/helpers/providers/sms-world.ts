import assert from 'node:assert/strict'
import type { Channel } from '@patchbay/contract/app/channels.ts'
import { sharedUnless, type startApp, type TestAccount, type TestApp } from '../harness.ts'
import { type SignedIn, signIn } from '../sessions.ts'
import { type Entrance, startEntrance } from './entrance.ts'
import { startTwilio, type TwilioDouble } from './twilio.ts'
import type { TwilioAccount } from './twilio-account.ts'

type Environment = Parameters<typeof startApp>[0]

/** A server with background work whose Twilio is a double, and which that can call. */
export type SmsWorld = AsyncDisposable & {
  twilio: TwilioDouble
  entrance: Entrance
  app: TestApp
  shop: TestAccount
  owner: SignedIn
  /** With what it was started. */
  environment: NonNullable<Environment> & { PUBLIC_URL: string }
}

export async function startSmsWorld(given: Environment = {}): Promise<SmsWorld> {
  await using starting = new AsyncDisposableStack()
  const twilio = starting.use(await startTwilio())
  const entrance = starting.use(await startEntrance())
  const environment = { ROLE: 'all', CHANNEL_ORIGINS: twilio.origins, PUBLIC_URL: entrance.url, ...given }
  const app = starting.use(await sharedUnless(environment))
  entrance.leadTo(app.url)
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const started = starting.move()
  return { twilio, entrance, app, shop, owner, environment, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/** Connects a sender of the account as its owner does in the app. */
export async function connectSms(
  owner: SignedIn,
  account: TwilioAccount,
  { sender, ...more }: { sender: string; takesOver?: boolean },
): Promise<Channel> {
  const { status, body } = await owner.call('POST', '/api/channels', {
    ...{ kind: 'sms', credentials: account.credentials(sender), ...more },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
