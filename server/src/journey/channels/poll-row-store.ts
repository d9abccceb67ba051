import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import type { ChannelRef } from './store.ts'

/** We fetch from now on, also where we were waiting after a fault. One that was fetched before goes on where it was. */
export async function startPolling(tx: Tx, { accountId, id }: ChannelRef): Promise<void> {
  await sql`
    insert into channel_polls as p (account_id, channel_id) values (${accountId}, ${id})
    on conflict (account_id, channel_id) do update set due_at = now() where p.due_at > now()
  `.execute(tx)
}

/** We fetch no more: whoever has the lease finds that out before the next request. */
export async function stopPolling(tx: Tx, { accountId, id }: ChannelRef): Promise<void> {
  await tx.deleteFrom('channelPolls').where('accountId', '=', accountId).where('channelId', '=', id).execute()
}
