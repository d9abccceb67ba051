import { hashToken, newToken } from '../../src/business/sessions/session-cookie.ts'
import { insertSession } from '../../src/business/sessions/session-store.ts'
import type { Db } from '../../src/platform/database/db.ts'
import type { Client } from './https-client.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects, which no type could do as well
type Answered = { status: number; body: any; text: string }
/** The body is undefined where it is no JSON. */
export type OwnerCall = (method: string, path: string, body?: object) => Promise<Answered>

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
  const json = (body: object) => ({
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return async (method, path, body) => {
    const sent = body && (Buffer.isBuffer(body) ? { headers, body } : json(body))
    const { status, text, headers: answered } = await client.send(`${url()}${path}`, { method, headers, ...sent })
    const isJson = answered['content-type']?.startsWith('application/json')
    return { status, text, body: isJson ? JSON.parse(text) : undefined }
  }
}
