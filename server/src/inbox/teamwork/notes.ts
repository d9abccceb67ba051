import type { Note } from '@patchbay/contract/app/messages.ts'
import type { Sendable } from '../../app-api/handlers.ts'
import { type ConversationRef, noConversation } from '../../bot/conversation/conversation-store.ts'
import { checkBody } from '../../messages/body.ts'
import type { Db } from '../../platform/database/db.ts'
import type { NewNote, NoteRow } from './note-store.ts'
import { insertNote } from './note-store.ts'

/** Keeps a note for the team. It is no message: nothing is sent, nobody takes over, and the list does not move. */
export async function keepNote(db: Db, ref: ConversationRef, note: NewNote): Promise<Sendable<Note>> {
  checkBody(note.body, 'The note')
  const kept = await insertNote(db, ref, note)
  if (!kept) throw noConversation(ref)
  return showNote(kept)
}

export function showNote({ seq, ...note }: NoteRow): Sendable<Note> {
  return { ...note, seq: Number(seq) }
}
