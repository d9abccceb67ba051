import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../../platform/ids.ts'

export type ListedConversation = {
  contactId: ContactId
  name: string | null
  /** The contact's id on the external platform. */
  fromId: string | null
  channel: string
  handler: 'bot' | 'person' | 'off'
  waitingReason: string | null
  waitingSince: Date | null
  waitingSeconds: number | null
  /** Since when the contact is opted out. */
  optedOutAt: Date | null
  /** Incoming messages since the last outgoing one; 100 means 100 or more. */
  unanswered: number
  lastAt: Date
  lastText: string
  lastMessageId: MessageId
}

export type ConversationFilter = { onlyWaiting: boolean; before: string | undefined; limit: number }

/**
 * Conversations by their last message, newest first, starting with those whose last message is before `before`.
 * Messages are scanned backwards by id, which sorts by time, so a page costs as much as there are messages newer than
 * its end. Conversations that wait for a person have an index of their own.
 */
export async function listConversations(
  db: Db,
  accountId: AccountId,
  { onlyWaiting, before = '', limit }: ConversationFilter,
): Promise<ListedConversation[]> {
  const { rows } = await sql<ListedConversation>`
    with latest as (${onlyWaiting ? latestOfWaiting(accountId) : latestOfAll(accountId, before, limit)})
    select c.contact_id, p.external_id as from_id, c.handler, c.waiting_reason, c.waiting_since,
      p.opted_out_at,
      nullif(concat_ws(' ', p.first_name, p.last_name), '') as name,
      coalesce(c.channel, 'custom') as channel,
      floor(extract(epoch from now() - c.waiting_since))::integer as waiting_seconds,
      (select count(*)::integer from (
        select from messages i
        where i.account_id = c.account_id and i.contact_id = c.contact_id and i.direction = 'incoming' and i.seq > coalesce((
          select o.seq from messages o
          where o.account_id = c.account_id and o.contact_id = c.contact_id and o.direction = 'outgoing'
          order by o.seq desc limit 1
        ), 0)
        limit 100
      ) as unanswered) as unanswered,
      l.created_at as last_at, left(l.body, 80) as last_text, l.id as last_message_id
    from latest l
    join conversations c on c.account_id = ${accountId} and c.contact_id = l.contact_id
    join contacts p on p.account_id = ${accountId} and p.id = l.contact_id
    where ${before} = '' or l.id < ${before}
    order by l.id desc
    limit ${limit}
  `.execute(db)
  return rows
}

const latestOfAll = (accountId: AccountId, before: string, limit: number) => sql`
  select m.id, m.contact_id, m.created_at, m.body from messages m
  where m.account_id = ${accountId} and (${before} = '' or m.id < ${before}) and not exists (
    select from messages n
    where n.account_id = m.account_id and n.contact_id = m.contact_id and n.seq > m.seq
  )
  order by m.id desc
  limit ${limit}`

const latestOfWaiting = (accountId: AccountId) => sql`
  select m.id, m.contact_id, m.created_at, m.body
  from conversations w cross join lateral (
    select * from messages where account_id = w.account_id and contact_id = w.contact_id order by seq desc limit 1
  ) as m
  where w.account_id = ${accountId} and w.waiting_since is not null and w.state = 'open'`
