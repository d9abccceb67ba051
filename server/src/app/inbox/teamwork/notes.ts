import type { Note } from '@patchbay/contract/app/messages.ts'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import { type ConversationRef, noConversation } from '../../../journey/conversations/conversation-store.ts'
import { checkBody } from '../../../journey/messages/body.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { UserId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { deleteNote, insertNote, type NewNote, type NoteRow } from './note-store.ts'

/** Keeps a note for the team. It is no message: nothing is sent, nobody takes over, and the list does not move. */
export async function keepNote(db: Db, ref: ConversationRef, note: NewNote): Promise<Sendable<Note>> {
  checkBody(note.body, 'The note')
  const kept = await insertNote(db, ref, note)
  if (!kept) throw noConversation(ref)
  return showNote(kept)
}

/** Says the same of notes of others and of gone ones: nobody learns of a note by guessing. */
export async function removeNote(db: Db, ref: ConversationRef, note: { userId: UserId; id: string }): Promise<void> {
  if (!isUuid(note.id) || !(await deleteNote(db, ref, note))) {
    throw new Refusal('NOT_FOUND', 'There is no such note of yours.')
  }
}

const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

export function showNote({ seq, ...note }: NoteRow): Sendable<Note> {
  return { ...note, seq: Number(seq) }
}
