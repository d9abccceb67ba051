import { sql } from 'kysely'
import { isHeld } from '../../../journey/channels/store.ts'
import { messageWebhook } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { failedContacts } from './list-store.ts'
import { findUnread } from './unread-store.ts'
import { readMe, type Viewer } from './viewer-store.ts'

export type Counts = {
  mine: number
  unread: number
  waiting: number
  failed: number
  longestWaitingSince: Date | null
  receiver: 'none' | 'working' | 'failing' | 'paused' | 'gone'
  failuresInRow: number
  channelsInNeed: { id: string; name: string; isHeld: boolean }[]
}

const isHeldHere = sql.raw(isHeld('c'))

/** More are shown as 99+, and each takes some look-ups. */
const most = 100

export async function countConversations(db: Db, viewer: Viewer): Promise<Counts> {
  const { accountId } = viewer
  const unread = (await findUnread(db, viewer, { after: undefined, limit: most })).length
  const { rows } = await sql<Counts>`
    with me as materialized (${readMe(viewer)}), waiting as materialized (
      select waiting_since from conversations
      where account_id = ${accountId} and waiting_since is not null and state = 'open' and last_seq > 0
      order by waiting_since limit ${most}
    )
    select
      (select count(*)::integer from (
        select from conversations
        where account_id = ${accountId} and assignee_id = ${viewer.userId} and state = 'open' and last_seq > 0
        limit ${most}
      ) as mine) as mine,
      ${unread}::integer as unread,
      (select count(*)::integer from waiting) as waiting,
      (select min(waiting_since) from waiting) as longest_waiting_since,
      (select count(*)::integer from (${failedContacts(accountId, most)}) as failed) as failed,
      case when e.url is null then 'none' when e.paused_at is not null then 'paused' when e.gone_at is not null then 'gone'
        when e.failures_in_row > 0 then 'failing' else 'working' end as receiver,
      coalesce(e.failures_in_row, 0) as failures_in_row,
      (select coalesce(
        json_agg(json_build_object('id', n.id, 'name', n.name, 'isHeld', n.is_held) order by n.attention_since, n.id), '[]'
      ) from (
        select c.id, c.name, c.attention_since, ${isHeldHere} as is_held from channels c
        where c.account_id = ${accountId} and (c.state = 'attention' or c.state <> 'removed' and ${isHeldHere})
      ) as n) as channels_in_need
    from me left join receivers e on e.account_id = ${accountId} and e.id = ${sql.lit(messageWebhook)}
  `.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('the user of a session is gone')
  return counts
}
