import type { ChannelKind } from '@patchbay/contract/channels.ts'
import { CompiledQuery } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ChannelId, ContactId } from '../../platform/ids.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

/** A built-in channel by which a contact may be answered, and how they are known there. */
export type ReplyRoute = {
  channelId: ChannelId
  kind: ChannelKind
  name: string
  /** What a message costs there, in units. */
  unitsPerMessage: string
  isRemoved: boolean
  isPaused: boolean
  /** Null: they have none there. */
  address: { kind: string; address: string } | null
  stopScope: string | null
}

/**
 * The channel over which the last message of the conversation `c` came: the id of a built-in one, or the label of a custom one.
 * Its row is asked, because a message of the custom channel without a label leaves that of the conversation as it was.
 */
export const lastWay = (c: string) => `coalesce((
    select coalesce(m.channel, 'custom') from messages m
    where m.account_id = ${c}.account_id and m.contact_id = ${c}.contact_id and m.seq = ${c}.incoming_seq
  ), ${c}.channel, 'custom')`

/**
 * The built-in channel that is named, or that of the contact's last message; undefined: there is no such channel, or the message
 * came over a custom one. Read while the conversation is locked, so that no message changes it.
 */
export async function readReplyRoute(
  db: Db,
  { accountId, contactId }: Ref,
  channelId?: ChannelId,
): Promise<ReplyRoute | undefined> {
  const { rows } = await db.executeQuery<ReplyRoute>(
    CompiledQuery.raw(reading, [accountId, contactId, channelId ?? null]),
  )
  return rows[0]
}

const reading = `
select n.id as "channelId", n.kind, n.name, n.credits_per_message::text as "unitsPerMessage", n.state = 'removed' as "isRemoved", n.paused_at is not null as "isPaused",
  k.stop_scope as "stopScope",
  case when k.address is not null then json_build_object('kind', k.address_kind, 'address', k.address) end as address
from conversations c
join channels n on n.account_id = c.account_id and n.id = coalesce($3, ${lastWay('c')})
left join contact_channels k on k.account_id = c.account_id and k.contact_id = c.contact_id and k.channel_id = n.id
where c.account_id = $1 and c.contact_id = $2
`

/** So many of the last messages are looked through for what callers of the custom channel named it by. */
const mostLookedAt = 500

/**
 * What the custom channel of a contact is called who is known on built-in ones too: the conversation may have the id of one of
 * those, which is not for the caller's eyes.
 */
export async function readCustomLabel(db: Db, { accountId, contactId }: Ref): Promise<string> {
  const { rows } = await db.executeQuery<{ label: string }>(CompiledQuery.raw(readingLabel, [accountId, contactId]))
  return rows[0]?.label ?? 'custom'
}

/** The label of the custom channel in the conversation `c`. */
export const customLabel = (c: string) => `coalesce((
    select coalesce(m.channel, 'custom') from messages m
    where m.account_id = ${c}.account_id and m.contact_id = ${c}.contact_id and m.seq > ${c}.last_seq - ${mostLookedAt}
      and m.direction = 'incoming' and (m.channel is null or m.channel not like 'chn\\_%')
    order by m.seq desc limit 1
  ), 'custom')`

const readingLabel = `
select ${customLabel('c')} as label from conversations c where c.account_id = $1 and c.contact_id = $2
`
