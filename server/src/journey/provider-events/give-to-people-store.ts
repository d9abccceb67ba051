import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import type { ContactId } from '../../platform/ids.ts'
import type { ChannelRef } from '../channels/store.ts'

/**
 * Ends what waited to be sent over a channel when the backup was taken, as not known to have arrived, and what the bot has written
 * here since to what was asked before; returns to whom. What was said in this copy has left from nowhere, and stays.
 */
export async function endWaiting(tx: Tx, { accountId, id }: ChannelRef): Promise<ContactId[]> {
  const { rows } = await sql<{ contactId: ContactId }>`
    with ended as (
      update deliveries d
      set due_at = null, lease_token = null, leased_until = null, asked = null, own_due_at = null, error_category = 'in_doubt',
        error_http_status = null, error_detail = 'It waited when the backup was taken, and may have left since.',
        doubt_since = now()
      from messages m, installation i
      where d.account_id = ${accountId} and d.receiver_id = ${id} and d.sent_at is null
        and (d.due_at is not null or d.error_category = 'endpoint_paused')
        and m.account_id = d.account_id and m.id = d.id
        and (m.created_at <= i.restored_at or m.author = 'bot' and not exists (
          select from messages q
          where q.account_id = m.account_id and q.contact_id = m.contact_id and q.seq < m.seq and q.direction = 'incoming'
            and q.created_at > i.restored_at
        ))
      returning d.id, d.contact_id
    ), doubted as (
      update delivery_parts q set doubt_since = now()
      from ended e where q.account_id = ${accountId} and q.delivery_id = e.id and q.accepted_at is null
    )
    select distinct contact_id from ended
  `.execute(tx)
  return rows.map(({ contactId }) => contactId)
}

/** Whom an answer over the channel was owed when the backup was taken. */
export async function findOwed(tx: Tx, { accountId, id }: ChannelRef): Promise<ContactId[]> {
  const { rows } = await sql<{ contactId: ContactId }>`
    select t.contact_id from installation i
    join turns t on t.first_at <= i.restored_at
    join conversations c on c.account_id = t.account_id and c.contact_id = t.contact_id
    where t.account_id = ${accountId} and coalesce((
      select m.channel from messages m
      where m.account_id = c.account_id and m.contact_id = c.contact_id and m.seq = c.incoming_seq
    ), c.channel) = ${id}
  `.execute(tx)
  return rows.map(({ contactId }) => contactId)
}
