import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

/** Files per statement: 10 MiB are 40 rows, and each of them about a hundred inside the database. */
export const filesAtOnce = 8

/**
 * Deletes those files that no message uses any more, and that nobody is about to send. The first statement locks them: it waits for a
 * transaction that is attaching one, so that the second statement sees the attachment.
 */
export async function deleteUnusedMedia(tx: Tx, accountId: AccountId, mediaIds: string[]): Promise<void> {
  for (let from = 0; from < mediaIds.length; from += filesAtOnce) {
    await deleteSome(tx, accountId, mediaIds.slice(from, from + filesAtOnce))
  }
}

async function deleteSome(tx: Tx, accountId: AccountId, mediaIds: string[]): Promise<void> {
  await sql`
    select id from media where account_id = ${accountId} and id = any (${mediaIds}) order by id for update
  `.execute(tx)
  await sql`
    delete from media m
    where m.account_id = ${accountId} and m.id = any (${mediaIds})
      and (select true from attachments a where a.account_id = m.account_id and a.media_id = m.id limit 1) is null
      and (select true from outgoing_files o where o.account_id = m.account_id and o.media_id = m.id limit 1) is null
  `.execute(tx)
}
