import { CompiledQuery } from 'kysely'
import { enqueueEvents, storeSent } from '../../outbox/enqueue-events.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { AccountId, BroadcastId, CampaignId, ChannelId, ContactId, MessageId, UserId } from '../../platform/ids.ts'
import type { Kind } from '../channels/kinds/kind.ts'
import { takeSequenceNumbers } from './sequence-store.ts'

/** A message over a built-in channel, with the parts of which it consists: requests, where it leaves by them. */
export type ChannelMessageRow = {
  accountId: AccountId
  messageId: MessageId
  contactId: ContactId
  channelId: ChannelId
  author: 'bot' | 'person' | 'api'
  userId: UserId | undefined
  body: string
  campaignId: CampaignId | undefined
  trace: string | undefined
  broadcastId: BroadcastId | undefined
  address: { kind: string; address: string }
  parts: unknown[]
  leaves: Kind['leaves']
}

/**
 * Stores a message, its parts and the event that delivers it, or that it is delivered, in a transaction that has locked the conversation,
 * or the contact, who may have none yet: it is made, and is of this channel. A contact is never made: whoever is written to on a channel
 * has an address there. Returns its number in the conversation.
 */
export async function insertChannelMessage(tx: Tx, row: ChannelMessageRow): Promise<string> {
  const { accountId, messageId, contactId, channelId, author, userId, body, campaignId, trace, address, parts } = row
  const statement = row.leaves === 'when stored' ? storing : inserting
  const given = [
    accountId,
    contactId,
    messageId,
    channelId,
    author,
    userId ?? null,
    body,
    campaignId ?? null,
    trace ?? null,
  ]
  const { rows } = await tx.executeQuery<{ seq: string }>(
    CompiledQuery.raw(statement, [
      ...given,
      address.kind,
      address.address,
      JSON.stringify(parts),
      row.broadcastId ?? null,
    ]),
  )
  if (!rows[0]) throw new Error('a conversation that was locked is not there')
  return rows[0].seq
}

/**
 * Every event has a payload; that of a channel is in its parts. A conversation that we begin is of this channel until the contact writes;
 * of any other the contact's messages decide.
 */
const write = ({ acceptedAt, event }: { acceptedAt: string; event: string }) => `
with contact as materialized (
  select 0 as s, 1 as messages, $1::text as "accountId", $2::text as id, $8::text as "campaignId",
    case when not exists (
      select from conversations c
      where c.account_id = $1 and c.contact_id = $2 and (c.channel is not null or c.incoming_seq > 0)
    ) then $4::text end as channel
), ${takeSequenceNumbers('outgoing')}, fresh as materialized (
  select seq_before[1] + 1 as seq, outgoing_before[1] + 1 as outgoing_seq from conversation
), kept as (
  insert into messages (account_id, id, contact_id, seq, outgoing_seq, direction, author, user_id, kind, body, channel, campaign_id,
    broadcast_id)
  select $1, $3, $2, seq, outgoing_seq, 'outgoing', $5, $6, 'text', $7, $4, $8, $13 from fresh
), parts as (
  insert into delivery_parts (account_id, delivery_id, n, channel_id, contact_id, address_kind, address, content, accepted_at)
  select $1, $3, n, $4, $2, $10, $11, content, ${acceptedAt}
  from jsonb_array_elements($12::jsonb) with ordinality as p (content, n)
), event as materialized (
  select $1 as account_id, $3 as id, $4 as receiver_id, $2 as contact_id, outgoing_seq, $5 as author, '' as payload, $9 as trace,
    null::uuid as token
  from fresh
), ${event}
select f.seq from enqueued cross join fresh f
`

const inserting = write({ acceptedAt: 'null', event: enqueueEvents })
const storing = write({ acceptedAt: 'now()', event: storeSent })
