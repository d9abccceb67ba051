import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Db, Tx } from '../../platform/database/db.ts'
import { prepared } from '../../platform/database/prepared.ts'
import { deleteInBatches } from '../../platform/database/prune.ts'
import type { AccountId, LinkId, UserId } from '../../platform/ids.ts'
import { userName } from '../accounts/user-name.ts'

/** How long every link lasts. */
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

export type ListedLink = {
  id: LinkId
  /** Whose password it sets, and how they are called; null: it is an invitation. */
  userId: UserId | null
  name: string | null
  makesOwner: boolean
  /** A member, or the agency of the account. */
  madeBy: string
  isByAgency: boolean
  endsAt: Date
}

/** Links of an account that nobody has used, the newest first. */
export async function listLinks(db: Db, accountId: AccountId): Promise<ListedLink[]> {
  const { rows } = await sql<ListedLink>`
    select l.id, l.user_id, ${sql.raw(userName('u'))} as name, l.makes_owner,
      ${sql.raw(makerName)} as made_by, m.id is null as is_by_agency, l.ends_at
    from account_links l join accounts a on a.id = l.account_id
    left join users u on u.account_id = l.account_id and u.id = l.user_id ${sql.raw(joinMaker)}
    where l.account_id = ${accountId} and l.ends_at > now()
    order by l.created_at desc, l.id
  `.execute(db)
  return rows
}

/**
 * To an account, whoever makes a link for its agency is the agency. It reads the link `l` and its account `a`, and gives the
 * member `m`, or the agency `g` with its holder `gh`; `makerName` reads these.
 */
const joinMaker = `
  left join users m on m.account_id = l.account_id and m.id = l.made_by
  left join accounts g on g.id = a.agency_id and m.id is null
  left join users gh on gh.account_id = g.id and gh.is_holder
`
const makerName = `coalesce(m.name, split_part(m.email, '@', 1), g.name, gh.email, '')`

/** Deletes a link, and returns whose password it sets; undefined: there is no such link any more. */
export async function deleteLink(
  tx: Tx,
  accountId: AccountId,
  id: LinkId,
): Promise<{ userId: UserId | null } | undefined> {
  return tx
    .deleteFrom('accountLinks')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returning('userId')
    .executeTakeFirst()
}

export type OpenLink = {
  accountId: AccountId
  accountName: string
  userId: UserId | null
  /** The e-mail address of the user whose password it sets. */
  email: string | null
  makesOwner: boolean
  /** Who made it, as the account calls them: a member, or its agency. */
  madeBy: string
  /** The agency, if it made the link, and as it calls whoever did. */
  agencyId: AccountId | null
  agencyUser: string | null
  endsAt: Date
}

/** What those links are for that have not ended, by the hash of the token, in hex. It alone says of which account. */
export async function findLinks(pool: Pool, tokenHashes: string[]): Promise<Map<string, OpenLink>> {
  const values = [tokenHashes.map((hex) => Buffer.from(hex, 'hex'))]
  const { rows } = await pool.query<OpenLink & { tokenHash: string }>(prepared(statements, 'find-links', values))
  return new Map(rows.map(({ tokenHash, ...link }) => [tokenHash, link]))
}

const findLinksQuery = `
select encode(l.token_hash, 'hex') as "tokenHash", l.account_id as "accountId",
  coalesce(a.name, h.email) as "accountName", l.user_id as "userId", u.email, l.makes_owner as "makesOwner",
  l.ends_at as "endsAt", ${makerName} as "madeBy", g.id as "agencyId",
  coalesce(gu.name, split_part(gu.email, '@', 1)) as "agencyUser"
from account_links l join accounts a on a.id = l.account_id
join users h on h.account_id = l.account_id and h.is_holder
left join users u on u.account_id = l.account_id and u.id = l.user_id ${joinMaker}
left join users gu on gu.account_id = g.id and gu.id = l.made_by
where l.token_hash = any ($1::bytea[]) and l.ends_at > now()
`

export const statements = { 'find-links': findLinksQuery }

/** Whether it was neither used nor withdrawn since it was found. */
export async function isLinkOpen(tx: Tx, accountId: AccountId, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    select from account_links where account_id = ${accountId} and token_hash = ${tokenHash} and ends_at > now()
  `.execute(tx)
  return rows.length > 0
}

/** How often an invitation may be tried with an e-mail address that has an account: the last time ends it. */
const mostTaken = 3

/** Counts a try with an e-mail address that has an account, and ends the invitation with the last one. */
export async function countTakenBy(tx: Tx, accountId: AccountId, tokenHash: Buffer): Promise<void> {
  const { rows } = await sql<{ takenCount: number }>`
    update account_links set taken_count = taken_count + 1
    where account_id = ${accountId} and token_hash = ${tokenHash} returning taken_count
  `.execute(tx)
  if ((rows[0]?.takenCount ?? 0) >= mostTaken) await useLink(tx, accountId, tokenHash)
}

/** Uses a link up. False: somebody else has just done so, or it was withdrawn. */
export async function useLink(tx: Tx, accountId: AccountId, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    delete from account_links
    where account_id = ${accountId} and token_hash = ${tokenHash} and ends_at > now() returning id
  `.execute(tx)
  return rows.length > 0
}

/** The owners of a sub-account are told of it. */
export async function noteAgencyLink(tx: Tx, accountId: AccountId, what: 'made' | 'used'): Promise<void> {
  const at = sql<Date>`now()`
  const set = what === 'made' ? { agencyLinkAt: at } : { agencyLinkUsedAt: at }
  await tx.updateTable('accounts').set(set).where('id', '=', accountId).execute()
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
