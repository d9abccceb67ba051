import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { UserRef } from '../accounts/access-store.ts'
import type { AccountKind } from '../accounts/store.ts'
import { userName } from '../accounts/user-name.ts'

/** Somebody who has shown who they are, by what was their password at that moment. */
export type ProvenUser = UserRef & { passwordHash: string }

export type User = {
  /** The e-mail address up to the @ while no name was given. */
  name: string
  email: string
  isOwner: boolean
  isManager: boolean
  passwordHash: string
}

/** A user who was not removed. */
export async function findUser(db: Db, { accountId, userId }: UserRef): Promise<User | undefined> {
  return db
    .selectFrom('users as u')
    .select(['u.email', 'u.isOwner', 'u.isManager', 'u.passwordHash'])
    .select(sql.raw<string>(userName('u')).as('name'))
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

/** For how long the owners of a sub-account are told of a link that their agency made. */
const toldFor = '30 days'

export type AgencyLink = { agencyName: string; madeAt: Date; usedAt: Date | null; isOpen: boolean }

/**
 * Finds that the agency made a link for a password in this sub-account, unless this session was told of it. Who made an
 * open link and is no user of the sub-account is of its agency.
 */
export async function findAgencyLink(db: Db, accountId: AccountId, tokenHash: string): Promise<AgencyLink | undefined> {
  const { rows } = await sql<AgencyLink>`
    select coalesce(g.name, gh.email) as agency_name, a.agency_link_at as made_at,
      case when a.agency_link_used_at > t.told_at then a.agency_link_used_at end as used_at, exists (
        select from account_links l left join users m on m.account_id = l.account_id and m.id = l.made_by
        where l.account_id = a.id and l.user_id is not null and m.id is null and l.ends_at > now()
      ) as is_open
    from accounts a join sessions s on s.account_id = a.id and s.token_hash = ${Buffer.from(tokenHash, 'hex')}
    cross join lateral (select greatest(s.told_at, now() - ${toldFor}::interval) as told_at) as t
    join accounts g on g.id = a.agency_id join users gh on gh.account_id = g.id and gh.is_holder
    where a.id = ${accountId} and greatest(a.agency_link_at, a.agency_link_used_at) > t.told_at
  `.execute(db)
  return rows[0]
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

/**
 * Notes that they were here, which is shown to the team. Afterwards `touchSessions` notes it. False: this is not their
 * password any more. Until the transaction ends nobody changes it, and whoever waits to do so then ends the session
 * that begins here.
 */
export async function noteSeen(tx: Tx, { accountId, userId, passwordHash }: ProvenUser): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ seenAt: sql`now()` })
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .where('passwordHash', '=', passwordHash)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
