import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { type DaysOfKinds, type DueAccount, findDue } from './rule-store.ts'

/**
 * Whether the contact of `k`, a browser, is over: nothing was said for so long, and nothing but the browser is known of them that
 * somebody has kept or could look for.
 */
const isOver = (before: RawBuilder<unknown>) => sql`
  not exists (
    select from conversations c
    where c.account_id = k.account_id and c.contact_id = k.contact_id and c.active_at >= ${before}
  ) and exists (
    select from contacts p
    where p.account_id = k.account_id and p.id = k.contact_id and p.created_at < ${before}
      and p.external_id is null and p.phone is null and p.email is null
  ) and not exists (
    select from contact_channels o
    where o.account_id = k.account_id and o.contact_id = k.contact_id
      and (o.address_kind <> 'browser' or o.left_email is not null)
  ) and not exists (
    select from contact_addresses o
    where o.account_id = k.account_id and o.contact_id = k.contact_id and o.kind <> 'browser'
  )
  and not exists (select from list_members l where l.account_id = k.account_id and l.contact_id = k.contact_id)
  and not exists (select from conversation_tags t where t.account_id = k.account_id and t.contact_id = k.contact_id)
  and not exists (select from conversation_notes n where n.account_id = k.account_id and n.contact_id = k.contact_id)`

export async function findDueVisitors(db: Db, keepDays: DaysOfKinds): Promise<DueAccount[]> {
  return findDue(db, keepDays, {
    kind: 'visitors',
    isDue: (accountId, before) => sql`
      select true from contact_channels k
      where k.account_id = ${accountId} and k.address_kind = 'browser' and ${isOver(before)}
      order by k.contact_id limit 1`,
  })
}

/** Locks the next visitors who are over. Who writes at this moment is left out. */
export async function lockVisitors(tx: Tx, { accountId, before }: DueAccount, limit: number): Promise<ContactId[]> {
  const found = (which: RawBuilder<unknown>) => sql`
    from contact_channels k
    where k.account_id = ${accountId} and k.address_kind = 'browser' and ${which}
      and ${isOver(sql`${before}::timestamptz`)}`
  const { rows: locked } = await sql<{ id: ContactId }>`
    select id from contacts where account_id = ${accountId} and id = any (array(
      select k.contact_id ${found(sql`true`)} order by k.contact_id limit ${limit}
    )) order by id for update skip locked
  `.execute(tx)
  // Once more: they may have written, or been noted, until they were locked.
  const { rows } = await sql<{ contactId: ContactId }>`
    select distinct k.contact_id ${found(sql`k.contact_id = any (${locked.map(({ id }) => id)}::text[])`)} order by 1
  `.execute(tx)
  return rows.map(({ contactId }) => contactId)
}
