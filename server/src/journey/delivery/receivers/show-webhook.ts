import type { ReplyOf } from '@patchbay/contract/app/routes.ts'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import type { Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { countPending, findHealth, listRecentAttempts, makeNextDue, type ReceiverHealth } from './health-store.ts'

type SavedWebhook = Sendable<ReplyOf<'GET /api/webhook'>>

const attemptsShown = 60

/** A receiver with its health, as the app shows it. */
export async function showWebhook(db: Db, receiver: Receiver): Promise<SavedWebhook> {
  const [health, { owed, undelivered }] = await Promise.all([findHealth(db, receiver), countPending(db, receiver)])
  if (!health) return { webhook: null, undelivered }
  const attempts = await listRecentAttempts(db, receiver, attemptsShown)
  const { url, failuresInRow, failingSince, lastSuccessAt, probeAt, oldSecretUntil, lastTest, goneAt } = health
  const isInTrouble = goneAt !== null || failuresInRow > 0
  const failed = isInTrouble ? attempts.find(({ category }) => category !== null) : undefined
  return {
    webhook: {
      url,
      failuresInRow,
      failingSince,
      lastSuccessAt,
      probeAt,
      oldSecretUntil,
      owed,
      undelivered,
      lastTest,
      state: stateOf(health),
      lastFault: failed
        ? { category: failed.category ?? '', httpStatus: failed.httpStatus, detail: failed.detail }
        : null,
      attempts: attempts.map(({ at, category }) => ({ at, ok: category === null })).reverse(),
    },
    undelivered,
  }
}

function stateOf({ pausedAt, goneAt, failuresInRow }: ReceiverHealth): 'working' | 'failing' | 'paused' | 'gone' {
  if (pausedAt) return 'paused'
  if (goneAt) return 'gone'
  return failuresInRow > 0 ? 'failing' : 'working'
}

/** Lets the next attempt begin now; refuses, with the reason, when there is nothing to try. */
export async function tryNow(db: Db, receiver: Receiver): Promise<void> {
  const { isPaused, isOwed } = await makeNextDue(db, receiver)
  if (isPaused === undefined) throw new Refusal('NOT_FOUND', 'No address is saved.')
  if (isPaused) throw new Refusal('CONFLICT', 'Deliveries are paused; resume them first.')
  if (!isOwed) throw new Refusal('CONFLICT', 'Nothing waits to be delivered; send a test post instead.')
}
