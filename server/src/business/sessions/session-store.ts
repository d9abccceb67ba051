import { sql } from 'kysely'
import type { Pool } from 'pg'
import { acrossAccounts, type Db, type Tx } from '../../platform/database/db.ts'
import { prepared } from '../../platform/database/prepared.ts'
import { deleteInBatches } from '../../platform/database/prune.ts'
import { type AccountId, newId, type UserId } from '../../platform/ids.ts'
import type { UserRef } from '../accounts/access-store.ts'
import type { AccountKind } from '../accounts/store.ts'
import type { ProvenUser } from './user-store.ts'

/** A browser that is signed in, and as whom. */
export type Session = Readonly<{
  /** The account that the app shows, and who the user is there: their own, or one that they visit as its agency. */
  accountId: AccountId
  kind: AccountKind
  userId: UserId
  isOwner: boolean
  /** Whether it is an owner, or a member with that right. */
  mayManage: boolean
  isVisiting: boolean
  /** Who signed in. */
  home: UserRef
  /** The hash of the token, in hex. */
  tokenHash: string
}>

/** A session ends after so long without a request, and after so long in any case. */
const idleEnd = '14 days'
const absoluteEnd = '30 days'

type NewSession = { tokenHash: Buffer; accountId: AccountId; userId: UserId; address: string | null }

export async function insertSession(db: Db, session: NewSession): Promise<void> {
  await db.insertInto('sessions').values(session).execute()
}

/** `isRemoved`: the user was removed. */
export type FoundSession = Session & { isRemoved: boolean }

type SessionRow = FoundSession & { isStale: boolean }

/** Those that have not ended, by the hash of the token, in hex. `stale`: their use was not noted in the last minute. */
export async function findSessions(
  pool: Pool,
  tokenHashes: string[],
): Promise<{ found: Map<string, FoundSession>; stale: string[] }> {
  // Named, and with one parameter for any number of them: planned once per connection.
  const hashes = tokenHashes.map((hex) => Buffer.from(hex, 'hex'))
  const { rows } = await pool.query<SessionRow>(prepared(statements, 'find-sessions', [hashes]))
  const stale = rows.filter(({ isStale }) => isStale).map(({ tokenHash }) => tokenHash)
  return { found: new Map(rows.map(({ isStale, ...session }) => [session.tokenHash, session])), stale }
}

/**
 * A visit ends by itself, and with the rights it needs: of the user, and of the agency. It reads the session `s` and its user
 * `u`, and gives the guest `g` and the visited account `v`.
 */
const joinVisited = `
left join users g on g.id = s.guest_id and g.guest_of = u.id
left join accounts v on v.id = g.account_id and v.agency_id = s.account_id and s.visit_ends_at > now() and u.is_owner
`

const findSessionsQuery = `
select encode(s.token_hash, 'hex') as "tokenHash", coalesce(v.id, h.id) as "accountId",
  coalesce(v.kind, h.kind) as kind,
  case when v.id is null then u.id else s.guest_id end as "userId", u.is_owner as "isOwner",
  u.is_owner or u.is_manager as "mayManage",
  v.id is not null as "isVisiting", json_build_object('accountId', h.id, 'userId', u.id) as home,
  s.used_at < now() - interval '1 minute' as "isStale", u.removed_at is not null as "isRemoved"
from sessions s join users u on u.id = s.user_id and u.account_id = s.account_id
join accounts h on h.id = s.account_id ${joinVisited}
where s.token_hash = any ($1::bytea[]) and s.used_at > now() - interval '${idleEnd}'
  and s.created_at > now() - interval '${absoluteEnd}'
`

/** Notes that these sessions are in use, and that their users were here. */
export async function touchSessions(pool: Pool, tokenHashes: string[]): Promise<void> {
  const hashes = tokenHashes.map((hex) => Buffer.from(hex, 'hex'))
  await pool.query(prepared(statements, 'touch-sessions', [hashes]))
}

