import { sql } from 'kysely'
import { shownName } from '../../../people/contacts/shown-name-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../../../platform/ids.ts'
import { everyPage, waitingPage } from './list-store.ts'
import { micros, type PageRequest } from './viewer-store.ts'

/** A conversation as the command line lists it. No user looks at it there, so nothing is unread; it says what is unanswered. */
type OperatorRow = {
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
  /** Its order in microseconds: when the conversation was last active, or since when it waits. */
  orderMicros: string
}

/** The app's lists, in any state or of those that wait for a person, with the columns of the command line. */
export async function listForOperator(
  db: Db,
  accountId: AccountId,
  { onlyWaiting, ...wanted }: PageRequest & { onlyWaiting: boolean },
): Promise<OperatorRow[]> {
  const page = onlyWaiting ? waitingPage(accountId, wanted) : everyPage(accountId, wanted)
  const { rows } = await sql<OperatorRow>`
    with page as materialized (${page.rows})
    select c.contact_id, ${sql.raw(shownName('p'))} as name, p.external_id as from_id,
      coalesce(c.channel, 'custom') as channel, c.handler, c.waiting_reason, c.waiting_since,
      floor(extract(epoch from now() - c.waiting_since))::integer as waiting_seconds, p.opted_out_at,
      (select count(*)::integer from (
        select from messages i
        where i.account_id = ${accountId} and i.contact_id = c.contact_id and i.direction = 'incoming' and i.seq > coalesce((
          select o.seq from messages o
          where o.account_id = ${accountId} and o.contact_id = c.contact_id and o.direction = 'outgoing'
          order by o.seq desc limit 1
        ), 0)
        limit 100
      ) as unanswered) as unanswered,
      l.created_at as last_at, left(l.body, 80) as last_text, l.id as last_message_id,
      ${micros(onlyWaiting ? sql`c.waiting_since` : sql`c.active_at`)} as order_micros
    from page c
    cross join lateral (
      select p.* from contacts p where p.account_id = ${accountId} and p.id = c.contact_id limit 1
    ) as p
    cross join lateral (
      select m.id, m.created_at, m.body from messages m
      where m.account_id = ${accountId} and m.contact_id = c.contact_id order by m.seq desc limit 1
    ) as l
    order by ${page.order}
  `.execute(db)
  return rows
}
