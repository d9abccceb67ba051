import { sql } from 'kysely'
import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import { lastWay } from '../../../journey/messages/reply-route-store.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { ChannelId } from '../../../platform/ids.ts'

/** A contact on a built-in channel. */
export type OnChannel = ConversationRef & { channelId: ChannelId }

/** `isLast`: the contact's last message came over it. */
export type KnownOn = {
  kind: string
  name: string
  isPaused: boolean
  isRemoved: boolean
  isClosed: boolean
  hasWritten: boolean
  isLast: boolean
}

/** A built-in channel of the account, and how it stands there with a contact who has a conversation. */
export async function findKnownOn(
  db: Db,
  { accountId, contactId, channelId }: OnChannel,
): Promise<KnownOn | undefined> {
  const { rows } = await sql<KnownOn>`
    select n.kind, n.name, n.paused_at is not null as is_paused, n.state = 'removed' as is_removed,
      k.stop_scope is not null as is_closed, k.contact_id is not null as has_written, n.id = ${sql.raw(lastWay('c'))} as is_last
    from channels n
    join conversations c on c.account_id = n.account_id and c.contact_id = ${contactId}
    left join contact_channels k on k.account_id = n.account_id and k.contact_id = c.contact_id and k.channel_id = n.id
    where n.account_id = ${accountId} and n.id = ${channelId}
  `.execute(db)
  return rows[0]
}

/** Returns whether anything has changed. */
export async function writeBlock(
  tx: Tx,
  { accountId, contactId, channelId }: OnChannel,
  isBlocked: boolean,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('contactChannels')
    .set(isBlocked ? { stoppedAt: sql`now()`, stopScope: 'team' } : { stoppedAt: null, stopScope: null })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .where('channelId', '=', channelId)
    .where('stopScope', isBlocked ? 'is distinct from' : '=', 'team')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
