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

/**
 * From now on we ask now and then for what may not have reached us, back to ten minutes before `cursor`, the time in milliseconds up to which
 * everything is kept: so the first time nothing from before now. One that was asked before goes on where it was.
 */
export async function startCatchingUp(tx: Tx, { accountId, id }: ChannelRef): Promise<void> {
  await sql`
    insert into channel_polls (account_id, channel_id, cursor)
    values (${accountId}, ${id}, (extract(epoch from now()) * 1000)::bigint + ${overlapMs})
    on conflict (account_id, channel_id) do nothing
  `.execute(tx)
}

/** What was sent so long before the last that is kept may have been listed later than that. */
export const overlapMs = 600_000

/** We fetch no more: whoever has the lease finds that out before the next request. */
export async function stopPolling(tx: Tx, { accountId, id }: ChannelRef): Promise<void> {
  await tx.deleteFrom('channelPolls').where('accountId', '=', accountId).where('channelId', '=', id).execute()
}
