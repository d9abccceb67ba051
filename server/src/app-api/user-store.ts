import { sql } from 'kysely'
import type { Db } from '../platform/database/db.ts'
import type { AccountId, UserId } from '../platform/ids.ts'

export type UserRef = { accountId: AccountId; userId: UserId }

export type User = {
  /** The e-mail address up to the @ while no name was given. */
  name: string
  email: string
  isOwner: boolean
  passwordHash: string
  accountName: string
  kind: 'standard' | 'agency' | 'subaccount'
  rateLimitPerMinute: number | null
  botActive: boolean
  keyMadeAt: Date | null
}

/** A user with their account. An account without a name is called by its owner's e-mail address. */
export async function findUser(db: Db, { accountId, userId }: UserRef): Promise<User | undefined> {
  return db
    .selectFrom('users as u')
    .innerJoin('accounts as a', 'a.id', 'u.accountId')
    .leftJoin('apiKeys as k', 'k.accountId', 'u.accountId')
    .select(['u.email', 'u.isOwner', 'u.passwordHash', 'a.kind', 'a.rateLimitPerMinute', 'a.botActive'])
    .select([
      'k.createdAt as keyMadeAt',
      sql<string>`coalesce(u.name, split_part(u.email, '@', 1))`.as('name'),
      sql<string>`coalesce(a.name, (
        select o.email from users o where o.account_id = a.id and o.is_owner
      ))`.as('accountName'),
    ])
    .where('u.accountId', '=', accountId)
    .where('u.id', '=', userId)
    .executeTakeFirst()
}

export async function renameAccount(db: Db, accountId: AccountId, name: string): Promise<void> {
  await db.updateTable('accounts').set({ name }).where('id', '=', accountId).execute()
}

export async function renameUser(db: Db, { accountId, userId }: UserRef, name: string): Promise<void> {
  await db.updateTable('users').set({ name }).where('accountId', '=', accountId).where('id', '=', userId).execute()
}

export async function setPassword(db: Db, { accountId, userId }: UserRef, passwordHash: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ passwordHash })
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .execute()
}
