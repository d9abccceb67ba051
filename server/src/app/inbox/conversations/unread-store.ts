import { type RawBuilder, sql } from 'kysely'
import {
  activeBefore,
  activeSince,
  alongSteps,
  earliestFirst,
  latestFirst,
} from '../../../journey/messages/activity-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { hasSqlState } from '../../../platform/database/errors.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { rowsUnlessErased } from './row-store.ts'
import {
  isUnread,
  joinMark,
  micros,
  type PageRequest,
  type Position,
  readMe,
  timeOf,
  type Viewer,
} from './viewer-store.ts'

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
    where c.account_id = ${viewer.accountId} and c.state = 'open' and ${activeSince(sql`${listedUntil}::timestamptz`)}
      and ${isUnread(viewer)}
      ${follows('c', after)}
    order by ${latestFirst} limit ${limit}
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

/**
 * What is unread to a user is in two parts. Conversations that were active since `unread_listed_until` are compared with
 * the user's marks, one by one. Of those before, the unread ones are in `unread_conversations`. These are compared with
 * the marks too, because they may have been read or active in the meantime; but none is missing.
 *
 * Only open ones are looked at: what is closed or put off was read by everybody (`teamwork/state-store.ts`).
 *
 * Brings the list of a user up to date and says where it ends. For who looks all day that is about a minute of
 * conversations. The last minute is left out: `active_at` is the beginning of a transaction, and none of ours is open for
 * so long (decision 36).
 */
async function listUntilNow(db: Db, viewer: Viewer): Promise<Date> {
  let end = await readEnd(db, viewer)
  while (end.isBehind) {
    try {
      await listSome(db, viewer)
    } catch (error) {
      if (!hasSqlState(error, '23503')) throw error
      break // a contact is being erased; what was not listed is compared, so nothing is missing
    }
    end = await readEnd(db, viewer)
  }
  return end.listedUntil
}

/** How far a list can reach. When the clock was set back, the list ends there too. */
const listable = sql`date_trunc('minute', now() - interval '1 minute')`

type End = { listedUntil: Date; isBehind: boolean }

async function readEnd(db: Db, { accountId, userId }: Viewer): Promise<End> {
  const { rows } = await sql<End>`
    select coalesce(unread_listed_until, date_trunc('minute', unread_since)) as listed_until,
      unread_listed_until is distinct from ${listable} as is_behind
    from users where account_id = ${accountId} and id = ${userId}
  `.execute(db)
  const [end] = rows
  if (!end) throw new Error('the user of a session is gone')
  return end
}

/** Conversations that one statement looks at; the last minute of them is looked at whole. */
const batchSize = 2_000

/** The lock on the user lets one request at a time do it. */
async function listSome(db: Db, viewer: Viewer): Promise<void> {
  const { accountId, userId } = viewer
  await sql`
    with me as materialized (
      select unread_since, coalesce(unread_listed_until, date_trunc('minute', unread_since)) as listed_until
      from users where account_id = ${accountId} and id = ${userId} for no key update
    ), next as materialized (
      select case when listed_until + interval '1 minute' >= ${listable} then ${listable} else least(
        ${listable}, greatest(listed_until + interval '1 minute', coalesce((
          select date_trunc('minute', c.active_at) from conversations c
          where c.account_id = ${accountId} and c.state = 'open' and ${activeSince(sql`me.listed_until`)}
          order by ${earliestFirst} offset ${batchSize} limit 1
        ), 'infinity'))
      ) end as listed_until from me
    ), listed as (
      insert into unread_conversations (account_id, user_id, contact_id, active_at)
      select ${accountId}, ${userId}, c.contact_id, c.active_at
      from (
        select c.* from conversations c
        where c.account_id = ${accountId} and c.state = 'open' and ${activeSince(sql`(select listed_until from me)`)}
          and ${activeBefore(sql`(select listed_until from next)`)}
        order by ${alongSteps}
      ) as c cross join me ${joinMark(viewer)}
      where ${isUnread(viewer)}
      on conflict (account_id, user_id, contact_id) do update set active_at = excluded.active_at
    )
    update users u set unread_listed_until = next.listed_until from next
    where u.account_id = ${accountId} and u.id = ${userId}
  `.execute(db)
}

/**
 * Marks the messages up to `seq` as read by a user; an earlier number changes nothing. False: there is no such
 * conversation. Numbers have gaps, so whoever has read the last message there is has read up to `incoming_seq`.
 */
export async function markRead(
  db: Db,
  { accountId, userId, contactId }: Viewer & { contactId: ContactId },
  seq: number,
): Promise<boolean> {
  const marking = sql`
    with conversation as materialized (
      select * from conversations where account_id = ${accountId} and contact_id = ${contactId}
    ), marked as (
      insert into conversation_reads as r (account_id, contact_id, user_id, seq)
      select ${accountId}, c.contact_id, ${userId}, case
        when exists (
          select from messages m
          where m.account_id = ${accountId} and m.contact_id = c.contact_id and m.seq > ${seq} and m.direction = 'incoming'
        ) then ${seq} else greatest(c.incoming_seq, least(${seq}, c.last_seq)) end
      from conversation c
      on conflict (account_id, contact_id, user_id) do update set seq = greatest(r.seq, excluded.seq)
      returning r.seq
    ), listed as (
      delete from unread_conversations n using marked m, conversation c
      where n.account_id = ${accountId} and n.user_id = ${userId} and n.contact_id = ${contactId}
        and m.seq >= c.incoming_seq
    )
    select from marked
  `
  return (await rowsUnlessErased(db, marking)).length > 0
}
