import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId, ChannelId, ContactId } from '../../../platform/ids.ts'

/** How a contact is known on a channel; without an address they are not. */
export type KnownThere = { address: { kind: string; address: string } | null; stopScope: string | null }

/** Of these contacts, which the transaction has locked. */
export async function readKnownThere(
  tx: Tx,
  { accountId, channelId }: { accountId: AccountId; channelId: ChannelId },
  ids: ContactId[],
): Promise<Map<ContactId, KnownThere>> {
  const { rows } = await sql<KnownThere & { contactId: ContactId }>`
    select contact_id, stop_scope,
      case when address is not null then json_build_object('kind', address_kind, 'address', address) end as address
    from contact_channels
    where account_id = ${accountId} and channel_id = ${channelId} and contact_id = any (${ids}::text[])
  `.execute(tx)
  return new Map(rows.map(({ contactId, ...known }) => [contactId, known]))
}