/** Rows that somebody has locked are left out, since nobody shall wait for it: the next request tries again. */
const touchSessionsQuery = `
with used as (
  select token_hash, account_id, user_id from sessions where token_hash = any ($1::bytea[])
  for no key update skip locked
), touched as (
  update sessions s set used_at = now() from used where s.token_hash = used.token_hash
), seen as (
  select u.account_id, u.id from users u
  where (u.account_id, u.id) in (select account_id, user_id from used) for no key update skip locked
)
update users u set seen_at = now() from seen where u.account_id = seen.account_id and u.id = seen.id
`

/** Whether the session has not been ended since it was found. */
export async function isSignedIn(db: Db, { home, tokenHash }: Session): Promise<boolean> {
  const found = await db
    .selectFrom('sessions')
    .select('userId')
    .where('accountId', '=', home.accountId)
    .where('tokenHash', '=', Buffer.from(tokenHash, 'hex'))
    .executeTakeFirst()
  return found !== undefined
}

/** The user has read what the session was to tell them; the next session tells it again. */
export async function noteTold(db: Db, { home, tokenHash }: Session): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ toldAt: sql`now()` })
    .where('accountId', '=', home.accountId)
    .where('tokenHash', '=', Buffer.from(tokenHash, 'hex'))
    .execute()
}

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

export type SignInUser = ProvenUser & { isKnownAddress: boolean }

export type Credential = { email: string; address: string }

/** The users with these e-mail addresses, by place in the list, and whether each signed in from that address before. */
export async function findSigningIn(pool: Pool, given: Credential[]): Promise<Map<number, SignInUser>> {
  const values = [given.map(({ email }) => email), given.map(({ address }) => address)]
  const { rows } = await pool.query<SignInUser & { place: string }>(prepared(statements, 'find-signing-in', values))
  return new Map(rows.map(({ place, ...user }) => [Number(place) - 1, user]))
}

/** Whoever has signed out is known by the audit, for as long as a session can last. */
const findSigningInQuery = `
select g.place, u.account_id as "accountId", u.id as "userId", u.password_hash as "passwordHash", exists (
    select from sessions s where s.account_id = u.account_id and s.user_id = u.id and s.address = g.address
  ) or exists (
    select from audit_events e where e.account_id = u.account_id and e.actor_id = u.id and e.address = g.address
      and e.act = 'signed in' and e.at > now() - interval '${absoluteEnd}'
  ) as "isKnownAddress"
from unnest($1::text[], $2::text[]) with ordinality as g (email, address, place)
join users u on u.email = g.email
`

export const statements = {
  'find-sessions': findSessionsQuery,
  'touch-sessions': touchSessionsQuery,
  'find-signing-in': findSigningInQuery,
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

/** A visit ends after so long, should nobody end it. */
const longestVisit = '4 hours'

/**
 * The guest that a user of an agency is in one of its sub-accounts, called like the agency; undefined where the agency has
 * no such sub-account.
 */
export async function findOrMakeGuest(tx: Tx, { home }: Session, accountId: AccountId): Promise<UserId | undefined> {
  const { rows } = await sql<{ id: UserId }>`
    insert into users (id, account_id, name, password_hash, is_owner, guest_of)
    select ${newId('usr')}, v.id, coalesce(a.name, h.email), '', false, ${home.userId}
    from accounts v join accounts a on a.id = v.agency_id join users h on h.account_id = a.id and h.is_holder
    where v.id = ${accountId} and v.agency_id = ${home.accountId}
    on conflict (account_id, guest_of) where guest_of is not null do update set name = excluded.name
    returning id
  `.execute(tx)
  return rows[0]?.id
}

export async function beginVisit(tx: Tx, { home, tokenHash }: Session, guestId: UserId): Promise<void> {
  await sql`
    update sessions set guest_id = ${guestId}, visit_ends_at = now() + ${longestVisit}::interval
    where account_id = ${home.accountId} and token_hash = ${Buffer.from(tokenHash, 'hex')}
  `.execute(tx)
}

export async function endVisit(tx: Tx, { home, tokenHash }: Session): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ guestId: null, visitEndsAt: null })
    .where('accountId', '=', home.accountId)
    .where('tokenHash', '=', Buffer.from(tokenHash, 'hex'))
    .execute()
}
