import { releaseHold } from '../../business/credits/spend.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { ConversationRef } from './conversation-store.ts'
import { deleteTurn } from './turn-store.ts'

/** Deletes the turn, so that the bot owes no answer, and releases the credits held for it. */
export async function dropTurn(tx: Tx, { accountId, contactId }: ConversationRef): Promise<void> {
  const fromSeq = await deleteTurn(tx, { accountId, contactId })
  if (fromSeq !== undefined) await releaseHold(tx, { accountId, contactId, fromSeq })
}
