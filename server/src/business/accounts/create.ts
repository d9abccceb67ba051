import { isApiKey } from '@patchbay/contract/api-key.ts'
import type { Tx } from '../../platform/database/db.ts'
import { type AccountId, newId, type UserId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseEmail } from '../../platform/text/email.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import { hashPassword, newPassword } from './password.ts'
import { type Account, findAccount, insertAccount, insertOwner, replaceKey } from './store.ts'

/** `apiKey` is null where nobody would see it: none is made. */
export type NewAccount = { email: string; password?: string | undefined; apiKey?: string | null | undefined }

/** The password is returned only if it was generated; key and password can never be read again. */
export type CreatedAccount = {
  accountId: AccountId
  userId: UserId
  email: string
  apiKey: string | undefined
  password: string | undefined
}

/** Creates an account with its owner and its first key, if one is wanted; all or none of them. */
export async function createAccount(tx: Tx, kind: 'standard' | 'agency', account: NewAccount): Promise<CreatedAccount> {
  return insertWithOwner(tx, { kind, agencyId: null }, account)
}

/** Creates an account that belongs to an agency. */
export async function createSubaccount(tx: Tx, agency: string, account: NewAccount): Promise<CreatedAccount> {
  const { id, kind } = await findAccount(tx, agency)
  if (kind !== 'agency')
    throw new Refusal('INVALID_REQUEST', `${agency} is not an agency; only an agency has sub-accounts.`)
  return insertWithOwner(tx, { kind: 'subaccount', agencyId: id }, account)
}

/** It tells that the address has an account: who may not know that of every address is counted. */
export class EmailTaken extends Refusal {
  constructor(email: string) {
    super('INVALID_REQUEST', `${email} already signs in to an account; use another e-mail address.`)
  }
}

async function insertWithOwner(
  tx: Tx,
  type: Omit<Account, 'id'>,
  { email, password, apiKey }: NewAccount,
): Promise<CreatedAccount> {
  const login = parseEmail(email)
  if (!login) throw new Refusal('INVALID_EMAIL', `"${email}" is not an e-mail address.`)
  if (apiKey !== undefined && apiKey !== null && !isApiKey(apiKey)) {
    throw new Refusal('INVALID_REQUEST', 'An API key must have 16 to 128 letters, digits, "_" or "-".')
  }
  const generated = password === undefined ? newPassword() : undefined
  const key = apiKey === null ? undefined : (apiKey ?? newApiKey())
  const account = { id: newId('acc'), ...type }
  const owner = { id: newId('usr'), accountId: account.id, email: login }
  const passwordHash = await hashPassword(password ?? generated ?? '')

  await insertAccount(tx, account)
  if (!(await insertOwner(tx, { ...owner, passwordHash }))) throw new EmailTaken(login)
  if (key !== undefined) await replaceKey(tx, account.id, hashApiKey(key))
  return { accountId: account.id, userId: owner.id, email: login, apiKey: key, password: generated }
}
