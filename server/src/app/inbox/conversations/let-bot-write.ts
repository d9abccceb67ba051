import { optIn } from '../../../journey/conversations/consent.ts'
import { type ConversationRef, readState } from '../../../journey/conversations/conversation-store.ts'
import { handBack, switchOff } from '../../../journey/conversations/take-over.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { UserId } from '../../../platform/ids.ts'

/**
 * The switch "May the bot write to Marta". It is on while nothing of this one contact keeps the bot from writing: it was
 * not switched off for her, and she has not opted out. Whether a person has the conversation at the moment is another
 * question, and the switch does not change it.
 *
 * Off: the bot is silent until somebody switches it on again, whoever writes meanwhile. This is no opt-out: that is what
 * the contact asked for, and it would also keep lists from writing to her.
 *
 * On: afterwards the bot may write, so an opt-out ends too; the user says with it that the contact agrees. The bot
 * answers new messages only. If the process dies between the two, the switch is still off, and can be used again.
 */
export async function letBotWrite(
  { db, secretKey }: { db: Db; secretKey: Buffer },
  ref: ConversationRef,
  { mayWrite, userId }: { mayWrite: boolean; userId: UserId },
): Promise<void> {
  if (!mayWrite) return void (await switchOff(db, ref, userId))
  const state = await readState(db, ref)
  if (state.optedOutAt !== null) await optIn({ db, secretKey }, ref, userId)
  if (state.handler === 'off') await handBack(db, ref, { userId })
}
