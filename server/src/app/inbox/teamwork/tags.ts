import { limits } from '@patchbay/contract/limits.ts'
import { isVisible } from '@patchbay/contract/text.ts'
import { type ConversationRef, noConversation } from '../../../journey/conversations/conversation-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { normalTag } from '../conversations/normal-tag.ts'
import { deleteTag, insertTag } from './tag-store.ts'

/** The tags of one conversation. */
const mostTags = 20

/** A tag is made by using it. Twice is once. */
export async function addTag(db: Db, ref: ConversationRef, text: string): Promise<void> {
  const tag = normalTag(text)
  if (!isVisible(tag) || [...tag].length > limits.tagCharacters || /\p{Cc}/u.test(tag)) {
    throw new Refusal('INVALID_REQUEST', `tag must have 1 to ${limits.tagCharacters} characters.`)
  }
  const outcome = await insertTag(db, ref, { tag, most: mostTags })
  if (outcome === 'no conversation') throw noConversation(ref)
  if (outcome === 'too many') throw new Refusal('INVALID_REQUEST', `A conversation has at most ${mostTags} tags.`)
}

export async function removeTag(db: Db, ref: ConversationRef, text: string): Promise<void> {
  await deleteTag(db, ref, normalTag(text))
}
