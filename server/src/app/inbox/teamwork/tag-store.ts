import { type RawBuilder, sql } from 'kysely'
import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { rowsUnlessErased } from '../conversations/row-store.ts'

/** Two at once may exceed `most` by one, which does no harm. */
export async function insertTag(
  db: Db,
  { accountId, contactId }: ConversationRef,
  { tag, most }: { tag: string; most: number },
): Promise<'tagged' | 'no conversation' | 'too many'> {
  const tagging = sql<{ hasRoom: boolean }>`
    with conversation as materialized (
      select c.contact_id, (
        select count(*) from conversation_tags t
        where t.account_id = ${accountId} and t.contact_id = ${contactId} and t.tag <> ${tag}
      ) < ${most} as has_room
      from conversations c where c.account_id = ${accountId} and c.contact_id = ${contactId}
    ), tagged as (
      insert into conversation_tags (account_id, contact_id, tag)
      select ${accountId}, contact_id, ${tag} from conversation where has_room
      on conflict (account_id, contact_id, tag) do nothing
    )
    select has_room from conversation
  `
  const [found] = await rowsUnlessErased(db, tagging)
  if (!found) return 'no conversation'
  return found.hasRoom ? 'tagged' : 'too many'
}

export async function deleteTag(db: Db, { accountId, contactId }: ConversationRef, tag: string): Promise<void> {
  await db
    .deleteFrom('conversationTags')
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .where('tag', '=', tag)
    .execute()
}

/** The tags that a menu can show. */
const mostListed = 200

/** The tags of an account: one step in the index for each, however many conversations have it. */
export async function listTags(db: Db, accountId: AccountId): Promise<string[]> {
  const next = (after: RawBuilder<unknown>) => sql`
    select t.tag from conversation_tags t where t.account_id = ${accountId} ${after} order by t.tag limit 1`
  const { rows } = await sql<{ tag: string }>`
    with recursive used as (
      (${next(sql``)})
      union all
      select (${next(sql`and t.tag > u.tag`)}) from used u where u.tag is not null
    )
    select tag from used where tag is not null limit ${mostListed}
  `.execute(db)
  return rows.map(({ tag }) => tag)
}
