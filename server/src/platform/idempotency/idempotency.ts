import { sql } from 'kysely'
import type { Db, Tx } from '../database/db.ts'
import { deleteInBatches } from '../database/prune.ts'
import type { AccountId, ContactId } from '../ids.ts'
import { Refusal } from '../refusal.ts'

/** What a caller may send along to be able to ask again without doing it again. */
export type OnceKey = { endpoint: string; key: string; bodyHash: Buffer }

export type Answered<Answer> = {
  status: number
  answer: Answer
  /** Whose data the answer has: it is forgotten with them. */
  contactId?: ContactId
}

/**
 * Does something once for each key a caller gives: the first answer and the effect commit together, so whoever asks
 * again with the same body gets that answer, after a crash too. A twin at the same moment waits for the first. What is
 * refused is not remembered.
 */
export async function onceForKey<Answer>(
  db: Db,
  { accountId, once }: { accountId: AccountId; once: OnceKey },
  act: (tx: Tx) => Promise<Answered<Answer>>,
): Promise<Answered<Answer>> {
  return db.transaction().execute(async (tx) => {
    await forgetOld(tx, accountId, once)
    const first = await claim(tx, accountId, once)
    if (first) return first as Answered<Answer> // the same endpoint wrote it
    const { status, answer, contactId = null } = await act(tx)
    await tx
      .updateTable('idempotencyKeys')
      .set({ status, answer: JSON.stringify(answer), contactId })
      .where('accountId', '=', accountId)
      .where('endpoint', '=', once.endpoint)
      .where('key', '=', once.key)
      .execute()
    return { status, answer }
  })
}

/** Takes the key, or returns what was answered to it. One that is removed while we look is ours to take. */
async function claim(tx: Tx, accountId: AccountId, once: OnceKey): Promise<Answered<unknown> | undefined> {
  for (;;) {
    const taken = await tx
      .insertInto('idempotencyKeys')
      .values({ accountId, ...once })
      .onConflict((c) => c.columns(['accountId', 'endpoint', 'key']).doNothing())
      .returning('key')
      .executeTakeFirst()
    if (taken) return undefined
    const first = await tx
      .selectFrom('idempotencyKeys')
      .select(['bodyHash', 'status', 'answer'])
      .where('accountId', '=', accountId)
      .where('endpoint', '=', once.endpoint)
      .where('key', '=', once.key)
      .executeTakeFirst()
    if (first) return repeat(first, once)
  }
}

type First = { bodyHash: Buffer; status: number | null; answer: string | null }

function repeat({ bodyHash, status, answer }: First, once: OnceKey): Answered<unknown> {
  if (!bodyHash.equals(once.bodyHash)) {
    throw new Refusal('INVALID_REQUEST', 'Idempotency-Key was used with another body; use a new key for a new request.')
  }
  return { status: status ?? 200, answer: JSON.parse(answer ?? 'null') }
}

/** Keys live for a day. One that is older acts anew, also when it was not yet removed. */
async function forgetOld(tx: Tx, accountId: AccountId, { endpoint, key }: OnceKey): Promise<void> {
  await sql`
    delete from idempotency_keys
    where account_id = ${accountId} and endpoint = ${endpoint} and key = ${key}
      and created_at < now() - ${keptFor}::interval
  `.execute(tx)
}

const keptFor = '24 hours'

/** Removes keys that are too old to act, of all accounts. */
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
