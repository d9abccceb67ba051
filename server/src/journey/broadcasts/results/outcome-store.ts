import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import { arrivedAt, isGivenUp } from '../../messages/status-store.ts'
import type { BroadcastRef } from '../record/store.ts'

export type Outcome = { state: 'sent' | 'failed'; errorCategory: string | null; errorHttpStatus: number | null }

/** `taken`: its provider has it, and may still say that it did not arrive. It is still open, and looked at apart. */
type Settled = Omit<Outcome, 'state'> & { state: Outcome['state'] | 'taken' }

/**
 * Takes over the outcomes of deliveries that are over, at most so many: those that arrived, and those that failed and are
 * not tried again. One that a pause holds back is due again when the pause ends. Where the message itself is gone, nobody
 * knows what became of it.
 */
export async function settleRecipients(
  tx: Tx,
  { accountId, broadcastId }: BroadcastRef,
  limit: number,
): Promise<Settled[]> {
  const { rows } = await sql<Settled>`
    with over as materialized (
      select r.n, d.sent_at, case when ${arrived} is not null then 'sent' when d.sent_at is not null then 'taken' else 'failed' end as state,
        case when d.sent_at is null then coalesce(d.error_category, 'unknown') end as error_category,
        case when d.sent_at is null then d.error_http_status end as error_http_status
      from broadcast_recipients r left join deliveries d on d.account_id = ${accountId} and d.id = r.message_id
      where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.state = 'made'
        and (d.sent_at is not null or d.due_at is null and d.lease_token is null
          and d.error_category is distinct from 'endpoint_paused')
      order by r.n
      limit ${limit}
    )
    update broadcast_recipients r set state = o.state,
      settled_at = case when o.state <> 'taken' then coalesce(o.sent_at, now()) end,
      error_category = o.error_category, error_http_status = o.error_http_status
    from over o
    where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.n = o.n
    returning r.state, r.error_category, r.error_http_status
  `.execute(tx)
  return rows
}

const arrived = sql.raw(arrivedAt('d'))

/**
 * Of those that were taken, which are over by now. There may be very many of them for a day, so at most so many are looked at, from
 * number `from` on. One whose message was removed meanwhile has arrived, as far as anybody will know.
 */
export async function settleTaken(
  tx: Tx,
  { accountId, broadcastId }: BroadcastRef,
  { from, limit }: { from: number; limit: number },
): Promise<Outcome[]> {
  const { rows } = await sql<Outcome>`
    with looked as materialized (
      select r.n, r.message_id from broadcast_recipients r
      where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.state = 'taken' and r.n >= ${from}
      order by r.n limit ${limit}
    ), over as materialized (
      select l.n, ${arrived} as arrived_at, case when ${isFailed} then 'failed' else 'sent' end as state,
        case when ${isFailed} then d.error_category end as error_category
      from looked l left join deliveries d on d.account_id = ${accountId} and d.id = l.message_id
      where d.id is null or ${arrived} is not null or ${isFailed}
    )
    update broadcast_recipients r set state = o.state, settled_at = coalesce(o.arrived_at, now()), error_category = o.error_category
    from over o
    where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.n = o.n
    returning r.state, r.error_category, r.error_http_status
  `.execute(tx)
  return rows
}

const isFailed = sql.raw(`coalesce(${isGivenUp('d')} and d.error_category is distinct from 'endpoint_paused', false)`)

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
