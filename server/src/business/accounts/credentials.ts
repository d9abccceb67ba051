import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { noteBoth } from '../audit/note-both.ts'
import { type By, noteAct, operator } from '../audit/store.ts'
import { endAccess, lockAccess } from './access-store.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import { hashPassword, newPassword } from './password.ts'
import { findAccount, replaceKey, setHolderPassword, setRateLimit } from './store.ts'

/** Replaces the key. The old one stops working at once, and within a second in processes that have it cached. */
export async function generateKey(db: Db, account: string): Promise<string> {
  const { id } = await findAccount(db, account)
  return makeKey(db, id, operator)
}

/** Replaces the key, as `generateKey` does, of an account whose id is known. */
export async function makeKey(db: Db, accountId: AccountId, by: By): Promise<string> {
  const key = newApiKey()
  await db.transaction().execute(async (tx) => {
    await replaceKey(tx, accountId, hashApiKey(key))
    await noteAct(tx, accountId, { act: 'key generated', ...by })
  })
  return key
}

/** Sets the holder's password, to a new one if none is given, and returns it. Whoever knew the old one loses access. */
export async function changePassword(db: Db, account: string, given: string | undefined): Promise<string> {
  const { id } = await findAccount(db, account)
  const password = given ?? newPassword()
  const passwordHash = await hashPassword(password)
  await db.transaction().execute(async (tx) => {
    await lockAccess(tx, id)
    const userId = await setHolderPassword(tx, id, passwordHash)
    await endAccess(tx, { accountId: id, userId })
    await noteAct(tx, id, { act: 'password changed', ...operator })
  })
  return password
}

/** Gives one account a rate limit of its own; null restores the server's default. */
export async function limitRate(db: Db, account: string, perMinute: number | null): Promise<void> {
  const { id, agencyId } = await findAccount(db, account)
  if (perMinute !== null && !(Number.isInteger(perMinute) && perMinute >= 0 && perMinute <= 1_000_000_000)) {
    throw new Refusal('INVALID_REQUEST', 'The limit must be a whole number of requests a minute; 0 means no limit.')
  }
  await db.transaction().execute(async (tx) => {
    await setRateLimit(tx, id, perMinute)
    const details = { rateLimitPerMinute: perMinute ?? 'default' }
    if (agencyId) await noteBoth(tx, { agencyId, accountId: id }, { act: 'sub-account changed', ...operator, details })
  })
}
