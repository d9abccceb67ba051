import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { messageIdAt } from './rule-store.ts'

/** The days of an account's own, by kind. */
export async function readRules(db: Db, accountId: AccountId): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('retentionRules')
    .select(['kind', 'days'])
    .where('accountId', '=', accountId)
    .execute()
  return new Map(rows.map(({ kind, days }) => [kind, days]))
}

export async function writeRule(
  tx: Tx,
  accountId: AccountId,
  { kind, days }: { kind: string; days: number },
): Promise<void> {
  await sql`
    insert into retention_rules (account_id, kind, days) values (${accountId}, ${kind}, ${days})
    on conflict (account_id, kind) do update set days = excluded.days
  `.execute(tx)
}

export async function deleteRule(tx: Tx, accountId: AccountId, kind: string): Promise<void> {
  await sql`delete from retention_rules where account_id = ${accountId} and kind = ${kind}`.execute(tx)
}

/** It is only said of more that there are more. */
const mostCounted = 100_000

/** Messages that would be over if they were kept for so many days. */
export async function countOver(
  db: Db,
  accountId: AccountId,
  days: number,
): Promise<{ messages: number; hasMore: boolean }> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from (
      select from messages
      where account_id = ${accountId} and id < ${messageIdAt(sql`(now() - ${days} * interval '1 day')`)}
      limit ${mostCounted + 1}
    ) as m
  `.execute(db)
  const n = rows[0]?.n ?? 0
  return { messages: Math.min(n, mostCounted), hasMore: n > mostCounted }
}
