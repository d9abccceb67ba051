import { sql } from 'kysely'
import { latestFirst } from '../../../journey/messages/activity-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { follows } from './list-store.ts'
import { type ConversationRow, readRows } from './row-store.ts'
import { micros, type PageRequest, type Position, timeOf, type Viewer } from './viewer-store.ts'

/** Open conversations that a request looks at: in one statement, because each sorts all that were active in a step. */
const mostLookedAt = 500

/**
 * Open conversations of a channel. An index for this would cost every message, so the open ones are gone through from the
 * latest on, so many for a request, and `reached` says where the next one goes on: a page may be short, or even empty.
 */
export async function listChannel(
  db: Db,
  viewer: Viewer,
  { channel, after, limit }: PageRequest & { channel: string },
): Promise<{ rows: ConversationRow[]; reached: Position | undefined }> {
  const seen = await readOpen(db, viewer, { channel, after })
  const found = seen.filter(({ isOfIt }) => isOfIt).slice(0, limit)
  const last = found.length === limit ? found.at(-1) : seen[mostLookedAt - 1]
  return { rows: await readNamed(db, viewer, found), reached: last }
}

type SeenPosition = Position & { isOfIt: boolean }

async function readOpen(
  db: Db,
  { accountId }: Viewer,
  { channel, after }: { channel: string; after: Position | undefined },
): Promise<SeenPosition[]> {
  const { rows } = await sql<SeenPosition>`
    select c.contact_id, ${micros(sql`c.active_at`)} as micros, coalesce(c.channel, 'custom') = ${channel} as is_of_it
    from conversations c
    where c.account_id = ${accountId} and c.state = 'open' and c.last_seq > 0 ${follows(after)}
    order by ${latestFirst} limit ${mostLookedAt}
  `.execute(db)
  return rows
}

async function readNamed(db: Db, viewer: Viewer, found: { contactId: ContactId }[]): Promise<ConversationRow[]> {
  if (found.length === 0) return []
  const ids = found.map(({ contactId }) => contactId)
  const rows = sql`
    select c.* from unnest(${ids}::text[]) as k (contact_id) cross join lateral (
      select c.* from conversations c where c.account_id = ${viewer.accountId} and c.contact_id = k.contact_id limit 1
    ) as c`
  return readRows(db, viewer, { rows, order: latestFirst })
}

/** Conversations with a tag, in any state; the one that was tagged last comes first. */
export async function listTagged(
  db: Db,
  viewer: Viewer,
  { tag, after, limit }: PageRequest & { tag: string },
): Promise<ConversationRow[]> {
  const { accountId } = viewer
  const later = after && sql`and (t.tagged_at, t.contact_id) < (${timeOf(after)}, ${after.contactId})`
  const order = sql`c.tagged_at desc, c.contact_id desc`
  return readRows(db, viewer, {
    rows: sql`
      select c.*, k.tagged_at from (
        select t.contact_id, t.tagged_at from conversation_tags t
        where t.account_id = ${accountId} and t.tag = ${tag} ${later ?? sql``}
        order by t.tagged_at desc, t.contact_id desc limit ${limit}
      ) as k cross join lateral (
        select c.* from conversations c
        where c.account_id = ${accountId} and c.contact_id = k.contact_id and c.last_seq > 0 and c.state <> 'empty' limit 1
      ) as c`,
    order,
    taggedAt: sql`c.tagged_at`,
  })
}
