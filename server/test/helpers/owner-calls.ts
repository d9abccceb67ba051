import { hashToken, newToken } from '../../src/business/sessions/session-cookie.ts'
import { insertSession } from '../../src/business/sessions/session-store.ts'
import type { Db } from '../../src/platform/database/db.ts'
import type { Client } from './https-client.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects, which no type could do as well
export type OwnerCall = (method: string, path: string, body?: object) => Promise<{ status: number; body: any }>

/** Calls the app's own API of a server in a process of its own, as the owner of the installation. */
export async function openOwnerCalls(db: Db, client: Client, url: () => string): Promise<OwnerCall> {
  const { id: userId, accountId } = await db
    .selectFrom('users')
    .select(['id', 'accountId'])
    .where('isOwner', '=', true)
    .executeTakeFirstOrThrow()
  const token = newToken()
  await insertSession(db, { tokenHash: hashToken(token), accountId, userId, address: null })
  const headers = { cookie: `__Host-patchbay=${token}`, 'sec-fetch-site': 'same-origin' }
  return async (method, path, body) => {
    const json = body && { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const { status, text } = await client.send(`${url()}${path}`, { method, headers, ...json })
    return { status, body: text === '' ? undefined : JSON.parse(text) }
  }
}
