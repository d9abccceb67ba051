import { sql } from 'kysely'
import { breaksAfter } from '../../outbox/enqueue-events.ts'
import { messageWebhook } from '../../outbox/receivers.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ContactId, ListId } from '../../platform/ids.ts'
import { type IdFrom, idTakenBy, idToGive, type WaitingReason } from './record/store.ts'

type List = { accountId: AccountId; listId: ListId }

/** The contacts of a list: who has opted out; of the others who has an id, and how many could get one from what. */
export type Reach = { contacts: number; optedOut: number; withId: number; byPhone: number; byEmail: number }

export async function countReach(db: Db, { accountId, listId }: List): Promise<Reach> {
  const without = sql`c.opted_out_at is null and c.external_id is null and not c.is_simulated`
  const { rows } = await sql<Reach>`
    select count(*)::integer as contacts, (count(*) filter (where c.opted_out_at is not null))::integer as opted_out,
      (count(*) filter (where c.opted_out_at is null and c.external_id is not null))::integer as with_id,
      (count(c.phone) filter (where ${without} and not ${idTakenBy(accountId, 'phone')}))::integer as by_phone,
      (count(distinct c.email) filter (where ${without} and not ${idTakenBy(accountId, 'email')}))::integer as by_email
    from list_members m join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
    where m.account_id = ${accountId} and m.list_id = ${listId}
  `.execute(db)
  return rows[0] ?? { contacts: 0, optedOut: 0, withId: 0, byPhone: 0, byEmail: 0 }
}

export type Audience = { contacts: number; optedOut: number; noId: number; noAddress: number; idTaken: number }

/** Who of a list gets no message, as it is at this moment. */
export async function countAudience(db: Db, list: List, idFrom: IdFrom | null): Promise<Audience> {
  const { accountId, listId } = list
  const reach = await countReach(db, list)
  const { contacts, optedOut, withId } = reach
  const without = contacts - optedOut - withId
  if (idFrom === null) return { contacts, optedOut, noId: without, noAddress: 0, idTaken: 0 }
  const { rows } = await sql<{ noId: number; noAddress: number }>`
    select (count(*) filter (where c.is_simulated))::integer as no_id,
      (count(*) filter (where not c.is_simulated and ${idToGive(idFrom)} is null))::integer as no_address
    from list_members m join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
    where m.account_id = ${accountId} and m.list_id = ${listId} and c.opted_out_at is null and c.external_id is null
  `.execute(db)
  const { noId, noAddress } = rows[0] ?? { noId: 0, noAddress: 0 }
  const idTaken = Math.max(0, without - noId - noAddress - (idFrom === 'phone' ? reach.byPhone : reach.byEmail))
  return { contacts, optedOut, noId, noAddress, idTaken }
}

export type FirstReader = {
  contactId: ContactId
  firstName: string | null
  lastName: string | null
  externalId: string
  /** They have it already. */
  hasId: boolean
}

type ReaderQuery = { idFrom: IdFrom | null; onlyWithoutId?: boolean; limit: number }

/** The first who get a message, each with the id that they have or get. */
export async function readFirstReaders(
  db: Db,
  { accountId, listId }: List,
  { idFrom, onlyWithoutId = false, limit }: ReaderQuery,
): Promise<FirstReader[]> {
  const { rows } = await sql<FirstReader>`
    select c.id as contact_id, c.first_name, c.last_name, coalesce(c.external_id, ${idToGive(idFrom)}) as external_id,
      c.external_id is not null as has_id
    from list_members m join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
    where m.account_id = ${accountId} and m.list_id = ${listId} and c.opted_out_at is null
      and (
        c.external_id is not null and not ${onlyWithoutId}
        or c.external_id is null and not c.is_simulated and ${idToGive(idFrom)} is not null
          and not ${idTakenBy(accountId, idFrom)}
      )
    order by m.contact_id
    limit ${limit}
  `.execute(db)
  return rows
}

export async function findTrouble(db: Db, accountId: AccountId): Promise<WaitingReason | null> {
  const { rows } = await sql<{ trouble: WaitingReason | null }>`
    select case when e.paused_at is not null then 'endpoint_paused' when e.gone_at is not null then 'endpoint_gone'
      when e.failures_in_row >= ${breaksAfter} then 'endpoint_failing' end as trouble
    from receivers e where e.account_id = ${accountId} and e.id = ${sql.lit(messageWebhook)}
  `.execute(db)
  return rows[0] ? rows[0].trouble : 'no_endpoint'
}
