/**
 * What lets somebody in without the password: sessions, and links for invitations and passwords. Whatever ends the sessions
 * of a user ends their links too, so the two are ended in one place. Who makes a link, or ends some, holds the lock of the
 * account: otherwise a link that is being made at that moment would stay.
 */

import { acrossAccounts, type Db, type Tx } from '../../platform/database/db.ts'
import type { AccountId, UserId } from '../../platform/ids.ts'

export type UserRef = { accountId: AccountId; userId: UserId }

/** Until the transaction ends nobody else changes who may come into the account: its members, their passwords, its links. */
export async function lockAccess(tx: Tx, accountId: AccountId): Promise<void> {
  await tx.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
}

/** Ends all sessions of a user, or all but one, and their links. Needs `lockAccess`. */
export async function endAccess(tx: Tx, { accountId, userId }: UserRef, exceptSession?: string): Promise<void> {
  let sessions = tx.deleteFrom('sessions').where('accountId', '=', accountId).where('userId', '=', userId)
  if (exceptSession !== undefined) sessions = sessions.where('tokenHash', '<>', Buffer.from(exceptSession, 'hex'))
  await sessions.execute()
  await endLinks(tx, { accountId, userId })
}

/**
 * Ends the links that set the password of a user, and those that they made: who was let in as them, or is one of the team no
 * longer, must not come back by a link from before. Needs `lockAccess`.
 */
export async function endLinks(tx: Tx, { accountId, userId }: UserRef): Promise<void> {
  await endPasswordLinks(tx, { accountId, userId })
  // Across accounts: an owner of an agency makes links for its sub-accounts. Ids of users are unique on the installation.
  await acrossAccounts(tx).deleteFrom('accountLinks').where('madeBy', '=', userId).execute()
}

/** Ends the links that set the password of a user. Needs `lockAccess`. */
export async function endPasswordLinks(tx: Tx, { accountId, userId }: UserRef): Promise<void> {
  await tx.deleteFrom('accountLinks').where('accountId', '=', accountId).where('userId', '=', userId).execute()
}

/** Ends every link of an account. Needs `lockAccess`. */
export async function endLinksOf(tx: Tx, accountId: AccountId): Promise<void> {
  await tx.deleteFrom('accountLinks').where('accountId', '=', accountId).execute()
}

/** Ends all access, across accounts: everybody signs in again, since a restored copy may have what was ended since. */
export async function endAllAccess(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await acrossAccounts(tx).deleteFrom('sessions').execute()
    await acrossAccounts(tx).deleteFrom('accountLinks').execute()
  })
}
