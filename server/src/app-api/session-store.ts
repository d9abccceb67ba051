import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { AccountKind } from '../accounts/store.ts'
import { acrossAccounts, type Db } from '../platform/database/db.ts'
import { deleteInBatches } from '../platform/database/prune.ts'
import type { AccountId, UserId } from '../platform/ids.ts'
import type { UserRef } from './user-store.ts'

/** A browser that is signed in, and as whom. */
export type Session = Readonly<{
  /** The account that the app shows, and who the user is there: their own, or one that they visit as its agency. */
  accountId: AccountId
  kind: AccountKind
  userId: UserId
  isOwner: boolean
  isVisiting: boolean
  /** Who signed in. */
  home: UserRef
  /** In hex. */
  tokenHash: string
}>

/** A session ends after so long without a request, and after so long in any case. */
const idleEnd = '14 days'
const absoluteEnd = '30 days'

export type NewSession = { tokenHash: Buffer; accountId: AccountId; userId: UserId; address: string | null }

export async function insertSession(db: Db, session: NewSession): Promise<void> {
  await db.insertInto('sessions').values(session).execute()
}

type FoundSession = Omit<Session, 'tokenHash'> & { isStale: boolean; isRemoved: boolean }

/** The session with this token, unless it has ended. `isStale`: `touchSession` is due. `isRemoved`: the user was removed. */
export async function findSession(pool: Pool, tokenHash: Buffer): Promise<FoundSession | undefined> {
  const query = { name: 'find-session', text: findSessionQuery, values: [tokenHash] }
  const { rows } = await pool.query<FoundSession>(query)
  return rows[0]
}

/** A visit ends by itself, and with the rights it needs: of the user, and of the agency. */
const joinVisited = `
left join users g on g.id = s.guest_id and g.guest_of = u.id
left join accounts v on v.id = g.account_id and v.agency_id = s.account_id and s.visit_ends_at > now() and u.is_owner
`

const findSessionQuery = `
select coalesce(v.id, h.id) as "accountId", coalesce(v.kind, h.kind) as kind,
  case when v.id is null then u.id else s.guest_id end as "userId", u.is_owner as "isOwner",
  v.id is not null as "isVisiting", json_build_object('accountId', h.id, 'userId', u.id) as home,
  s.used_at < now() - interval '1 minute' as "isStale", u.removed_at is not null as "isRemoved"
from sessions s join users u on u.id = s.user_id and u.account_id = s.account_id
join accounts h on h.id = s.account_id ${joinVisited}
where s.token_hash = $1 and s.used_at > now() - interval '${idleEnd}' and s.created_at > now() - interval '${absoluteEnd}'
`

/** Notes that the session is in use, at most once a minute. */
export async function touchSession(pool: Pool, tokenHash: Buffer): Promise<void> {
  await pool.query({ name: 'touch-session', text: touchSessionQuery, values: [tokenHash] })
}

const touchSessionQuery = `
with used as (update sessions set used_at = now() where token_hash = $1 returning account_id, user_id)
update users u set seen_at = now() from used where u.account_id = used.account_id and u.id = used.user_id
`

export async function deleteSession(db: Db, { home, tokenHash }: Session): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('accountId', '=', home.accountId)
    .where('tokenHash', '=', Buffer.from(tokenHash, 'hex'))
    .execute()
}

/** Ends the session with this token, across accounts: whoever has the token may end it. */
export async function deleteSessionWith(db: Db, tokenHash: Buffer): Promise<void> {
  await acrossAccounts(db).deleteFrom('sessions').where('tokenHash', '=', tokenHash).execute()
}

/** Ends all sessions of a user, or all but one. */
export async function deleteSessionsOf(db: Db, { accountId, userId }: UserRef, except?: string): Promise<void> {
  let query = db.deleteFrom('sessions').where('accountId', '=', accountId).where('userId', '=', userId)
  if (except !== undefined) query = query.where('tokenHash', '<>', Buffer.from(except, 'hex'))
  await query.execute()
}

/** Which of these sessions have not ended, and which account each shows; token hashes in hex. */
export async function findAlive(db: Db, tokenHashes: string[]): Promise<Map<string, AccountId>> {
  const { rows } = await sql<{ tokenHash: string; accountId: AccountId }>`
    select encode(s.token_hash, 'hex') as token_hash, coalesce(v.id, s.account_id) as account_id
    from sessions s join users u on u.id = s.user_id and u.account_id = s.account_id ${sql.raw(joinVisited)}
    where s.token_hash = any (${tokenHashes.map((token) => Buffer.from(token, 'hex'))})
      and s.used_at > now() - ${idleEnd}::interval and s.created_at > now() - ${absoluteEnd}::interval
      and u.removed_at is null
  `.execute(db)
  return new Map(rows.map(({ tokenHash, accountId }) => [tokenHash, accountId]))
}

export async function countSessions(db: Db, { accountId, userId }: UserRef): Promise<number> {
  const { n } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(n)
}

export type SigningIn = Pick<Session, 'accountId' | 'userId' | 'isOwner' | 'kind'> & {
  passwordHash: string
  isKnownAddress: boolean
}

/** The user with this e-mail address, and whether they signed in from this client's address before. */
export async function findSigningIn(db: Db, email: string, address: string | null): Promise<SigningIn | undefined> {
  const { rows } = await sql<SigningIn>`
    select u.account_id, u.id as user_id, u.is_owner, a.kind, u.password_hash, exists (
      select from sessions s where s.account_id = u.account_id and s.user_id = u.id and s.address = ${address}
    ) as is_known_address
    from users u join accounts a on a.id = u.account_id where u.email = ${email}
  `.execute(db)
  return rows[0]
}

/** Deletes sessions that have ended. */
export async function pruneSessions(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    (limit) => sql`
      delete from sessions where token_hash in (
        select token_hash from sessions where used_at < now() - ${absoluteEnd}::interval order by used_at limit ${limit}
      )
    `,
  )
}

/** Across accounts: everybody signs in again, since a restored copy may have sessions that were ended since. */
export async function endAllSessions(db: Db): Promise<void> {
  await acrossAccounts(db).deleteFrom('sessions').execute()
}
