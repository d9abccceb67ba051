import { hashToken, newToken } from '../../src/business/sessions/session-cookie.ts'
import { insertSession } from '../../src/business/sessions/session-store.ts'
import { type AccountId, newId, type UserId } from '../../src/platform/ids.ts'
import type { Answer, TestApp } from './harness.ts'

/** A browser that is signed in: calls the app's own API with its cookie. */
export type SignedIn = {
  cookie: string
  userId: UserId
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
}

/** Signs in without the password, whose hash would take most of a test's time. */
export async function signIn(app: TestApp, { accountId, userId }: { accountId: AccountId; userId: UserId }) {
  const token = newToken()
  await insertSession(app.db, { tokenHash: hashToken(token), accountId, userId, address: null })
  return withCookie(app, userId, `__Host-patchbay=${token}`)
}

export function withCookie(app: TestApp, userId: UserId, cookie: string): SignedIn {
  return {
    cookie,
    userId,
    call: (method, path, body, headers) =>
      app.call(method, path, {
        headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers },
        ...(body !== undefined && { body }),
      }),
  }
}

/** A second user of the account, who is not its owner. */
export async function addMember(app: TestApp, accountId: AccountId, email: string): Promise<UserId> {
  const userId = newId('usr')
  await app.db
    .insertInto('users')
    .values({ id: userId, accountId, email, passwordHash: 'none', isOwner: false, name: 'Mia Member' })
    .execute()
  return userId
}

/** A member whom an owner lets manage. */
export async function addManager(app: TestApp, accountId: AccountId, email: string): Promise<UserId> {
  const userId = await addMember(app, accountId, email)
  const update = app.db.updateTable('users').set({ isManager: true })
  await update.where('accountId', '=', accountId).where('id', '=', userId).execute()
  return userId
}
