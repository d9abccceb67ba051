import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { micros, type PageRequest, type Position, timeOf } from './position-store.ts'
import { listUntilNow } from './unread-list-store.ts'
import { isUnread, joinMark, readMe, type Viewer } from './viewer-store.ts'

/**
 * The contacts of unread conversations, the one that was active last first, at most `limit` of them after the position.
 * What is listed is read in the order of its index and then looked up: in one join, PostgreSQL reads the whole list first
 * when it expects it to be short.
 */
export async function findUnread(db: Db, viewer: Viewer, { after, limit }: PageRequest): Promise<ContactId[]> {
  const listedUntil = await listUntilNow(db, viewer)
  const listed = await findListed(db, viewer, { listedUntil, after, limit })
  const recent = await findRecent(db, viewer, { listedUntil, after, limit }) // with those that became active meanwhile
  return [...new Set([...recent, ...listed])].slice(0, limit)
}

type Part = PageRequest & { listedUntil: Date }

/** Unread ones of the list. Many of it may have been active since, for example when each of them was sent something. */
async function findListed(db: Db, viewer: Viewer, { listedUntil, after, limit }: Part): Promise<ContactId[]> {
  const found: ContactId[] = []
  for (let from = after, size = limit; found.length < limit; size *= 2) {
    const listed = await readListed(db, viewer, { listedUntil, after: from, limit: size })
    found.push(...listed.filter((one) => one.isUnread).map(({ contactId }) => contactId))
    if (listed.length < size) break
    from = listed.at(-1)
  }
  return found
}

/** Unread ones of the part that is not listed. */
async function findRecent(db: Db, viewer: Viewer, { listedUntil, after, limit }: Part): Promise<ContactId[]> {
  const { rows } = await sql<{ contactId: ContactId }>`
    with me as materialized (${readMe(viewer)})
    select c.contact_id from conversations c cross join me ${joinMark(viewer)}
    where c.account_id = ${viewer.accountId} and c.state = 'open' and c.active_minute >= ${listedUntil}
      and ${isUnread(viewer)}
      ${follows('c', after)}
    order by c.active_minute desc, c.active_at desc, c.contact_id desc limit ${limit}
  `.execute(db)
  return rows.map(({ contactId }) => contactId)
}

type ListedPosition = Position & { isUnread: boolean }

/** The next of the list, and whether they are still unread and were not active since. */
async function readListed(db: Db, viewer: Viewer, { listedUntil, after, limit }: Part): Promise<ListedPosition[]> {
  const { accountId, userId } = viewer
  const { rows } = await sql<ListedPosition>`
    with me as materialized (${readMe(viewer)}), listed as materialized (
      select n.contact_id, n.active_at from unread_conversations n
      where n.account_id = ${accountId} and n.user_id = ${userId} and n.active_at < ${listedUntil} ${follows('n', after)}
      order by n.active_at desc, n.contact_id desc limit ${limit}
    )
    select n.contact_id, ${micros(sql`n.active_at`)} as micros, coalesce(c.active_at = n.active_at and ${isUnread(viewer)}, false) as is_unread
    from listed n cross join me left join lateral (
      select c.* from conversations c where c.account_id = ${accountId} and c.contact_id = n.contact_id limit 1
    ) as c on true ${joinMark(viewer)}
    order by n.active_at desc, n.contact_id desc
  `.execute(db)
  return rows
}

function follows(table: string, after: Position | undefined): RawBuilder<unknown> {
  if (!after) return sql``
  const [activeAt, contactId] = [sql.ref(`${table}.active_at`), sql.ref(`${table}.contact_id`)]
  return sql`and (${activeAt}, ${contactId}) < (${timeOf(after)}, ${after.contactId})`
}
