import type { Tx } from '../platform/db.ts'
import type { AccountId, MessageId } from '../platform/ids.ts'
import { statusesBefore } from './status.ts'
import { type DeliveryError, setOutcome } from './store.ts'

/** What became of an attempt to deliver a message. */
export type Outcome = { status: 'Sent' } | { status: 'Failed'; error: DeliveryError }

/**
 * Writes down what became of a message, with the details of a failure. False, and nothing is changed, when its status
 * may not be followed by this one: an answer that comes late never takes back that a message arrived.
 */
export async function recordOutcome(
  tx: Tx,
  message: { accountId: AccountId; messageId: MessageId },
  outcome: Outcome,
): Promise<boolean> {
  const error = outcome.status === 'Failed' ? outcome.error : undefined
  return setOutcome(tx, message, { status: outcome.status, error, after: statusesBefore(outcome.status) })
}
