import { sql } from 'kysely'
import { mostCharactersRead } from '../../../answers/engines/common/engine.ts'
import { isChannelId } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ChannelId, EntryId } from '../../../platform/ids.ts'
import type { Turn } from '../../conversations/turn-store.ts'

/** The current state of a conversation. */
export type Conversation = {
  /** The contact's id on the external platform; null: they are known on built-in channels alone. */
  externalId: string | null
  firstName: string | null
  botActive: boolean
  /** The agency of a sub-account. */
  agencyId: AccountId | null
  channel: string
  campaignId: string | null
  handler: 'bot' | 'person' | 'off'
  handlerReason: string | null
  epoch: number
  handedBackSeq: bigint
  /** The time since the last message that a person of the account wrote. */
  personSecondsAgo: number | null
  misses: number
  /** It waits for a person because of its misses. */
  isPersonCalled: boolean
  offered: EntryId[]
  isOptedOut: boolean
  /** The account keeps hashes of contacts who opted out before they were erased: this may be one of them. */
  mayHaveOptedOut: boolean
  /** It is that of a simulated contact, whose answers cost nothing. */
  isSimulated: boolean
  /** Messages up to this one have been checked for an opt-out or opt-in. */
  consentSeq: bigint
}

export async function readConversation(db: Db, { accountId, contactId }: Turn): Promise<Conversation | undefined> {
  const row = await db
    .selectFrom('conversations as c')
    .innerJoin('contacts as p', (join) =>
      join.onRef('p.accountId', '=', 'c.accountId').onRef('p.id', '=', 'c.contactId'),
    )
    .innerJoin('accounts as a', 'a.id', 'c.accountId')
    .select(['p.externalId', 'p.firstName', 'a.botActive', 'a.agencyId'])
    .select(['c.campaignId', 'c.handler', 'c.handlerReason'])
    .select(['c.epoch', 'c.handedBackSeq', 'c.misses', 'c.offered', 'c.consentSeq', 'c.isSimulated'])
    .select([
      sql<boolean>`p.opted_out_at is not null`.as('isOptedOut'),
      sql<boolean>`exists (select from opt_outs o where o.account_id = c.account_id)`.as('mayHaveOptedOut'),
      sql<boolean>`c.waiting_reason is not distinct from 'misses'`.as('isPersonCalled'),
      sql<string>`coalesce(c.channel, 'custom')`.as('channel'),
      sql<number | null>`extract(epoch from now() - c.person_at)::float`.as('personSecondsAgo'),
    ])
    .where('c.accountId', '=', accountId)
    .where('c.contactId', '=', contactId)
    .executeTakeFirst()
  if (!row) return undefined
  const { handedBackSeq, consentSeq, ...conversation } = row
  return { ...conversation, handedBackSeq: BigInt(handedBackSeq), consentSeq: BigInt(consentSeq) }
}

/** What only a built-in channel says of a message; a message of a custom one has none of it. */
type ChannelFacts = {
  /** The offered entry whose button was tapped. */
  choice: EntryId | null
  /** It opens the conversation, without a word. */
  opens: boolean
  /** What the link said by which they came. */
  start: string | null
}

export type SeenMessage = ChannelFacts & {
  seq: bigint
  direction: 'incoming' | 'outgoing'
  author: 'contact' | 'bot' | 'person' | 'api'
  kind: 'text' | 'reaction'
  body: string
  campaignId: string | null
  toId: string | null
  /** The built-in channel over which it came or went, whose provider says what is an echo; null: a custom one. */
  channelId: ChannelId | null
  secondsAgo: number
  /** MIME type of what was attached. */
  attached: string | null
  /** Its `messageSid` is the id of one of our outgoing messages. */
  isOurs: boolean
}

/** Messages read per turn; of a longer burst only the last ones are answered. */
const mostMessages = 200

/** The last messages up to the claim of the turn, oldest first, each as far as it is read: whole ones may have 12 MiB together. */
export async function readMessages(db: Db, { accountId, contactId, claimedSeq }: Turn): Promise<SeenMessage[]> {
  const rows = await db
    .selectFrom('messages as m')
    .leftJoin('attachments as f', (join) =>
      join.onRef('f.accountId', '=', 'm.accountId').onRef('f.messageId', '=', 'm.id'),
    )
    .select(['m.seq', 'm.direction', 'm.author', 'm.kind', 'm.campaignId', 'm.toId', 'm.channel'])
    .select([
      sql<string>`left(m.body, ${mostCharactersRead})`.as('body'),
      'f.contentType as attached',
      sql<number>`extract(epoch from now() - m.created_at)::float`.as('secondsAgo'),
      sql<boolean>`m.message_sid is not null and exists (
        select from messages o
        where o.account_id = m.account_id and o.id = m.message_sid and o.direction = 'outgoing'
      )`.as('isOurs'),
    ])
    .where('m.accountId', '=', accountId)
    .where('m.contactId', '=', contactId)
    .where('m.seq', '<=', String(claimedSeq))
    .orderBy('m.seq', 'desc')
    .limit(mostMessages)
    .execute()
  return rows.reverse().map(({ seq, channel, ...message }) => {
    const unknown: ChannelFacts = { choice: null, opens: false, start: null }
    return {
      ...message,
      ...unknown,
      seq: BigInt(seq),
      channelId: channel !== null && isChannelId(channel) ? channel : null,
    }
  })
}

/** Limits on the bot's replies; see `replyLimitReached`. */
export type ReplyLimits = {
  /** Seconds until a conversation that looks like two bots talking may go on; null: it does not look so. */
  loopEndsInSeconds: number | null
  isConversationAtDailyCap: boolean
  isCampaignAtDailyCap: boolean
}

type Caps = { campaignId: string; perConversation: number; perCampaign: number | null }

/** More replies than this in one conversation in ten minutes: the other side is a bot too. */
const loop = { replies: 30, seconds: 600 }

/** Reads only the reply that must be old enough for another one: no counting, however many there are. */
export async function readReplyLimits(db: Db, { accountId, contactId }: Turn, caps: Caps): Promise<ReplyLimits> {
  const replyBefore = (replies: number) => sql`
    select created_at from answers
    where account_id = ${accountId} and contact_id = ${contactId} and message_id is not null
    order by from_seq desc
    offset ${replies - 1} limit 1`
  const { rows } = await sql<ReplyLimits>`
    select
      (select extract(epoch from created_at - now())::float + ${loop.seconds}
        from (${replyBefore(loop.replies)}) as r
        where created_at > now() - ${loop.seconds} * interval '1 second') as loop_ends_in_seconds,
      exists (
        select from (${replyBefore(caps.perConversation)}) as r where created_at > now() - interval '1 day'
      ) as is_conversation_at_daily_cap,
      ${caps.perCampaign}::integer is not null and exists (
        select from answers
        where account_id = ${accountId} and campaign_id = ${caps.campaignId} and message_id is not null
          and created_at > now() - interval '1 day'
        order by created_at desc
        offset ${(caps.perCampaign ?? 1) - 1} limit 1
      ) as is_campaign_at_daily_cap
  `.execute(db)
  return rows[0] ?? { loopEndsInSeconds: null, isConversationAtDailyCap: false, isCampaignAtDailyCap: false }
}
