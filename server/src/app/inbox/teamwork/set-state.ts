import { applyPendingOptOut } from '../../../journey/conversations/consent.ts'
import {
  type ConversationRef,
  lockConversation,
  noConversation,
  noteEvent,
} from '../../../journey/conversations/conversation-store.ts'
import { dropTurn } from '../../../journey/conversations/drop-turn.ts'
import { lockIdentifiers } from '../../../people/contacts/opt-out-store.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { withLockTimeout } from '../../../platform/database/lock-timeout.ts'
import type { UserId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { type AsideState, canEndAt, hasMessageAfter, readState, setAside, setOpen } from './state-store.ts'

/** `seq`: the last message that the user has seen. */
type UserAction = { userId: UserId; seq: number }

/**
 * Closes a conversation: it is done, and waits for nobody. The contact's next message opens it again. A message that came
 * while the user closed it was not seen, so it stays open and the user is told.
 *
 * While a person has the conversation, what the bot owes is only to say that the contact waits; that is done with too. The
 * bot's own answer goes on.
 */
export async function closeConversation(db: Db, ref: ConversationRef, doing: UserAction): Promise<void> {
  await putAside(db, ref, { ...doing, state: 'closed', until: null })
}

/** Puts a conversation off: it is not shown until the time has come, or the contact writes. */
export async function snoozeConversation(
  db: Db,
  ref: ConversationRef,
  { until, ...doing }: UserAction & { until: string },
): Promise<void> {
  if (!(await canEndAt(db, until))) throw new Refusal('INVALID_REQUEST', 'until must be in the next 366 days.')
  await putAside(db, ref, { ...doing, state: 'snoozed', until })
}

/** Opens a conversation that was closed or put off. It is shown as before. */
export async function reopenConversation(db: Db, ref: ConversationRef, userId: UserId): Promise<void> {
  await inConversation(db, ref, async (tx) => {
    if ((await readState(tx, ref)) === 'open') return
    await setOpen(tx, ref)
    await noteEvent(tx, ref, { kind: 'reopened', userId })
  })
}

async function putAside(
  db: Db,
  ref: ConversationRef,
  { userId, seq, state, until }: UserAction & AsideState,
): Promise<void> {
  await inConversation(db, ref, async (tx, { handler }) => {
    if (await hasMessageAfter(tx, ref, seq)) {
      throw new Refusal('CONFLICT', 'A new message came meanwhile, so the conversation stays open.')
    }
    if (state === 'closed' && (await readState(tx, ref)) === 'closed') return
    if (state === 'closed' && handler !== 'bot') {
      await applyPendingOptOut(tx, ref)
      await dropTurn(tx, ref)
    }
    await setAside(tx, ref, { state, until })
    await noteEvent(tx, ref, { kind: state, userId, until })
  })
}

type LockedConversation = NonNullable<Awaited<ReturnType<typeof lockConversation>>>

/** Messages wait for the lock, so what the work sees is all there is. */
export async function inConversation(
  db: Db,
  ref: ConversationRef,
  work: (tx: Tx, before: LockedConversation) => Promise<void>,
): Promise<void> {
  await withLockTimeout(db, async (tx) => {
    await lockIdentifiers(tx, ref)
    const before = await lockConversation(tx, ref)
    if (!before || before.state === 'empty') throw noConversation(ref)
    await work(tx, before)
  })
}
