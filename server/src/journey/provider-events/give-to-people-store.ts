import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import type { ContactId } from '../../platform/ids.ts'
import type { ChannelRef } from '../channels/store.ts'

/** Ends what waits to be sent over a channel, as not known to have arrived. Returns to whom. */
export async function endWaiting(tx: Tx, { accountId, id }: ChannelRef): Promise<ContactId[]> {
  const { rows } = await sql<{ contactId: ContactId }>`
    with ended as (
      update deliveries
      set due_at = null, lease_token = null, leased_until = null, asked = null, own_due_at = null, error_category = 'in_doubt',
        error_http_status = null, error_detail = 'It waited when the backup was taken, and may have left since.'
      where account_id = ${accountId} and receiver_id = ${id} and sent_at is null
        and (due_at is not null or error_category = 'endpoint_paused')
      returning contact_id
    )
    select distinct contact_id from ended
  `.execute(tx)
  return rows.map(({ contactId }) => contactId)
}

/** Contacts of the channel whom an answer is owed. */
export async function findOwed(tx: Tx, { accountId, id }: ChannelRef): Promise<ContactId[]> {
  const { rows } = await sql<{ contactId: ContactId }>`
    select t.contact_id from turns t
    where t.account_id = ${accountId} and exists (
      select from contact_channels k
      where k.account_id = t.account_id and k.contact_id = t.contact_id and k.channel_id = ${id}
    )
  `.execute(tx)
  return rows.map(({ contactId }) => contactId)
}
