import type { ApiCall } from '@patchbay/contract/app/calls.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

/** `ageMs`: how long ago it was answered. */
export type AnsweredCall = Omit<ApiCall, 'id' | 'at'> & { accountId: AccountId; ageMs: number }

/** So many of an account are kept. */
const mostKept = 200

/**
 * Writes calls of several accounts, and deletes what each has too many of. The commit is not waited for: after a crash the
 * calls of the last moment may be missing, and nothing else waits for the disk because of them.
 */
export async function writeCalls(db: Db, calls: AnsweredCall[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local synchronous_commit = off`.execute(tx)
    await sql`
      insert into api_calls (account_id, at, method, path, status, code, sentence, duration_ms, request_id)
      select c."accountId", now() - c."ageMs" * interval '1 ms', c.method, c.path, c.status, c.code, c.sentence,
        c."durationMs", c."requestId"
      from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) as c (
        "accountId" text, "ageMs" float, method text, path text, status integer, code text, sentence text,
        "durationMs" integer, "requestId" text
      )
      where exists (select from accounts a where a.id = c."accountId")
      order by c."ageMs" desc
    `.execute(tx)
    const accounts = [...new Set(calls.map(({ accountId }) => accountId))]
    await sql`
      delete from api_calls c
      using unnest(${accounts}::text[]) as of (account_id)
      where c.account_id = of.account_id and c.id <= (
        select k.id from api_calls k where k.account_id = of.account_id
        order by k.id desc offset ${mostKept} limit 1
      )
    `.execute(tx)
  })
}

/** The calls of an account, newest first. */
export async function listCalls(db: Db, accountId: AccountId): Promise<(Omit<ApiCall, 'at'> & { at: Date })[]> {
  return db
    .selectFrom('apiCalls')
    .select(['id', 'at', 'method', 'path', 'status', 'code', 'sentence', 'durationMs', 'requestId'])
    .where('accountId', '=', accountId)
    .orderBy('id', 'desc')
    .limit(mostKept)
    .execute()
}
