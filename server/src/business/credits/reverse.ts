import type { Db } from '../../platform/database/db.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import { type AccountId, isId, type LedgerId, newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { creditsOf } from './amount.ts'
import { checkDescription } from './grant.ts'
import { writeReversal } from './reversal-store.ts'

export type ReversalRequest = { entry: string; description?: string | undefined; actor: 'operator' | `usr_${string}` }

/**
 * Reverses a movement by another one in the opposite direction, at most once; this is the only correction there is. A
 * grant whose credits were spent or are held since cannot be reversed.
 */
export async function reverseEntry(
  db: Db,
  accountId: AccountId,
  { entry, description, actor }: ReversalRequest,
): Promise<{ entryId: LedgerId; amount: number; balance: number }> {
  checkDescription(description)
  const unknown = () => new Refusal('NOT_FOUND', `There is no movement ${entry} in this account's history.`)
  if (!isId('led', entry)) throw unknown()
  const reversal = { accountId, reverses: entry, entryId: newId('led'), description: description ?? null, actor }
  const reversed = await writeReversal(db, reversal).catch(nameConflict)
  if (!reversed) throw unknown()
  if (reversed.kind === 'reversal') throw new Refusal('INVALID_REQUEST', `${entry} is a reversal itself.`)
  if (reversed.wasReversed) throw reversedBefore()
  if (reversed.balanceAfter === null) {
    throw new Refusal('INVALID_REQUEST', `The credits of ${entry} were spent or are being spent; they cannot go back.`)
  }
  const { amount, balanceAfter } = reversed
  return { entryId: reversal.entryId, amount: creditsOf(amount), balance: creditsOf(balanceAfter) }
}

/** 23505: somebody else reversed it at the same moment. */
function nameConflict(error: unknown): never {
  if (hasSqlState(error, '23505')) throw reversedBefore()
  throw error
}

function reversedBefore(): Refusal {
  return new Refusal('INVALID_REQUEST', 'This movement was reversed before.')
}
