import { sql } from 'kysely'
import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, UserId } from '../../../platform/ids.ts'
import { userName } from '../conversations/row-store.ts'

/** Users who can be assigned to: not those who were removed, and not guests. */
export async function listAssignees(db: Db, accountId: AccountId): Promise<{ id: string; name: string }[]> {
  const rows = await db
    .selectFrom('users as u')
    .select(['u.id', userName('u').as('name')])
    .where('u.accountId', '=', accountId)
    .where('u.email', 'is not', null)
    .orderBy(sql`name`)
    .execute()
  return rows.map(({ id, name }) => ({ id, name: name ?? '' }))
}

/** The row is locked, so that the user is not removed meanwhile. */
export async function isAssignable(tx: Tx, accountId: AccountId, userId: UserId): Promise<boolean> {
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .where('email', 'is not', null)
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}

/** A user who was removed keeps their id in the conversation, and is read as nobody everywhere. */
export async function readAssignee(tx: Tx, { accountId, contactId }: ConversationRef): Promise<string | null> {
  const row = await tx
    .selectFrom('conversations as c')
    .innerJoin('users as u', (join) => join.onRef('u.accountId', '=', 'c.accountId').onRef('u.id', '=', 'c.assigneeId'))
    .select('u.id')
    .where('c.accountId', '=', accountId)
    .where('c.contactId', '=', contactId)
    .where('u.email', 'is not', null)
    .executeTakeFirst()
  return row?.id ?? null
}

export async function writeAssignee(
  tx: Tx,
  { accountId, contactId }: ConversationRef,
  assigneeId: UserId | null,
): Promise<void> {
  await tx
    .updateTable('conversations')
    .set({ assigneeId })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .execute()
}
