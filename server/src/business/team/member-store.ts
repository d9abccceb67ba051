import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, UserId } from '../../platform/ids.ts'
import { lockAccess, type UserRef } from '../accounts/access-store.ts'
import { userName } from '../accounts/user-name.ts'

export type MemberRow = {
  id: UserId
  name: string
  email: string
  isOwner: boolean
  isManager: boolean
  isHolder: boolean
  seenAt: Date | null
}

/** Who may sign in to the account, the first first. Neither removed users nor guests have an e-mail address. */
export async function listMembers(db: Db, accountId: AccountId): Promise<MemberRow[]> {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'isOwner', 'isManager', 'isHolder', 'seenAt'])
    .select(sql.raw<string>(userName('users')).as('name'))
    .where('accountId', '=', accountId)
    .where('email', 'is not', null)
    .orderBy('createdAt')
    .orderBy('id')
    .$narrowType<{ email: string }>()
    .execute()
}

/**
 * The members, with a lock that lets one change of them be made at a time: two owners who remove each other at the same
 * moment must not both succeed.
 */
export async function lockMembers(tx: Tx, accountId: AccountId): Promise<MemberRow[]> {
  await lockAccess(tx, accountId)
  return listMembers(tx, accountId)
}

type Role = { isOwner: boolean; isHolder: boolean; isManager?: boolean }

export async function setRole(tx: Tx, { accountId, userId }: UserRef, role: Role): Promise<void> {
  await tx.updateTable('users').set(role).where('accountId', '=', accountId).where('id', '=', userId).execute()
}

/** The row stays, so that what they wrote keeps their name; nobody can sign in as them any more. */
export async function removeMember(tx: Tx, { accountId, userId }: UserRef): Promise<void> {
  await tx
    .updateTable('users')
    .set({ email: null, passwordHash: '', isOwner: false, isManager: false, isHolder: false, removedAt: sql`now()` })
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .execute()
}
