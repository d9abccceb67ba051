import type { Db } from '../platform/db.ts'
import type { AccountId, MessageId } from '../platform/ids.ts'

/** One attempt to deliver a message. `url` is without its query string; `category` is null when it succeeded. */
export type LoggedAttempt = {
  n: number
  at: Date
  url: string
  durationMs: number
  category: string | null
  httpStatus: number | null
  detail: string | null
}

/** What was tried to deliver a message, newest first. Of attempts older than 30 days nothing is kept. */
export async function listAttempts(db: Db, accountId: AccountId, messageId: MessageId): Promise<LoggedAttempt[]> {
  return db
    .selectFrom('deliveryAttempts')
    .select(['n', 'at', 'url', 'durationMs'])
    .select(['errorCategory as category', 'errorHttpStatus as httpStatus', 'errorDetail as detail'])
    .where('accountId', '=', accountId)
    .where('deliveryId', '=', messageId)
    .orderBy('n', 'desc')
    .execute()
}
