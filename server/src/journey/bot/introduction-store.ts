import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import type { AccountId, ChannelId, ContactId } from '../../platform/ids.ts'

/** How long somebody remembers that it is a bot who answers. */
const remembered = '24 hours'

/** So many of the last messages are looked through: after more than that from one side alone, nobody remembers either. */
const mostLookedAt = 200

type Asked = { accountId: AccountId; contactId: ContactId; channelId: ChannelId; isOnce: boolean }

/**
 * Whether the bot has to say what it is before what it says next: it has not spoken on this channel for a day, or a person has
 * written since. Where it shows beside each answer who speaks, it says so once. Asked while the conversation is locked, so that of
 * two answers at once the second finds the first.
 */
export async function isIntroductionDue(tx: Tx, { accountId, contactId, channelId, isOnce }: Asked): Promise<boolean> {
  const { rows } = await sql<{ isKnown: boolean }>`
    select author = 'bot' and (${isOnce} or created_at > now() - ${remembered}::interval) as is_known
    from (
      select seq, author, channel, created_at from messages
      where account_id = ${accountId} and contact_id = ${contactId}
      order by seq desc
      limit ${mostLookedAt}
    ) as last
    where author = 'person' and not ${isOnce} or author = 'bot' and channel = ${channelId}
    order by seq desc
    limit 1
  `.execute(tx)
  return rows[0]?.isKnown !== true
}
