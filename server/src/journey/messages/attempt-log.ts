import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, EventId, MessageId } from '../../platform/ids.ts'

/** One attempt to deliver a message or another event. `url` is without its query string; `category` is null when it succeeded. */
export type LoggedAttempt = {
  n: number
  at: Date
  url: string
  durationMs: number
  category: string | null
  httpStatus: number | null
  detail: string | null
}

/**
 * The attempts to deliver a message that are still kept, newest first. The last one is stored in the delivery itself until
 * the next one replaces it, and is kept with the message.
 */
export async function listAttempts(
  db: Db,
  accountId: AccountId,
  messageId: MessageId | EventId,
): Promise<LoggedAttempt[]> {
  const { rows } = await sql<LoggedAttempt>`
    select n, at, url, duration_ms, error_category as category, error_http_status as http_status, error_detail as detail
    from (
      select attempts as n, last_attempt_at as at, last_url as url, last_duration_ms as duration_ms, error_category,
        error_http_status, error_detail
      from deliveries where account_id = ${accountId} and id = ${messageId} and last_url is not null
      union all
      select n, at, url, duration_ms, error_category, error_http_status, error_detail
      from delivery_attempts where account_id = ${accountId} and delivery_id = ${messageId}
    ) as attempt
    order by n desc
  `.execute(db)
  return rows
}
