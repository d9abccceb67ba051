import { sql } from 'kysely'
import { sidHash } from '../../../journey/intake/store.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../../../platform/ids.ts'
import { type DaysOfKinds, type DueAccount, findDue, messageIdAt } from './rule-store.ts'

export async function findDueMessages(db: Db, keepDays: DaysOfKinds): Promise<DueAccount[]> {
  return findDue(db, keepDays, {
    kind: 'messages',
    isDue: (accountId, before) =>
      sql`select true from messages where account_id = ${accountId} and id < ${messageIdAt(before)} order by id limit 1`,
  })
}

/** The next messages that are over, by id; `last`: go on after this one. Undefined: there are no more. */
const page = ({ accountId, beforeId }: DueAccount, { after, limit }: { after: string; limit: number }) => sql`
  select * from messages
  where account_id = ${accountId} and id > ${after} and id < ${beforeId}
  order by id limit ${limit}`

/**
 * Notes the `messageSid`s of the next messages. One that is still there is noted again after half a day: it will be removed
 * within a day of being noted, or noted again.
 */
export async function noteSids(
  tx: Tx,
  due: DueAccount,
  next: { after: string; limit: number },
): Promise<{ last: string | undefined; noted: number }> {
  const { accountId, before } = due
  const { rows } = await sql<{ last: string | null; noted: number }>`
    with page as materialized (${page(due, next)}), noted as (
      insert into removed_sids as r (account_id, sid_hash, message_id)
      select ${accountId}, ${sql.raw(sidHash('message_sid'))}, id from page
      where message_sid is not null and created_at < ${before}::timestamptz
      order by 2
      on conflict (account_id, sid_hash) do update set message_id = excluded.message_id, noted_at = now()
      where r.noted_at < now() - interval '12 hours'
      returning 1
    )
    select (select max(id) from page) as last, (select count(*)::integer from noted) as noted
  `.execute(tx)
  return { last: rows[0]?.last ?? undefined, noted: rows[0]?.noted ?? 0 }
}

export type OldMessage = {
  id: MessageId
  contactId: ContactId
  seq: string
  isOutgoing: boolean
  /** Its `messageSid` is noted for long enough, its file is removed, and it is in the reports. */
  isReady: boolean
}

/**
 * Reports outlive messages, so these are counted first: the message `m` itself, and what became of its delivery. What a
 * simulated contact wrote is in no report.
 */
const isUncounted = (accountId: AccountId) => sql`coalesce(
  -- One row by its key each: PostgreSQL would read all conversations for a condition that they exist.
  (select not c.is_simulated from conversations c
    where c.account_id = ${accountId} and c.contact_id = m.contact_id limit 1)
  and coalesce((
    select k.seq < m.seq from report_marks k where k.account_id = ${accountId} and k.contact_id = m.contact_id limit 1
  ), true) or (
    select not r.is_failed or (
      select d.sent_at is not null from deliveries d where d.account_id = ${accountId} and d.id = r.message_id limit 1
    )
    from report_deliveries r
    where r.account_id = ${accountId} and r.contact_id = m.contact_id and r.message_id = m.id limit 1
  ), false)`

/** The next messages that are over. */
export async function readOldMessages(
  tx: Tx,
  due: DueAccount,
  { notedSeconds, ...next }: { after: string; limit: number; notedSeconds: number },
): Promise<OldMessage[]> {
  const { accountId, before } = due
  const { rows } = await sql<OldMessage>`
    with page as materialized (${page(due, next)})
    select id, contact_id, seq, direction = 'outgoing' as is_outgoing,
      created_at < ${before}::timestamptz
        and (message_sid is null or coalesce(
          noted_at <= now() - ${notedSeconds} * interval '1 s' and noted_at > now() - interval '1 day', false
        ))
        and not has_file and not is_uncounted as is_ready
    from (
      select *,
        -- By its key alone: a condition on the time here made PostgreSQL read all that were noted, for each message.
        (select noted_at from removed_sids r
          where r.account_id = ${accountId} and r.sid_hash = ${sql.raw(sidHash('m.message_sid'))}) as noted_at,
        exists (select from attachments f
          where f.account_id = ${accountId} and f.message_id = m.id and f.state <> 'removed') as has_file,
        ${isUncounted(accountId)} as is_uncounted
      from page m offset 0
    ) as m
    order by id
  `.execute(tx)
  return rows
}

/**
 * Locks the deliveries of these messages and returns which of them have nothing more to do. One that somebody else has locked
 * is left out: whoever settles several at once would wait for us, and we for them.
 */
export async function lockSettled(tx: Tx, accountId: AccountId, ids: MessageId[]): Promise<Set<MessageId>> {
  const { rows } = await sql<{ id: MessageId }>`
    select id from deliveries
    where account_id = ${accountId} and id = any (${ids}) and due_at is null and lease_token is null
    for update skip locked
  `.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Their attachments, without files by now, go with the messages. */
export async function deleteMessages(tx: Tx, accountId: AccountId, ids: MessageId[]): Promise<void> {
  await sql`
    with delivered as (
      delete from deliveries where account_id = ${accountId} and id = any (${ids})
    ), tried as (
      delete from delivery_attempts where account_id = ${accountId} and delivery_id = any (${ids})
    ), parts as (
      delete from delivery_parts where account_id = ${accountId} and delivery_id = any (${ids})
    )
    delete from messages where account_id = ${accountId} and id = any (${ids})
  `.execute(tx)
}
