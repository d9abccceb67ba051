import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { type DaysOfKinds, type DueAccount, findDue, messageIdAt } from './rule-store.ts'

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
