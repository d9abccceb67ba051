import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { sql } from 'kysely'
import { isHeld, isProvided } from '../../../journey/channels/store.ts'
import { customLabel, lastWay } from '../../../journey/messages/reply-route-store.ts'
import { hasFailed, isLeftInDoubt, isUndelivered } from '../../../journey/messages/status-store.ts'
import { shownAddress } from '../../../people/contacts/shown-name-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'

/** `label`: by which the channel is shown. The last four: what is known of them there. */
export type ReplyWayRow = Pick<ReplyWay, 'channelId' | 'address' | 'whyNot' | 'waits' | 'hasFailed'> & {
  label: string
  isUsual: boolean
  /** Of the contact; null: they have none, or nobody is asked for. */
  phone: string | null
  stoppedAt: Date | null
  stopSource: string | null
  addressKind: string | null
  seenAt: Date | null
  leftEmail: string | null
  leftEmailAt: Date | null
  closedAt: Date | null
}

type Ref = { accountId: AccountId; contactId: ContactId | null }

/**
 * The ways to write to a contact, the one that they used last first: the channels of the account, those where the contact has no
 * address too, because whoever looks for one wants to know why it is not there; one that was removed only where they wrote. What
 * waits and what is refused is decided again for each reply. Of nobody, `contactId` null, the channels alone.
 */
export async function readReplyWays(db: Db, { accountId, contactId }: Ref): Promise<ReplyWayRow[]> {
  const { rows } = await sql<ReplyWayRow>`
    with conversation as materialized (
      select a.id as account_id, p.id as contact_id, p.external_id, case when not p.is_simulated then p.phone end as phone,
        ${sql.raw(customLabel('c'))} as custom_label, case when c.contact_id is not null then ${sql.raw(lastWay('c'))} end as last_way
      from accounts a
      left join contacts p on p.account_id = a.id and p.id = ${contactId}
      left join conversations c on c.account_id = p.account_id and c.contact_id = p.id
      where a.id = ${accountId}
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
        exists (select from failing f where f.receiver_id = n.id) as has_failed, n.id is not distinct from c.last_way as is_usual, k.last_inbound_at as at, n.created_at,
        c.phone, k.stopped_at, k.stop_source, k.address_kind,
        k.seen_at, k.left_email, k.left_email_at, case when k.stop_scope = 'team' then k.stopped_at end as closed_at
      from conversation c
      join channels n on n.account_id = c.account_id
      left join contact_channels k
        on k.account_id = c.account_id and k.contact_id = c.contact_id and k.channel_id = n.id
      where k.contact_id is not null or n.state <> 'removed'
      union all
      select 'custom', c.custom_label, c.external_id, null, null,
        exists (
          select from failing f
          where not exists (select from channels n where n.account_id = c.account_id and n.id = f.receiver_id)
        ),
        not exists (select from channels n where n.account_id = c.account_id and n.id = c.last_way), null, null,
        c.phone, null, null, null, null, null, null, null
      from conversation c
      where c.external_id is not null
    )
    select channel_id, label, address, why_not, waits, has_failed, is_usual, phone, stopped_at, stop_source, address_kind,
      seen_at, left_email, left_email_at, closed_at
    from ways
    order by is_usual desc, at desc nulls last, created_at, channel_id
  `.execute(db)
  return rows
}
