import { sql } from 'kysely'
import { breaksAfter } from '../../outbox/enqueue-events.ts'
import { messageWebhook } from '../../outbox/receivers.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ReceiverId } from '../../platform/ids.ts'

export type UseRow = {
  id: ReceiverId
  url: string
  failuresInRow: number
  pausedAt: Date | null
  goneAt: Date | null
  lastOutAt: Date | null
  silentSince: Date | null
  slowedUntil: Date | null
  waiting: number
}

/** Counts stop here, and of messages that are held back no more of the latest failures are looked at. */
const mostCounted = 10_000

/** What is known of these receivers, and how much waits for each. */
export async function readUse(db: Db, accountId: AccountId, ids: ReceiverId[]): Promise<Map<string, UseRow>> {
  const { rows } = await sql<UseRow>`
    with failed as materialized (
      select d.receiver_id, d.error_category from deliveries d
      where d.account_id = ${accountId} and d.error_category is not null and d.sent_at is null and d.due_at is null
      order by d.id desc limit ${mostCounted}
    )
    select r.id, r.url, r.failures_in_row, r.paused_at, r.gone_at, r.last_success_at as last_out_at,
      case when r.failures_in_row >= ${breaksAfter} then r.failing_since end as silent_since,
      (select c.paused_until from channel_rates c
        where c.account_id = ${accountId} and c.channel_id = r.id and c.paused_until > now()) as slowed_until,
      (select count(*)::integer from (
        select from deliveries d where d.account_id = ${accountId} and d.receiver_id = r.id and d.due_at is not null
        limit ${mostCounted}
      ) as o) + (
        select count(*)::integer from failed f where f.receiver_id = r.id and f.error_category = 'endpoint_paused'
      ) as waiting
    from receivers r where r.account_id = ${accountId} and r.id = any (${ids})
  `.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

export type CustomRow = Pick<UseRow, 'url' | 'failuresInRow' | 'pausedAt' | 'goneAt' | 'lastOutAt' | 'waiting'>

/** The receiver of all custom channels. Undefined: no address is saved. */
export async function findCustomUse(db: Db, accountId: AccountId): Promise<CustomRow | undefined> {
  return (await readUse(db, accountId, [messageWebhook])).get(messageWebhook)
}
