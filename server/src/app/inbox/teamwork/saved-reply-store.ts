import type { SavedReply } from '@patchbay/contract/app/teamwork.ts'
import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import { type AccountId, newId, type SavedReplyId } from '../../../platform/ids.ts'

type Fields = Pick<SavedReply, 'shortcut' | 'body'>

export async function listReplies(db: Db, accountId: AccountId): Promise<SavedReply[]> {
  return db
    .selectFrom('savedReplies')
    .select(['id', 'shortcut', 'body'])
    .where('accountId', '=', accountId)
    .orderBy('shortcut')
    .execute()
}

/** Returns undefined when there are `most` already. */
export async function insertReply(
  db: Db,
  accountId: AccountId,
  { shortcut, body }: Fields,
  most: number,
): Promise<SavedReply | undefined> {
  const { rows } = await sql<SavedReply>`
    insert into saved_replies (account_id, id, shortcut, body)
    select ${accountId}, ${newId('rep')}, ${shortcut}, ${body}
    where (select count(*) from saved_replies where account_id = ${accountId}) < ${most}
    returning id, shortcut, body
  `.execute(db)
  return rows[0]
}

export async function updateReply(
  db: Db,
  accountId: AccountId,
  { id, shortcut, body }: Fields & { id: SavedReplyId },
): Promise<SavedReply | undefined> {
  return db
    .updateTable('savedReplies')
    .set({ shortcut, body, updatedAt: sql`now()` })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returning(['id', 'shortcut', 'body'])
    .executeTakeFirst()
}

export async function deleteReply(db: Db, accountId: AccountId, id: SavedReplyId): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('savedReplies')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
