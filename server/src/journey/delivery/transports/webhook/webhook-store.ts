import { sql } from 'kysely'
import { makeWaitingDue } from '../../../../outbox/receiver-store.ts'
import type { Receiver } from '../../../../outbox/receivers.ts'
import type { Db, Tx } from '../../../../platform/database/db.ts'

/**
 * Saves the address. The given secret is used only if there is none yet; returns the one in use. A new address starts
 * without the failures, the success and the test of the old one, and events that wait for their next attempt are due at once.
 */
export async function saveWebhook(tx: Tx, receiver: Receiver, given: { url: string; secret: string }): Promise<string> {
  const { secret } = await tx
    .insertInto('receivers')
    .values({ accountId: receiver.accountId, id: receiver.receiverId, ...given })
    .onConflict((conflict) =>
      conflict.columns(['accountId', 'id']).doUpdateSet({
        url: given.url,
        failuresInRow: 0,
        failingSince: null,
        probeAt: null,
        probeWaitSeconds: 1,
        pausedAt: null,
        goneAt: null,
        lastSuccessAt: sql`case when receivers.url = excluded.url then receivers.last_success_at end`,
        lastTest: sql`case when receivers.url = excluded.url then receivers.last_test end`,
      }),
    )
    .returning('secret')
    .$narrowType<{ secret: string }>() // of an address that somebody saved
    .executeTakeFirstOrThrow()
  await makeWaitingDue(tx, receiver)
  return secret
}

/** The new secret signs at once; the present one too for so many hours, or no longer. False: there is no address. */
export async function replaceSecret(
  db: Db,
  { accountId, receiverId }: Receiver,
  { secret, keepOldHours }: { secret: string; keepOldHours: number },
): Promise<boolean> {
  const isKept = keepOldHours > 0
  const changed = await db
    .updateTable('receivers')
    .set({
      secret,
      oldSecret: isKept ? sql`secret` : null,
      oldSecretUntil: isKept ? sql`now() + ${keepOldHours} * interval '1 hour'` : null,
    })
    .where('accountId', '=', accountId)
    .where('id', '=', receiverId)
    .returning('url')
    .executeTakeFirst()
  return changed !== undefined
}

/** The secret from before the last rotation signs no longer. */
export async function dropOldSecret(db: Db, { accountId, receiverId }: Receiver): Promise<void> {
  await db
    .updateTable('receivers')
    .set({ oldSecret: null, oldSecretUntil: null })
    .where('accountId', '=', accountId)
    .where('id', '=', receiverId)
    .execute()
}
