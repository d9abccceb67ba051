import { sql } from 'kysely'
import { arrivedAt, isGivenUp } from '../../../journey/messages/status-store.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../../../platform/ids.ts'

export type OpenDelivery = {
  contactId: ContactId
  messageId: MessageId
  channel: number
  atMs: number
  isFailed: boolean
}

/** Keeps in mind which messages have not arrived. */
export async function keepOpen(tx: Tx, accountId: AccountId, deliveries: OpenDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  await sql`
    insert into report_deliveries (account_id, contact_id, message_id, channel, created_at, is_failed)
    select ${accountId}, g."contactId", g."messageId", g.channel, to_timestamp(g."atMs" / 1000), g."isFailed"
    from json_to_recordset(${JSON.stringify(deliveries)}) as g (
      "contactId" text, "messageId" text, channel integer, "atMs" float8, "isFailed" boolean
    )
    order by 2, 3
  `.execute(tx)
}

/** Where to go on with the deliveries of all accounts. */
export type DeliveryCursor = { accountId: string; contactId: string; messageId: string }

export const fromTheFirst: DeliveryCursor = { accountId: '', contactId: '', messageId: '' }

/** How a delivery is in the sums: `open` while it is still to be delivered, or may still turn out not to have been. */
type CountedState = 'open' | 'failed'

const countedAs = sql`case when r.is_failed then 'failed' else 'open' end`

/** What became of the delivery of `r`: one row by its key, or none. */
const present = sql`lateral (
  select d.arrived_at, case when d.arrived_at is not null then 'sent' when d.is_given_up then 'failed' else 'open' end as state
  from (
    select ${sql.raw(arrivedAt('d'))} as arrived_at, ${sql.raw(isGivenUp('d'))} as is_given_up
    from deliveries d where d.account_id = r.account_id and d.id = r.message_id limit 1
  ) as d
)`

/**
 * Looks at the next deliveries of all accounts, which of them are not as the sums have them. `last` is undefined at the end.
 * Those that were given up stay for as long as their messages, so both kinds are looked at apart: their number must not delay
 * the others.
 */
export async function findChanged(
  db: Db,
  counted: CountedState,
  { after, limit }: { after: DeliveryCursor; limit: number },
): Promise<{ changed: DeliveryKey[]; last: DeliveryCursor | undefined }> {
  const { rows } = await sql<DeliveryCursor & DeliveryKey & { n: number; isChanged: boolean }>`
    select * from (
      select r.account_id, r.contact_id, r.message_id, coalesce(d.state, 'gone') <> ${counted} as is_changed,
        row_number() over (order by r.account_id, r.contact_id, r.message_id)::integer as n
      from (
        select * from report_deliveries
        where (account_id, contact_id, message_id) > (${after.accountId}, ${after.contactId}, ${after.messageId})
          and ${counted === 'failed' ? sql`is_failed` : sql`not is_failed`}
        order by account_id, contact_id, message_id limit ${limit}
      ) as r
      left join ${present} as d on true
    ) as r
    where is_changed or n = ${limit}
    order by n
  `.execute(db)
  const end = rows.find(({ n }) => n === limit)
  return {
    changed: rows.filter(({ isChanged }) => isChanged),
    last: end && { accountId: end.accountId, contactId: end.contactId, messageId: end.messageId },
  }
}

export type DeliveryKey = { accountId: AccountId; contactId: ContactId; messageId: MessageId }

/** A delivery whose state is another than the sums have. `now`: `gone` when its message was removed or erased. */
export type ChangedDelivery = OpenDelivery & { now: 'sent' | 'failed' | 'open' | 'gone'; sentMs: number | null }

/** Those of these deliveries that are still not as the sums have them. */
export async function readChanged(tx: Tx, accountId: AccountId, keys: DeliveryKey[]): Promise<ChangedDelivery[]> {
  const { rows } = await sql<ChangedDelivery>`
    select r.contact_id, r.message_id, r.channel, r.is_failed,
      floor(extract(epoch from r.created_at) * 1000)::float8 as at_ms,
      floor(extract(epoch from d.arrived_at) * 1000)::float8 as sent_ms,
      coalesce(d.state, 'gone') as now
    from unnest(
      ${keys.map(({ contactId }) => contactId)}::text[], ${keys.map(({ messageId }) => messageId)}::text[]
    ) as k (contact_id, message_id)
    join report_deliveries r
      on r.account_id = ${accountId} and r.contact_id = k.contact_id and r.message_id = k.message_id
    left join ${present} as d on true
    where coalesce(d.state, 'gone') <> ${countedAs}
  `.execute(tx)
  return rows
}

/** Notes what became of them. Those that arrived or are gone need no more looks. */
export async function settleChanged(tx: Tx, accountId: AccountId, changed: ChangedDelivery[]): Promise<void> {
  const ids = (which: (one: ChangedDelivery) => boolean) => changed.filter(which).map(({ messageId }) => messageId)
  const contacts = changed.map(({ contactId }) => contactId)
  await sql`
    delete from report_deliveries where account_id = ${accountId} and contact_id = any (${contacts}::text[])
      and message_id = any (${ids(({ now }) => now === 'sent' || now === 'gone')}::text[])
  `.execute(tx)
  await sql`
    update report_deliveries set is_failed = not is_failed
    where account_id = ${accountId} and contact_id = any (${contacts}::text[])
      and message_id = any (${ids(({ now }) => now === 'failed' || now === 'open')}::text[])
  `.execute(tx)
}
