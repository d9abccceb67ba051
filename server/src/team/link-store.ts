import { sql } from 'kysely'
import type { AccountKind } from '../accounts/store.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { deleteInBatches } from '../platform/database/prune.ts'
import type { AccountId, LinkId, UserId } from '../platform/ids.ts'

/** Of every link. */
const lasts = '7 days'

export type NewLink = {
  accountId: AccountId
  id: LinkId
  tokenHash: Buffer
  /** Whose password it sets; null: it is an invitation. */
  userId: UserId | null
  makesOwner: boolean
  madeBy: UserId
}

/** Returns when it ends. */
export async function insertLink(tx: Tx, link: NewLink): Promise<Date> {
  const { endsAt } = await tx
    .insertInto('accountLinks')
    .values({ ...link, endsAt: sql`now() + ${lasts}::interval` })
    .returning('endsAt')
    .executeTakeFirstOrThrow()
  return endsAt
}

export type InvitationRow = { id: LinkId; makesOwner: boolean; madeBy: string; endsAt: Date }

export async function listInvitations(db: Db, accountId: AccountId): Promise<InvitationRow[]> {
  const { rows } = await sql<InvitationRow>`
    select l.id, l.makes_owner, coalesce(u.name, split_part(u.email, '@', 1), '') as made_by, l.ends_at
    from account_links l left join users u on u.account_id = ${accountId} and u.id = l.made_by
    where l.account_id = ${accountId} and l.user_id is null and l.ends_at > now()
    order by l.created_at desc, l.id
  `.execute(db)
  return rows
}

/** False: there is no such invitation any more. */
export async function deleteInvitation(tx: Tx, accountId: AccountId, id: LinkId): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('accountLinks')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('userId', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

/** Earlier links for the same password end. */
export async function deletePasswordLinks(tx: Tx, accountId: AccountId, userId: UserId): Promise<void> {
  await tx.deleteFrom('accountLinks').where('accountId', '=', accountId).where('userId', '=', userId).execute()
}

export type OpenLink = {
  accountId: AccountId
  accountName: string
  kind: AccountKind
  userId: UserId | null
  email: string | null
  /** Of the user whose password it sets. */
  isOwner: boolean
  makesOwner: boolean
  endsAt: Date
}

/** What a link that has not ended is for. The token alone says of which account. */
export async function findLink(db: Db, tokenHash: Buffer): Promise<OpenLink | undefined> {
  const { rows } = await sql<OpenLink>`
    select l.account_id, a.kind, coalesce(a.name, h.email) as account_name, l.user_id, u.email,
      coalesce(u.is_owner, false) as is_owner, l.makes_owner, l.ends_at
    from account_links l join accounts a on a.id = l.account_id
    join users h on h.account_id = l.account_id and h.is_holder
    left join users u on u.account_id = l.account_id and u.id = l.user_id
    where l.token_hash = ${tokenHash} and l.ends_at > now()
  `.execute(db)
  return rows[0]
}

/** Uses a link up. False: somebody else has just done so, or it was withdrawn. */
export async function useLink(tx: Tx, accountId: AccountId, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    delete from account_links where account_id = ${accountId} and token_hash = ${tokenHash} and ends_at > now() returning id
  `.execute(tx)
  return rows.length > 0
}

export async function pruneLinks(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    (limit) => sql`
      delete from account_links where token_hash in (
        select token_hash from account_links where ends_at < now() order by ends_at limit ${limit}
      )
    `,
  )
}
