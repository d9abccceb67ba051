import { sql } from 'kysely'
import type { EventKind } from '../../outbox/owe-events.ts'
import type { Receiver } from '../../outbox/receiver.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { makeFailedDue } from '../resend/due-again-store.ts'

export type Endpoint = {
  kind: EventKind
  url: string
  /** Sealed; the old one while it is still in use. */
  secret: string
  oldSecret: string | null
  failuresInRow: number
  lastSuccessAt: Date | null
  pausedAt: Date | null
  goneAt: Date | null
}

export async function findEndpoints(db: Db, accountId: AccountId): Promise<Endpoint[]> {
  return db
    .selectFrom('endpoints')
    .select(['kind', 'url', 'secret', 'failuresInRow', 'lastSuccessAt', 'pausedAt', 'goneAt'])
    .select(sql<string | null>`case when old_secret_until > now() then old_secret end`.as('oldSecret'))
    .where('accountId', '=', accountId)
    .orderBy('kind', 'desc')
    .execute()
}

export type ListedEndpoint = Pick<Endpoint, 'kind' | 'url' | 'failuresInRow' | 'pausedAt' | 'goneAt'> & {
  accountId: AccountId
}

/** Of all accounts, those in trouble first: for the operator. */
export async function listEndpoints(db: Db, limit: number): Promise<ListedEndpoint[]> {
  return db
    .selectFrom('endpoints')
    .select(['accountId', 'kind', 'url', 'failuresInRow', 'pausedAt', 'goneAt'])
    .orderBy((order) => order.or([order('pausedAt', 'is not', null), order('failuresInRow', '>', 0)]), 'desc')
    .limit(limit)
    .execute()
}

/**
 * Saves the address. The secret is used only if there is none yet; returned is the one that counts. A new address
 * starts without the failures of the old one, and what waits for its next attempt is due at once.
 */
export async function saveEndpoint(
  tx: Tx,
  receiver: Receiver,
  given: { url: string; secret: string },
): Promise<string> {
  const { secret } = await tx
    .insertInto('endpoints')
    .values({ ...receiver, ...given })
    .onConflict((conflict) =>
      conflict.columns(['accountId', 'kind']).doUpdateSet({
        url: given.url,
        failuresInRow: 0,
        failingSince: null,
        probeAt: null,
        probeWaitSeconds: 1,
        pausedAt: null,
        goneAt: null,
      }),
    )
    .returning('secret')
    .executeTakeFirstOrThrow()
  await hurry(tx, receiver)
  return secret
}

/** What was going to be tried again is due now, and what was held back by a pause. All of that has failed before. */
async function hurry(tx: Tx, { accountId, kind }: Receiver): Promise<void> {
  const waits = sql<boolean>`kind = ${kind} and lease_token is null
    and (due_at > now() or due_at is null and error_category = 'endpoint_paused')`
  await makeFailedDue(tx, accountId, waits)
}

/** A new secret signs at once; the present one goes on for so many hours, or ends now. False: there is no address. */
export async function replaceSecret(
  db: Db,
  { accountId, kind }: Receiver,
  { secret, keepOldHours }: { secret: string; keepOldHours: number },
): Promise<boolean> {
  const isKept = keepOldHours > 0
  const changed = await db
    .updateTable('endpoints')
    .set({
      secret,
      oldSecret: isKept ? sql`secret` : null,
      oldSecretUntil: isKept ? sql`now() + ${keepOldHours} * interval '1 hour'` : null,
    })
    .where('accountId', '=', accountId)
    .where('kind', '=', kind)
    .returning('url')
    .executeTakeFirst()
  return changed !== undefined
}

/** Pauses, or lets go on and makes due what was held back meanwhile. False: there is no address. */
export async function setPaused(tx: Tx, receiver: Receiver, isPaused: boolean): Promise<boolean> {
  const changed = await tx
    .updateTable('endpoints')
    .set({
      pausedAt: isPaused ? sql`now()` : null,
      ...(isPaused ? {} : { failuresInRow: 0, failingSince: null, probeAt: null, probeWaitSeconds: 1 }),
    })
    .where('accountId', '=', receiver.accountId)
    .where('kind', '=', receiver.kind)
    .returning('url')
    .executeTakeFirst()
  if (!changed) return false
  if (!isPaused) await hurry(tx, receiver)
  return true
}

/** Events that follow fail for want of an address. False: there was none. */
export async function removeEndpoint(db: Db, { accountId, kind }: Receiver): Promise<boolean> {
  const removed = await db
    .deleteFrom('endpoints')
    .where('accountId', '=', accountId)
    .where('kind', '=', kind)
    .returning('url')
    .executeTakeFirst()
  return removed !== undefined
}
