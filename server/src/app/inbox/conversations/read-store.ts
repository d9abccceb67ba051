import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import { hasSqlState } from '../../../platform/database/sql-state.ts'
import type { ContactId } from '../../../platform/ids.ts'
import type { Viewer } from './viewer-store.ts'

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
  try {
    const { rows } = await marking.execute(db)
    return rows.length > 0
  } catch (error) {
    if (hasSqlState(error, '23503')) return false // the contact is being erased
    throw error
  }
}
