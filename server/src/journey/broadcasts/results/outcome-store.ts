import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import type { BroadcastRef } from '../record/store.ts'

export type Outcome = { state: 'sent' | 'failed'; errorCategory: string | null; errorHttpStatus: number | null }

/**
 * Takes over the outcomes of deliveries that are over, at most so many: those that arrived, and those that failed and are
 * not tried again. One that a pause holds back is due again when the pause ends. Where the message itself is gone, nobody
 * knows what became of it.
 */
export async function settleRecipients(
  tx: Tx,
  { accountId, broadcastId }: BroadcastRef,
  limit: number,
): Promise<Outcome[]> {
  const { rows } = await sql<Outcome>`
    with over as materialized (
      select r.n, d.sent_at, case when d.sent_at is not null then 'sent' else 'failed' end as state,
        case when d.sent_at is null then coalesce(d.error_category, 'unknown') end as error_category,
        case when d.sent_at is null then d.error_http_status end as error_http_status
      from broadcast_recipients r left join deliveries d on d.account_id = ${accountId} and d.id = r.message_id
      where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.state = 'made'
        and (d.sent_at is not null or d.due_at is null and d.lease_token is null
          and d.error_category is distinct from 'endpoint_paused')
      order by r.n
      limit ${limit}
    )
    update broadcast_recipients r set state = o.state, settled_at = coalesce(o.sent_at, now()),
      error_category = o.error_category, error_http_status = o.error_http_status
    from over o
    where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.n = o.n
    returning r.state, r.error_category, r.error_http_status
  `.execute(tx)
  return rows
}

/** Recipients whose failed message is sent again, or has arrived since, are open again; returns what they had. */
export async function reopenRecipients(
  tx: Tx,
  { accountId, broadcastId }: BroadcastRef,
  limit: number,
): Promise<Outcome[]> {
  const { rows } = await sql<Outcome>`
    with again as materialized (
      select r.n, r.state, r.error_category, r.error_http_status
      from broadcast_recipients r join deliveries d on d.account_id = ${accountId} and d.id = r.message_id
      where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.state = 'failed'
        and (d.sent_at is not null or d.due_at is not null)
      order by r.n
      limit ${limit}
    ), opened as (
      update broadcast_recipients r
      set state = 'made', settled_at = null, error_category = null, error_http_status = null
      from again a
      where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.n = a.n
    )
    select state, error_category, error_http_status from again
  `.execute(tx)
  return rows
}
