import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import type { UserId } from '../../platform/ids.ts'
import type { ConversationRef } from './conversation-store.ts'

/** What happens in a conversation besides messages. `userId` is null when no user of the app did it. */
export type ConversationEvent = {
  kind:
    | ('taken over' | 'handed back' | 'switched off' | 'asked for a person' | 'opted out' | 'opted in')
    | ('assigned' | 'unassigned' | 'closed' | 'reopened' | 'snoozed' | 'snooze ended')
  userId: UserId | null
  /** To whom it was `assigned`. */
  toUserId?: UserId | null
  /** Until when it was `snoozed`, an ISO time. */
  until?: string | null
}

/**
 * Notes an event, in the transaction of what it tells about. It comes after the last message there is now, so it is
 * noted before a message that follows from it. Without a conversation nothing is noted.
 */
export async function noteEvent(
  tx: Tx,
  { accountId, contactId }: ConversationRef,
  { kind, userId, toUserId = null, until = null }: ConversationEvent,
): Promise<void> {
  await sql`
    insert into conversation_events (account_id, contact_id, seq, kind, user_id, to_user_id, until, at)
    select account_id, contact_id, last_seq, ${kind}, ${userId}, ${toUserId}, ${until}::timestamptz, clock_timestamp()
    from conversations where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(tx)
}
