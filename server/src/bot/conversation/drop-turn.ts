import { releaseHold } from '../../credits/spend.ts'
import type { Tx } from '../../platform/database/db.ts'
import { deleteTurn } from '../turns/turn-store.ts'
import type { ConversationRef } from './conversation-store.ts'

/** The bot owes no answer any more, and what was held for it is free again. */
export async function dropTurn(tx: Tx, { accountId, contactId }: ConversationRef): Promise<void> {
  const fromSeq = await deleteTurn(tx, { accountId, contactId })
  if (fromSeq !== undefined) await releaseHold(tx, { accountId, contactId, fromSeq })
}
