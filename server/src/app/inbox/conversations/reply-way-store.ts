import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { sql } from 'kysely'
import { isHeld, isProvided } from '../../../journey/channels/store.ts'
import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import { customLabel, lastWay } from '../../../journey/messages/reply-route-store.ts'
import { hasFailed, isLeftInDoubt, isUndelivered } from '../../../journey/messages/status-store.ts'
import { shownAddress } from '../../../people/contacts/shown-name-store.ts'
import type { Db } from '../../../platform/database/db.ts'

/** `label`: by which the channel is shown. The last four: what is known of them there. */
export type ReplyWayRow = Omit<ReplyWay, 'channel' | 'fileBytes' | 'visitor'> & {
  label: string
  isUsual: boolean
  seenAt: Date | null
  leftEmail: string | null
  leftEmailAt: Date | null
  closedAt: Date | null
}

/**
 * The ways to write to a contact, the one that they used last first: the channels of the account, those where the contact has no
 * address too, because whoever looks for one wants to know why it is not there; one that was removed only where they wrote. What
 * waits and what is refused is decided again for each reply.
 */
export async function readReplyWays(db: Db, { accountId, contactId }: ConversationRef): Promise<ReplyWayRow[]> {
  const { rows } = await sql<ReplyWayRow>`
    with conversation as materialized (
      select c.account_id, c.contact_id, c.incoming_seq, c.last_seq, c.channel, ${sql.raw(lastWay('c'))} as last_way
      from conversations c where c.account_id = ${accountId} and c.contact_id = ${contactId}
    ), failing as (
      select distinct d.receiver_id from deliveries d
      where d.account_id = ${accountId} and d.contact_id = ${contactId}
        and ${sql.raw(hasFailed('d'))} and ${sql.raw(isUndelivered('d'))} and not (${sql.raw(isLeftInDoubt('d'))})
    ), ways as (
      select n.id as channel_id, n.id as label,
        ${sql.raw(shownAddress('k'))} as address,
        case when k.contact_id is null then 'no_address' when n.state = 'removed' then 'channel_removed'
          when k.stop_scope = 'all' then 'stopped' when k.stop_scope = 'team' then 'closed' end as why_not,
        case when ${sql.raw(isHeld('n'))} then 'held' when n.paused_at is not null then 'paused'
          when n.state in ('connecting', 'attention') and ${sql.raw(isProvided('n'))} then n.state end as waits,
        exists (select from failing f where f.receiver_id = n.id) as has_failed, n.id = c.last_way as is_usual, k.last_inbound_at as at, n.created_at,
        k.seen_at, k.left_email, k.left_email_at, case when k.stop_scope = 'team' then k.stopped_at end as closed_at
      from conversation c
      join channels n on n.account_id = c.account_id
      left join contact_channels k
        on k.account_id = c.account_id and k.contact_id = c.contact_id and k.channel_id = n.id
      where k.contact_id is not null or n.state <> 'removed'
      union all
      select 'custom', ${sql.raw(customLabel('c'))}, p.external_id, null, null,
        exists (
          select from failing f
          where not exists (select from channels n where n.account_id = c.account_id and n.id = f.receiver_id)
        ),
        not exists (select from channels n where n.account_id = c.account_id and n.id = c.last_way), null, null,
        null, null, null, null
      from conversation c join contacts p on p.account_id = c.account_id and p.id = c.contact_id
      where p.external_id is not null
    )
    select channel_id, label, address, why_not, waits, has_failed, is_usual, seen_at, left_email, left_email_at, closed_at
    from ways
    order by is_usual desc, at desc nulls last, created_at, channel_id
  `.execute(db)
  return rows
}
