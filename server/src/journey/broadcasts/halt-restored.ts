import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import type { AccountId, ChannelId } from '../../platform/ids.ts'

/**
 * Somebody has said that a channel goes on in this restored copy: whom its broadcasts had written to since the backup nobody here knows,
 * so that a person decides whether they go on. Those that somebody started in the copy do. Lock order: before conversations.
 */
export async function haltRestored(
  tx: Tx,
  { accountId, id: channelId }: { accountId: AccountId; id: ChannelId },
): Promise<void> {
  await sql`
    update broadcasts b set state = 'paused', halted_at = now(), halted_reason = 'restored_copy', waiting_since = null,
      waiting_reason = null
    from installation i
    where b.account_id = ${accountId} and b.channel = ${channelId} and b.state in ('preparing', 'running')
      and b.created_at <= i.restored_at
  `.execute(tx)
}
