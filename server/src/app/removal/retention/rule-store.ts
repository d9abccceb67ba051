import { type RawBuilder, sql } from 'kysely'
import type { KeepDays } from '../../../platform/config/keep-days.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'

/** What is over in an account: everything from before this time, by the database's clock, and messages before this id. */
export type DueAccount = { accountId: AccountId; before: string; beforeId: string }

/** `sids` are those of messages that were removed. */
export type Kind = keyof KeepDays | 'sids'

export type DaysOfKinds = Readonly<Record<Kind, number | null>>

/** What belongs to a message is never kept for longer than messages are. */
const belongsToMessages: ReadonlySet<Kind> = new Set(['attachments', 'answers', 'attempts'])

/**
 * Accounts of which something is over. `isDue`: a condition on their id and a time, which must find the first row by an
 * index, in its order: PostgreSQL expects many that match, and without an order would read from the beginning of the table.
 */
export async function findDue(
  db: Db,
  keepDays: DaysOfKinds,
  {
    kind,
    isDue,
  }: { kind: Kind; isDue: (accountId: RawBuilder<unknown>, before: RawBuilder<unknown>) => RawBuilder<unknown> },
): Promise<DueAccount[]> {
  const kinds: Kind[] = belongsToMessages.has(kind) ? [kind, 'messages'] : [kind]
  const most = sql.join(kinds.map((one) => sql`${keepDays[one]}::float8`))
  const { rows } = await sql<DueAccount>`
    select a.id as account_id, a.before::text as before, ${messageIdAt(sql`a.before`)} as before_id from (
      select a.id, now() - least(${most}, (
        select min(r.days) from retention_rules r where r.account_id = a.id and r.kind = any (${kinds}::text[])
      )) * interval '1 day' as before
      from accounts a offset 0
    ) as a
    where a.before is not null and (${isDue(sql`a.id`, sql`a.before`)}) is not null
    order by a.id
  `.execute(db)
  return rows
}

/**
 * The first id that can have been made at this time. Ids begin with their kind and the time, so the primary key finds old
 * messages, and no message pays for an index of its age.
 */
const idAt = (prefix: string, before: RawBuilder<unknown>) =>
  sql`(${sql.lit(prefix)} || lpad(to_hex(floor(extract(epoch from ${before}) * 1000)::bigint), 12, '0'))`

export const messageIdAt = (before: RawBuilder<unknown>) => idAt('msg_', before)

/** The first id of an event that is no message. */
export const eventIdAt = (before: RawBuilder<unknown>) => idAt('evt_', before)

/** Messages of the account from before this time are removed from now on: late copies of them must be looked for. */
export async function markRemoving(db: Db, { accountId, before }: DueAccount): Promise<void> {
  await sql`
    insert into retention_marks as m (account_id, removed_before) values (${accountId}, ${before}::timestamptz)
    on conflict (account_id) do update set removed_before = excluded.removed_before
    where m.removed_before < excluded.removed_before
  `.execute(db)
}

/** Until the transaction ends, no other process removes anything. False: another one is at it. */
export async function lockRetention(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('retention', 0)) as is_ours
  `.execute(tx)
  return rows[0]?.isOurs ?? false
}

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
