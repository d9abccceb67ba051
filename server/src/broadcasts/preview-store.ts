import { sql } from 'kysely'
import { breaksAfter } from '../outbox/owe-events.ts'
import type { Db } from '../platform/database/db.ts'
import type { AccountId, ContactId, ListId } from '../platform/ids.ts'
import type { WaitingReason } from './record/store.ts'

export type Audience = { contacts: number; optedOut: number; noId: number }

export async function countAudience(db: Db, accountId: AccountId, listId: ListId): Promise<Audience> {
  const { rows } = await sql<Audience>`
    select count(*)::integer as contacts, (count(*) filter (where c.opted_out_at is not null))::integer as opted_out,
      (count(*) filter (where c.opted_out_at is null and c.external_id is null))::integer as no_id
    from list_members m join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
    where m.account_id = ${accountId} and m.list_id = ${listId}
  `.execute(db)
  return rows[0] ?? { contacts: 0, optedOut: 0, noId: 0 }
}

export type FirstReader = {
  contactId: ContactId
  firstName: string | null
  lastName: string | null
  externalId: string
}

export async function readFirstReaders(
  db: Db,
  accountId: AccountId,
  { listId, limit }: { listId: ListId; limit: number },
): Promise<FirstReader[]> {
  const { rows } = await sql<FirstReader>`
    select c.id as contact_id, c.first_name, c.last_name, c.external_id
    from list_members m join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
    where m.account_id = ${accountId} and m.list_id = ${listId} and c.opted_out_at is null and c.external_id is not null
    order by m.contact_id
    limit ${limit}
  `.execute(db)
  return rows
}

export async function findTrouble(db: Db, accountId: AccountId): Promise<WaitingReason | null> {
  const { rows } = await sql<{ trouble: WaitingReason | null }>`
    select case when e.paused_at is not null then 'endpoint_paused' when e.gone_at is not null then 'endpoint_gone'
      when e.failures_in_row >= ${breaksAfter} then 'endpoint_failing' end as trouble
    from endpoints e where e.account_id = ${accountId} and e.kind = 'reply'
  `.execute(db)
  return rows[0] ? rows[0].trouble : 'no_endpoint'
}
