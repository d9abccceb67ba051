import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import { hasSqlState } from '../../../platform/database/sql-state.ts'
import { isUnread, joinMark, type Viewer } from './viewer-store.ts'

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
export async function listUntilNow(db: Db, viewer: Viewer): Promise<Date> {
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
      select least(${listable}, greatest(listed_until + interval '1 minute', coalesce((
        select c.active_minute from conversations c
        where c.account_id = ${accountId} and c.state = 'open' and c.active_minute >= me.listed_until
        order by c.active_minute offset ${batchSize} limit 1
      ), 'infinity'))) as listed_until from me
    ), listed as (
      insert into unread_conversations (account_id, user_id, contact_id, active_at)
      select ${accountId}, ${userId}, c.contact_id, c.active_at
      from (
        select c.* from conversations c
        where c.account_id = ${accountId} and c.state = 'open' and c.active_minute >= (select listed_until from me)
          and c.active_minute < (select listed_until from next)
        order by c.active_minute
      ) as c cross join me ${joinMark(viewer)}
      where ${isUnread(viewer)}
      on conflict (account_id, user_id, contact_id) do update set active_at = excluded.active_at
    )
    update users u set unread_listed_until = next.listed_until from next
    where u.account_id = ${accountId} and u.id = ${userId}
  `.execute(db)
}
