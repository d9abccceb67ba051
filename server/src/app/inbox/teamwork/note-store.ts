import { sql } from 'kysely'
import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { UserId } from '../../../platform/ids.ts'
import { rowsUnlessErased, userName } from '../conversations/row-store.ts'

export type NewNote = { userId: UserId; clientId: string; body: string }
export type NoteRow = { id: string; seq: string; userId: string; userName: string | null; body: string; at: Date }

/** The same `clientId` again gets the note that was kept. Undefined: there is no such conversation. */
export async function insertNote(
  db: Db,
  { accountId, contactId }: ConversationRef,
  { userId, clientId, body }: NewNote,
): Promise<NoteRow | undefined> {
  const keeping = sql<NoteRow>`
    with kept as (
      insert into conversation_notes as n (account_id, contact_id, seq, user_id, client_id, body)
      select ${accountId}, contact_id, last_seq, ${userId}, ${clientId}, ${body}
      from conversations where account_id = ${accountId} and contact_id = ${contactId}
      on conflict (account_id, contact_id, user_id, client_id) do update set body = n.body
      returning id, seq, user_id, body, at
    )
    select n.*, ${userName('u')} as user_name
    from kept n left join users u on u.account_id = ${accountId} and u.id = n.user_id
  `
  const [kept] = await rowsUnlessErased(db, keeping)
  return kept
}

/** Whether there was such a note of the user. */
export async function deleteNote(
  db: Db,
  { accountId, contactId }: ConversationRef,
  { userId, id }: { userId: UserId; id: string },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('conversationNotes')
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** More notes than anybody reads. */
const mostNotes = 500

/** Notes from one message on and before another, oldest first; without the two, from the first and to the last. */
export async function readNotes(
  db: Db,
  { accountId, contactId }: ConversationRef,
  { from, before }: { from: string | undefined; before: string | undefined },
): Promise<NoteRow[]> {
  const { rows } = await sql<NoteRow>`
    select n.id, n.seq, n.user_id, ${userName('u')} as user_name, n.body, n.at
    from conversation_notes n left join users u on u.account_id = ${accountId} and u.id = n.user_id
    where n.account_id = ${accountId} and n.contact_id = ${contactId}
      ${from === undefined ? sql`` : sql`and n.seq >= ${from}`} ${before === undefined ? sql`` : sql`and n.seq < ${before}`}
    order by n.at desc, n.id limit ${mostNotes}
  `.execute(db)
  return rows.reverse()
}
