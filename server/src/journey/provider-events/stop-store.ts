import { sql } from 'kysely'
import type { ContactAddress, OnChannel } from '../../people/contacts/addresses/address-store.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { ContactId } from '../../platform/ids.ts'

/**
 * Notes that somebody takes nothing from this channel any more, or takes it again, unless something later is known. Returns whose
 * that changed. The conversation is locked first, as whoever writes to them does.
 */
export async function writeStop(
  tx: Tx,
  { accountId, channelId }: OnChannel,
  { address: { kind, address }, isStopped, at }: { address: ContactAddress; isStopped: boolean; at: number },
): Promise<ContactId | undefined> {
  await sql`
    select from conversations c where c.account_id = ${accountId} and c.contact_id = (
      select contact_id from contact_addresses
      where account_id = ${accountId} and channel_id = ${channelId} and kind = ${kind} and address = ${address}
    ) for update
  `.execute(tx)
  const time = new Date(at)
  const { rows } = await sql<{ contactId: ContactId }>`
    update contact_channels c
    set stopped_at = ${isStopped ? time : null}, stop_scope = ${isStopped ? 'all' : null}
    where c.account_id = ${accountId} and c.channel_id = ${channelId} and c.contact_id = (
      select contact_id from contact_addresses
      where account_id = ${accountId} and channel_id = ${channelId} and kind = ${kind} and address = ${address}
    ) and (c.stopped_at is null) = ${isStopped}
      and (${isStopped ? sql`c.last_inbound_at is null or c.last_inbound_at <= ${time}` : sql`c.stopped_at <= ${time}`})
    returning c.contact_id
  `.execute(tx)
  return rows[0]?.contactId
}
