import { sql } from 'kysely'
import { acrossAccounts, type Db, type Tx } from '../platform/database/db.ts'
import type { AccountId, ReceiverId } from '../platform/ids.ts'
import { makeFailedDue } from './due-again-store.ts'
import { alertWebhook, type Receiver, simulator } from './receivers.ts'

export type StoredReceiver = {
  id: ReceiverId
  url: string
  /** The sealed secret, and the old one while it is still in use. */
  secret: string
  oldSecret: string | null
  failuresInRow: number
  lastSuccessAt: Date | null
  pausedAt: Date | null
  goneAt: Date | null
}

export async function findReceivers(db: Db, accountId: AccountId): Promise<StoredReceiver[]> {
  return db
    .selectFrom('receivers')
    .select(['id', 'url', 'secret', 'failuresInRow', 'lastSuccessAt', 'pausedAt', 'goneAt'])
    .select(sql<string | null>`case when old_secret_until > now() then old_secret end`.as('oldSecret'))
    .where('accountId', '=', accountId)
    .where('id', '<>', simulator)
    .where('secret', 'is not', null) // that of a channel has none
    .$narrowType<{ secret: string }>()
    .orderBy('id', 'desc')
    .execute()
}

export type ListedReceiver = Pick<StoredReceiver, 'id' | 'url' | 'failuresInRow' | 'pausedAt' | 'goneAt'> & {
  accountId: AccountId
}

/** Lists receivers for the operator, across accounts: paused and failing ones first. */
export async function listReceivers(db: Db, limit: number): Promise<ListedReceiver[]> {
  return acrossAccounts(db)
    .selectFrom('receivers')
    .select(['accountId', 'id', 'url', 'failuresInRow', 'pausedAt', 'goneAt'])
    .where('id', '<>', simulator)
    .where('secret', 'is not', null)
    .orderBy((order) => order.or([order('pausedAt', 'is not', null), order('failuresInRow', '>', 0)]), 'desc')
    .limit(limit)
    .execute()
}

/** Makes events due now that wait for a retry or were held back by a pause. All of them have failed before. */
export async function makeWaitingDue(tx: Tx, { accountId, receiverId }: Receiver): Promise<void> {
  const waits = sql<boolean>`receiver_id = ${receiverId} and lease_token is null
    and (due_at > now() or due_at is null and error_category = 'endpoint_paused')`
  await makeFailedDue(tx, accountId, waits)
}

/** Makes events due now that wait and have not failed: a channel has made them wait. */
export async function makeUntriedDue(tx: Tx, { accountId, receiverId }: Receiver): Promise<void> {
  await sql`
    update deliveries set due_at = now()
    where account_id = ${accountId} and receiver_id = ${receiverId} and due_at > now() and lease_token is null and error_category is null
  `.execute(tx)
}

/** Pauses, or resumes and makes due what was held back by the pause. False: there is no address. */
export async function setPaused(tx: Tx, receiver: Receiver, isPaused: boolean): Promise<boolean> {
  const changed = await tx
    .updateTable('receivers')
    .set({
      pausedAt: isPaused ? sql`now()` : null,
      ...(isPaused ? {} : { failuresInRow: 0, failingSince: null, probeAt: null, probeWaitSeconds: 1 }),
    })
    .where('accountId', '=', receiver.accountId)
    .where('id', '=', receiver.receiverId)
    .returning('url')
    .executeTakeFirst()
  if (!changed) return false
  if (!isPaused) await makeWaitingDue(tx, receiver)
  return true
}

/** Makes the receiver of a channel, or lets one that is there begin anew: without a secret, because its transport has its own. */
export async function openReceiver(tx: Tx, { accountId, receiverId }: Receiver, url: string): Promise<void> {
  const fresh = {
    pausedAt: null,
    goneAt: null,
    failuresInRow: 0,
    failingSince: null,
    probeAt: null,
    probeWaitSeconds: 1,
  }
  await tx
    .insertInto('receivers')
    .values({ accountId, id: receiverId, url, secret: null })
    .onConflict((c) => c.columns(['accountId', 'id']).doUpdateSet({ url, ...fresh }))
    .execute()
}

/** Later events fail because there is no address. False: there was none. Without an alert address nothing was told. */
export async function removeReceiver(tx: Tx, { accountId, receiverId }: Receiver): Promise<boolean> {
  if (receiverId === alertWebhook) await tx.deleteFrom('alertStates').where('accountId', '=', accountId).execute()
  const removed = await tx
    .deleteFrom('receivers')
    .where('accountId', '=', accountId)
    .where('id', '=', receiverId)
    .returning('url')
    .executeTakeFirst()
  return removed !== undefined
}
