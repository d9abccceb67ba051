import { sql } from 'kysely'
import type { AccountKind } from '../accounts/store.ts'
import type { Db } from '../platform/database/db.ts'
import type { AccountId, UserId } from '../platform/ids.ts'

export type UserRef = { accountId: AccountId; userId: UserId }

export type User = {
  /** The e-mail address up to the @ while no name was given. */
  name: string
  email: string
  isOwner: boolean
  passwordHash: string
}

/** A user who was not removed. */
export async function findUser(db: Db, { accountId, userId }: UserRef): Promise<User | undefined> {
  return db
    .selectFrom('users as u')
    .select(['u.email', 'u.isOwner', 'u.passwordHash'])
    .select(sql<string>`coalesce(u.name, split_part(u.email, '@', 1))`.as('name'))
    .where('u.accountId', '=', accountId)
    .where('u.id', '=', userId)
    .where('u.email', 'is not', null)
    .$narrowType<{ email: string }>()
    .executeTakeFirst()
}

export type ShownAccount = {
  name: string
  kind: AccountKind
  rateLimitPerMinute: number | null
  botActive: boolean
  timeZone: string
  keyMadeAt: Date | null
}

/** An account without a name is called by its holder's e-mail address. */
export async function findShownAccount(db: Db, accountId: AccountId): Promise<ShownAccount> {
  return db
    .selectFrom('accounts as a')
    .leftJoin('apiKeys as k', 'k.accountId', 'a.id')
    .select(['a.kind', 'a.rateLimitPerMinute', 'a.botActive', 'a.timeZone', 'k.createdAt as keyMadeAt'])
    .select(
      sql<string>`coalesce(a.name, (
        select o.email from users o where o.account_id = a.id and o.is_holder
      ))`.as('name'),
    )
    .where('a.id', '=', accountId)
    .executeTakeFirstOrThrow()
}

/** A guest is called like the agency. */
export async function findAgencyName(db: Db, { accountId, userId }: UserRef): Promise<string> {
  const guest = await db
    .selectFrom('users')
    .select('name')
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return guest.name ?? ''
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

/** They were here: shown to the team. Afterwards `touchSession` notes it. */
export async function noteSeen(db: Db, { accountId, userId }: UserRef): Promise<void> {
  await db
    .updateTable('users')
    .set({ seenAt: sql`now()` })
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .execute()
}
