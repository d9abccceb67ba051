import { sql } from 'kysely'
import type { Db, Tx } from '../database/db.ts'
import { deleteInBatches } from '../database/prune.ts'
import type { AccountId, ContactId } from '../ids.ts'
import { Refusal } from '../refusal.ts'

/** A key that a caller sends so that a repeated request has no second effect. */
export type IdempotencyKey = { endpoint: string; key: string; bodyHash: Buffer }

export type Outcome<Answer> = {
  status: number
  answer: Answer
  /** The contact whose data is in the answer: erasing the contact deletes the answer. */
  contactId?: ContactId
}

/**
 * Runs `act` once for each idempotency key. The first answer and the effect commit together, so a repeated request with
 * the same body gets that answer, after a crash too. A concurrent request with the same key waits for the first.
 * Refusals are not stored.
 */
export async function withIdempotencyKey<Answer>(
  db: Db,
  keyed: AccountKey,
  act: (tx: Tx) => Promise<Outcome<Answer>>,
): Promise<Outcome<Answer>> {
  return db.transaction().execute((tx) => withIdempotencyKeyIn(tx, keyed, act))
}

type AccountKey = { accountId: AccountId; idempotencyKey: IdempotencyKey }

/** Does what `withIdempotencyKey` does, in a transaction of the caller. */
export async function withIdempotencyKeyIn<Answer>(
  tx: Tx,
  { accountId, idempotencyKey }: AccountKey,
  act: (tx: Tx) => Promise<Outcome<Answer>>,
): Promise<Outcome<Answer>> {
  await deleteIfExpired(tx, accountId, idempotencyKey)
  const stored = await claim(tx, accountId, idempotencyKey)
  if (stored) return stored as Outcome<Answer> // the same endpoint wrote it
  const { status, answer, contactId = null } = await act(tx)
  await tx
    .updateTable('idempotencyKeys')
    .set({ status, answer: JSON.stringify(answer), contactId })
    .where('accountId', '=', accountId)
    .where('endpoint', '=', idempotencyKey.endpoint)
    .where('key', '=', idempotencyKey.key)
    .execute()
  return { status, answer }
}

/** Claims the key, or returns the answer stored for it. Tries again if the key is deleted between insert and select. */
async function claim(
  tx: Tx,
  accountId: AccountId,
  idempotencyKey: IdempotencyKey,
): Promise<Outcome<unknown> | undefined> {
  for (;;) {
    const claimed = await tx
      .insertInto('idempotencyKeys')
      .values({ accountId, ...idempotencyKey })
      .onConflict((c) => c.columns(['accountId', 'endpoint', 'key']).doNothing())
      .returning('key')
      .executeTakeFirst()
    if (claimed) return undefined
    const stored = await tx
      .selectFrom('idempotencyKeys')
      .select(['bodyHash', 'status', 'answer'])
      .where('accountId', '=', accountId)
      .where('endpoint', '=', idempotencyKey.endpoint)
      .where('key', '=', idempotencyKey.key)
      .executeTakeFirst()
    if (stored) return readStored(stored, idempotencyKey)
  }
}

type KeyRow = { bodyHash: Buffer; status: number | null; answer: string | null }

function readStored({ bodyHash, status, answer }: KeyRow, idempotencyKey: IdempotencyKey): Outcome<unknown> {
  if (!bodyHash.equals(idempotencyKey.bodyHash)) {
    throw new Refusal('INVALID_REQUEST', 'Idempotency-Key was used with another body; use a new key for a new request.')
  }
  return { status: status ?? 200, answer: JSON.parse(answer ?? 'null') }
}

/** Keys expire after a day. An expired key can be used again even if it has not been pruned yet. */
async function deleteIfExpired(tx: Tx, accountId: AccountId, { endpoint, key }: IdempotencyKey): Promise<void> {
  await sql`
    delete from idempotency_keys
    where account_id = ${accountId} and endpoint = ${endpoint} and key = ${key}
      and created_at < now() - ${keptFor}::interval
  `.execute(tx)
}

const keptFor = '24 hours'

/** Deletes the expired keys of all accounts. */
export async function pruneKeys(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    (limit) => sql`
      delete from idempotency_keys
      where ctid = any (array(
        select ctid from idempotency_keys where created_at < now() - ${keptFor}::interval
        order by created_at limit ${limit}
        for update skip locked
      ))
    `,
  )
}
