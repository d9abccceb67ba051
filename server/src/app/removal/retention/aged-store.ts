import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { type DaysOfKinds, type DueAccount, eventIdAt, findDue, type Kind, messageIdAt } from './rule-store.ts'

/**
 * Rows that are kept for a time and take nothing else with them. An index by account and `order` must find those from
 * before a time.
 */
type AgedTable = {
  kind: Kind
  table: string
  order: string
  isFrom: (before: RawBuilder<unknown>, accountId: RawBuilder<unknown>) => RawBuilder<unknown>
}

function byTime(kind: Kind, table: string, column: string): AgedTable {
  return { kind, table, order: column, isFrom: (before) => sql`${sql.ref(column)} < ${before}` }
}

export const agedTables: readonly AgedTable[] = [
  // What a team notes about a conversation, and what happened in it, is kept as long as its messages.
  byTime('messages', 'conversation_notes', 'at'),
  byTime('messages', 'conversation_events', 'at'),
  byTime('messages', 'simulator_events', 'at'), // with the text of the messages
  byTime('messages', 'broadcast_recipients', 'settled_at'), // the broadcast keeps what they add up to
  // What nobody has answered until now was answered by nobody: the sums of removed messages stay as they are.
  {
    ...byTime('messages', 'report_waiting', 'quarter'),
    isFrom: (before) => sql`quarter < ${before} - interval '15 minutes'`,
  },
  // Requests for credits, and alerts: deliveries that are no messages.
  {
    kind: 'messages',
    table: 'deliveries',
    order: 'id',
    isFrom: (before) => sql`id >= 'evt_' and id < ${eventIdAt(before)} and due_at is null and lease_token is null`,
  },
  {
    ...byTime('answers', 'answers', 'created_at'),
    // Reports outlive answers, so these are counted first.
    isFrom: (before, accountId) => sql`created_at < ${before} and created_at < (
      select r.answers_to from report_accounts r where r.account_id = ${accountId}
    )`,
  },
  byTime('attempts', 'delivery_attempts', 'at'),
  byTime('unanswered', 'unanswered', 'last_at'),
  byTime('audit', 'audit_events', 'at'),
  byTime('calls', 'api_calls', 'at'),
  byTime('sids', 'removed_sids', 'noted_at'),
]

export async function findAged(
  db: Db,
  keepDays: DaysOfKinds,
  { kind, table, order, isFrom }: AgedTable,
): Promise<DueAccount[]> {
  return findDue(db, keepDays, {
    kind,
    isDue: (accountId, before) => sql`
      select true from ${sql.raw(table)} where account_id = ${accountId} and ${isFrom(before, accountId)}
      order by ${sql.ref(order)} limit 1`,
  })
}

/** Deletes up to `limit` rows, except those that are locked at the moment. Returns how many. */
export async function deleteAged(
  tx: Tx,
  { accountId, before }: DueAccount,
  { table, order, isFrom, limit }: AgedTable & { limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.raw(table)} where account_id = ${accountId} and ctid = any (array(
      select ctid from ${sql.raw(table)}
      where account_id = ${accountId} and ${isFrom(sql`${before}::timestamptz`, sql`${accountId}`)}
      order by ${sql.ref(order)} limit ${limit} for update skip locked
    ))
  `.execute(tx)
  return Number(numAffectedRows)
}

export async function findDueFiles(db: Db, keepDays: DaysOfKinds): Promise<DueAccount[]> {
  return findDue(db, keepDays, {
    kind: 'attachments',
    isDue: (accountId, before) => sql`
      select true from attachments
      where account_id = ${accountId} and message_id < ${messageIdAt(before)} and state <> 'removed'
      order by message_id limit 1`,
  })
}

/**
 * Takes the files from the next messages that are over, and returns them, sorted; other messages may have them too. A file that
 * was not fetched yet is not fetched any more.
 */
export async function detachFiles(
  tx: Tx,
  { accountId, beforeId }: DueAccount,
  { limit }: { limit: number },
): Promise<{ detached: number; mediaIds: string[] }> {
  const { rows } = await sql<{ mediaId: string | null }>`
    with due as materialized (
      select f.message_id, f.media_id from attachments f
      where f.account_id = ${accountId} and f.state <> 'removed'
        and f.message_id < ${beforeId}
      order by f.message_id limit ${limit} for update skip locked
    ), detached as (
      update attachments f
      set state = 'removed', media_id = null, url = null, due_at = null, lease_token = null, leased_until = null
      from due d where f.account_id = ${accountId} and f.message_id = d.message_id
    )
    select media_id from due
  `.execute(tx)
  return { detached: rows.length, mediaIds: [...new Set(rows.flatMap(({ mediaId }) => mediaId ?? []))].sort() }
}

/** Accounts whose search has words of messages that are over: in sealed blocks, or in one of the few open ones. */
export async function findDueLines(db: Db, keepDays: DaysOfKinds): Promise<DueAccount[]> {
  return findDue(db, keepDays, {
    kind: 'messages',
    isDue: (accountId, before) => sql`
      select true from (
        (select from message_search
          where account_id = ${accountId} and terms is not null and message_ids[1] < ${messageIdAt(before)}
          order by message_ids[1] limit 1)
        union all
        (select from message_search b
          where account_id = ${accountId} and terms is null
            and ${messageIdAt(before)} > any (b.message_ids) limit 1)
      ) as found limit 1`,
  })
}
