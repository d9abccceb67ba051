import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId, ListId } from '../../platform/ids.ts'
import { beforeMember, type Page } from './shown-store.ts'

/**
 * Contacts with `q` in the name, or at the beginning of phone number, e-mail address, external id or @user name: their ids, newest
 * first. Walks along the index until there are enough, some 6 ms for 10,000 contacts that do not match.
 */
export async function findContacts(db: Db, accountId: AccountId, q: string, page: Page): Promise<ContactId[]> {
  const older = page.before ? sql`and id < ${page.before.contactId}` : sql``
  return readIds(
    db,
    sql`
      select id from contacts
      where account_id = ${accountId} and ${forMany(matching(accountId, q))} ${older} order by id desc limit ${page.limit}`,
  )
}

/**
 * PostgreSQL guesses that nearly all match, so that it takes the index in the order of the result. Left to itself it
 * guesses that few do, and reads and sorts all that match to find a thousand of them: 15 ms instead of 2.
 */
function forMany(condition: RawBuilder<unknown>) {
  return sql`nullif(${condition}, false) is not null`
}

/** So many members of a list are looked up one by one, at 6 µs each. */
const lookedUp = 1_200

/** So many of them tell whether the others are worth it. */
const probed = 100

export type SearchedList = { listId: ListId; size: number; q: string }

/**
 * Finds members of a list as `findContacts` finds contacts, those added last first. Most texts are found among the
 * first members; for the others, all contacts of the account are compared in one pass: looking up each of 10,000
 * members took 64 ms.
 */
export async function findMembers(db: Db, accountId: AccountId, list: SearchedList, page: Page): Promise<ContactId[]> {
  const lookUp = (most: number) => readIds(db, amongFirst(accountId, { ...list, most }, page))
  if (list.size <= lookedUp) return lookUp(lookedUp)
  const isEnough = (await lookUp(probed)).length * (lookedUp / probed) >= page.limit
  const first = isEnough ? await lookUp(lookedUp) : []
  if (first.length === page.limit) return first
  return db.transaction().execute((tx) => findAmongAll(tx, accountId, list, page))
}

function amongFirst(
  accountId: AccountId,
  { listId, q, most }: SearchedList & { most: number },
  { before, limit }: Page,
) {
  // A scalar subquery can only be planned row by row, in the order of the list, so it ends when there are enough.
  return sql`
    select contact_id as id from (
      select contact_id, added_at from list_members
      where account_id = ${accountId} and list_id = ${listId} ${beforeMember(before)}
      order by added_at desc, contact_id desc limit ${most}
    ) as m
    where (select true from contacts where account_id = ${accountId} and id = m.contact_id and ${matching(accountId, q)})
    order by added_at desc, contact_id desc limit ${limit}`
}

/** Where most contacts are of this account, PostgreSQL would read the whole table, with those of all other accounts. */
async function findAmongAll(
  tx: Tx,
  accountId: AccountId,
  { listId, q }: SearchedList,
  { before, limit }: Page,
): Promise<ContactId[]> {
  await sql`set local enable_seqscan = off`.execute(tx)
  return readIds(
    tx,
    sql`
      with found as materialized (select id from contacts where account_id = ${accountId} and ${matching(accountId, q)})
      select id from found
      join list_members on account_id = ${accountId} and list_id = ${listId} and contact_id = id
      where true ${beforeMember(before)}
      order by added_at desc, contact_id desc limit ${limit}`,
  )
}

async function readIds(db: Db, query: RawBuilder<unknown>): Promise<ContactId[]> {
  const { rows } = await sql<{ id: ContactId }>`${query}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The newest contacts with this text in their name, up to `limit`. */
export async function findByName(db: Db, accountId: AccountId, q: string, limit: number): Promise<ContactId[]> {
  return readIds(
    db,
    sql`
      select id from contacts where account_id = ${accountId} and ${isInName(searchable(q))}
      order by id desc limit ${limit}`,
  )
}

/** So many people whose user names begin alike are found. */
const mostNamedAlike = 1_000

/**
 * A condition on `search_text`, see the migration that makes it, and on how people are known on built-in channels: `@ana` on their user
 * names, `Visitor 4F2A` on browsers, and the id of a customer of a website.
 */
export function matching(accountId: AccountId, q: string) {
  const text = searchable(q)
  const phone = /^[\d\s+()./-]*\d[\d\s+()./-]*$/.test(q) ? `\n+${q.replace(/\D/g, '')}` : undefined
  // One comparison is enough for most of the contacts that do not match.
  return sql`(
    strpos(search_text, ${text}) > 0 and (${isInName(text)} or strpos(search_text, ${'\n'} || ${text}) > 0)
    ${phone === undefined ? sql`` : sql`or strpos(search_text, ${phone}) > 0`}
    ${q.startsWith('@') && q.length > 1 ? sql`or id = any (${hasUserName(accountId, q.slice(1))})` : sql``}
    or id = any (${isKnownAs(accountId, q)})
  )`
}

/** Asked once for a search, whichever contacts it walks along. */
function hasUserName(accountId: AccountId, name: string) {
  return sql`array(
    select contact_id from contact_channels
    where account_id = ${accountId} and username is not null and starts_with(lower(username), lower(${name}))
    limit ${mostNamedAlike}
  )`
}

/** Asked once for a search too. */
function isKnownAs(accountId: AccountId, q: string) {
  const [, signs] = /^(?:visitor\s+)?([0-9a-f]{4})$/i.exec(q) ?? []
  return sql`array(
    select d.contact_id from channels n join contact_addresses d on d.account_id = n.account_id and d.channel_id = n.id
    where n.account_id = ${accountId} and (
      d.kind = 'member' and d.address = ${q}
      ${signs === undefined ? sql`` : sql`or d.kind = 'browser' and d.address like ${`${signs.toLowerCase()}%`}`}
    )
    limit ${mostNamedAlike}
  )`
}

function isInName(text: RawBuilder<unknown>) {
  return sql`strpos(search_text, ${text}) between 1 and strpos(search_text, ${'\n'}) - 1`
}

function searchable(q: string) {
  return sql`searchable(${q.replace(/\s+/g, ' ')})`
}
