import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { EntryId } from '../../platform/ids.ts'
import type { Turn } from '../turns/turn-store.ts'

/** What a conversation is like at the moment. */
export type Conversation = {
  fromId: string
  firstName: string | null
  botActive: boolean
  channel: string
  campaignId: string | null
  handler: 'bot' | 'person' | 'off'
  handlerReason: string | null
  epoch: number
  handedBackSeq: bigint
  /** Since the last message of a person of ours. */
  personSecondsAgo: number | null
  misses: number
  offered: EntryId[]
  /** They do not want to be written to. Of their words about it, those up to this one have been heard. */
  isOptedOut: boolean
  consentSeq: bigint
}

export async function readConversation(db: Db, { accountId, contactId }: Turn): Promise<Conversation | undefined> {
  const row = await db
    .selectFrom('conversations as c')
    .innerJoin('contacts as p', (join) =>
      join.onRef('p.accountId', '=', 'c.accountId').onRef('p.id', '=', 'c.contactId'),
    )
    .innerJoin('accounts as a', 'a.id', 'c.accountId')
    .select(['p.externalId', 'p.firstName', 'a.botActive', 'c.campaignId', 'c.handler', 'c.handlerReason'])
    .select(['c.epoch', 'c.handedBackSeq', 'c.misses', 'c.offered', 'c.consentSeq'])
    .select([
      sql<boolean>`p.opted_out_at is not null`.as('isOptedOut'),
      sql<string>`coalesce(c.channel, 'custom')`.as('channel'),
      sql<number | null>`extract(epoch from now() - c.person_at)::float`.as('personSecondsAgo'),
    ])
    .where('c.accountId', '=', accountId)
    .where('c.contactId', '=', contactId)
    .executeTakeFirst()
  if (!row || row.externalId === null) return undefined
  const { externalId, handedBackSeq, consentSeq, ...conversation } = row
  const seqs = { handedBackSeq: BigInt(handedBackSeq), consentSeq: BigInt(consentSeq) }
  return { ...conversation, fromId: externalId, ...seqs }
}

export type SeenMessage = {
  seq: bigint
  direction: 'incoming' | 'outgoing'
  author: 'contact' | 'bot' | 'person' | 'api'
  kind: 'text' | 'reaction'
  body: string
  campaignId: string | null
  toId: string | null
  secondsAgo: number
  /** MIME type of what was attached. */
  attached: string | null
  /** It carries the id of a message of ours. */
  isOurs: boolean
}

/** So many messages are read back; a burst that is longer is answered by its end. */
const mostMessages = 200

/** The end of a conversation up to where the turn was claimed, oldest first. */
export async function readMessages(db: Db, { accountId, contactId, claimedSeq }: Turn): Promise<SeenMessage[]> {
  const rows = await db
    .selectFrom('messages as m')
    .leftJoin('attachments as f', (join) =>
      join.onRef('f.accountId', '=', 'm.accountId').onRef('f.messageId', '=', 'm.id'),
    )
    .select(['m.seq', 'm.direction', 'm.author', 'm.kind', 'm.body', 'm.campaignId', 'm.toId'])
    .select([
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
  return rows.reverse().map(({ seq, ...message }) => ({ ...message, seq: BigInt(seq) }))
}

/** How far the bot may still go on; see `decide`. */
export type Spent = {
  /** Until a conversation that looks like two machines talking may go on; null: it does not. */
  loopEndsInSeconds: number | null
  hasReachedDay: boolean
  hasCampaignReachedDay: boolean
}

type Caps = { campaignId: string; perConversation: number; perCampaign: number | null }

/** More replies than this in one conversation in ten minutes, and somebody is not a person. */
const loop = { replies: 30, seconds: 600 }

/** Looks at the reply that would have to be older for another one: no counting, however many there are. */
export async function readSpent(db: Db, { accountId, contactId }: Turn, caps: Caps): Promise<Spent> {
  const replyBefore = (replies: number) => sql`
    select created_at from answers
    where account_id = ${accountId} and contact_id = ${contactId} and message_id is not null
    order by from_seq desc
    offset ${replies - 1} limit 1`
  const { rows } = await sql<Spent>`
    select
      (select extract(epoch from created_at - now())::float + ${loop.seconds}
        from (${replyBefore(loop.replies)}) as r
        where created_at > now() - ${loop.seconds} * interval '1 second') as loop_ends_in_seconds,
      exists (
        select from (${replyBefore(caps.perConversation)}) as r where created_at > now() - interval '1 day'
      ) as has_reached_day,
      ${caps.perCampaign}::integer is not null and exists (
        select from answers
        where account_id = ${accountId} and campaign_id = ${caps.campaignId} and message_id is not null
          and created_at > now() - interval '1 day'
        order by created_at desc
        offset ${(caps.perCampaign ?? 1) - 1} limit 1
      ) as has_campaign_reached_day
  `.execute(db)
  return rows[0] ?? { loopEndsInSeconds: null, hasReachedDay: false, hasCampaignReachedDay: false }
}
