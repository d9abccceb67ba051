import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { contactOf } from './bots.ts'
import { sharedApp, type TestAccount, type TestApp } from './harness.ts'
import { addMember, type SignedIn, signIn } from './sessions.ts'

/** An account with two users of its inbox. */
export type Inbox = {
  app: TestApp
  account: TestAccount
  owner: Browser
  member: Browser
  /** The path of the conversation with a contact. */
  pathOf: (fromId?: string) => Promise<string>
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Calls that must succeed, and their answers. */
export type Browser = SignedIn & {
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects, which no type could do as well
  ok: (method: string, path: string, body?: unknown) => Promise<any>
}

export async function startInbox(starting: Promise<TestApp> = sharedApp()): Promise<Inbox> {
  const app = await starting
  const account = await app.makeAccount()
  const { accountId } = account
  return {
    app,
    account,
    owner: withOk(await signIn(app, account)),
    member: withOk(await signIn(app, { accountId, userId: await addMember(app, accountId, 'mia@example.com') })),
    pathOf: async (fromId) => `/api/conversations/${await contactOf(app, fromId)}`,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

export function withOk(browser: SignedIn): Browser {
  return {
    ...browser,
    ok: async (method, path, body) => {
      const answer = await browser.call(method, path, body)
      assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
  }
}

/** A reply as the app sends it. */
export const replyOf = (body: string) => ({ body, clientId: randomUUID() })
