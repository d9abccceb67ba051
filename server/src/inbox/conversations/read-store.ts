import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { hasSqlState } from '../../platform/database/sql-state.ts'
import type { ContactId } from '../../platform/ids.ts'
import type { Reader } from './row-store.ts'

/**
 * Marks the messages up to `seq` as read by a user; an earlier number changes nothing. False: there is no such
 * conversation. Numbers have gaps, so whoever has read the last message there is has read up to `incoming_seq`.
 */
export async function markRead(
  db: Db,
  { accountId, userId, contactId }: Reader & { contactId: ContactId },
  seq: number,
): Promise<boolean> {
  const marking = sql`
    insert into conversation_reads as r (account_id, contact_id, user_id, seq)
    select c.account_id, c.contact_id, ${userId}, case
      when exists (
        select from messages m
        where m.account_id = c.account_id and m.contact_id = c.contact_id and m.seq > ${seq} and m.direction = 'incoming'
      ) then ${seq} else greatest(c.incoming_seq, least(${seq}, c.last_seq)) end
    from conversations c where c.account_id = ${accountId} and c.contact_id = ${contactId}
    on conflict (account_id, contact_id, user_id) do update set seq = greatest(r.seq, excluded.seq)
  `
  try {
    const { numAffectedRows = 0n } = await marking.execute(db)
    return numAffectedRows > 0n
  } catch (error) {
    if (hasSqlState(error, '23503')) return false // the contact is being erased
    throw error
  }
}
