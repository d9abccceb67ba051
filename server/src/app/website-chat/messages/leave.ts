import { type ChatForgotten, chatLimits } from '@patchbay/contract/chat/protocol.ts'
import {
  askedToBeDeleted,
  changeConversation,
  lockConversation,
  noteEvent,
} from '../../../journey/conversations/conversation-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { withLockTimeout } from '../../../platform/database/lock-timeout.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { parseEmail } from '../../../platform/text/email.ts'
import { eraseContact } from '../../removal/erasure/erase-contact.ts'
import type { Chat } from '../entry/chat.ts'
import { type ChatRef, isOnlyThisBrowser, leaveEmail } from '../visitors/visitor-store.ts'

type Ctx = Readonly<{ db: Db; secretKey: Buffer; hint: Hint }>

/** An address to answer to, as somebody wrote it: it finds nobody, and nothing is merged by it. */
export async function keepEmail({ db, hint }: Ctx, ref: ChatRef, given: string): Promise<void> {
  const email = given.length <= chatLimits.emailCharacters ? parseEmail(given) : undefined
  if (email === undefined) throw new Refusal('INVALID_EMAIL', 'email must be an address such as ana@example.com.')
  const isNew = await db.transaction().execute(async (tx) => {
    if (!(await leaveEmail(tx, ref, given.trim()))) return false
    await noteEvent(tx, ref, { kind: 'left e-mail', userId: null })
    return true
  })
  if (isNew) hint(ref.accountId, ref.contactId)
}

/** Somebody wants what they wrote to be gone: it is, where their chat is all there is of them and the owner lets it; else people are asked. */
export async function forget(ctx: Ctx, { settings }: Chat, ref: ChatRef): Promise<ChatForgotten> {
  const { db, hint } = ctx
  if (settings.deletes === 'at once' && (await isOnlyThisBrowser(db, ref))) {
    await eraseContact(ctx, ref)
    for (const changed of [ref.contactId, 'contacts'] as const) hint(ref.accountId, changed)
    return { is: 'gone' }
  }
  await withLockTimeout(db, async (tx) => {
    if (!(await lockConversation(tx, ref))) return
    await noteEvent(tx, ref, { kind: 'asked to be deleted', userId: null })
    await changeConversation(tx, ref, { waiting: askedToBeDeleted })
  })
  hint(ref.accountId, ref.contactId)
  return { is: 'asked' }
}
