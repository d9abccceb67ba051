import { type RawBuilder, sql } from 'kysely'
import type { AccountId, ContactId, UserId } from '../../../platform/ids.ts'

/** Who looks at the inbox: what is unread differs from user to user. */
export type Viewer = { accountId: AccountId; userId: UserId }

/** Since when messages are unread to a user who has not read them. */
export const readMe = ({ accountId, userId }: Viewer) => sql`
  select unread_since from users where account_id = ${accountId} and id = ${userId}`

/** Up to where the user has read the conversation `c`, for `isUnread`. */
export const joinMark = ({ accountId, userId }: Viewer) => sql`
  left join lateral (
    select r.seq from conversation_reads r
    where r.account_id = ${accountId} and r.user_id = ${userId} and r.contact_id = c.contact_id limit 1
  ) as r on true`

/** Somebody who has read nothing of a conversation has only those messages to read that came since they are a user. */
export const isUnread = ({ accountId }: Viewer) => sql`
  c.last_seq > 0 and c.active_at > me.unread_since and c.incoming_seq > coalesce(r.seq, 0)
  and (r.seq is not null or (
    select m.created_at from messages m
    where m.account_id = ${accountId} and m.contact_id = c.contact_id and m.seq <= c.incoming_seq
      and m.direction = 'incoming'
    order by m.seq desc limit 1
  ) > me.unread_since)`

/** Where the page before has ended: a time in microseconds, and the contact among those with the same time. */
export type Position = { micros: string; contactId: ContactId }

export type PageRequest = { after: Position | undefined; limit: number }

/** A `Date` has only milliseconds. */
export function micros(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(extract(epoch from ${time}) * 1000000)::bigint`
}

export function timeOf({ micros: since }: Position): RawBuilder<Date> {
  return sql<Date>`timestamptz 'epoch' + ${since}::bigint * interval '1 microsecond'`
}
