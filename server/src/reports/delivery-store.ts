import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../platform/ids.ts'

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

/** Where to go on with the deliveries of an account. */
export type DeliveryCursor = { contactId: string; messageId: string }

/** One whose state is another than the sums have. `now`: `gone` when its message was removed or erased. */
export type ChangedDelivery = OpenDelivery & { now: 'sent' | 'failed' | 'open' | 'gone'; sentMs: number | null }

/** Looks at the next ones; `last` is undefined at the end of the list. */
export async function readChanged(
  db: Db,
  accountId: AccountId,
  { after, limit }: { after: DeliveryCursor; limit: number },
): Promise<{ changed: ChangedDelivery[]; last: DeliveryCursor | undefined }> {
  const { rows } = await sql<ChangedDelivery & { n: number; isChanged: boolean }>`
    select *, now <> case when is_failed then 'failed' else 'open' end as is_changed from (
      select r.contact_id, r.message_id, r.channel, r.is_failed,
        floor(extract(epoch from r.created_at) * 1000)::float8 as at_ms,
        floor(extract(epoch from d.sent_at) * 1000)::float8 as sent_ms,
        case when d.id is null then 'gone' when d.sent_at is not null then 'sent'
          when d.due_at is null and d.lease_token is null then 'failed' else 'open' end as now,
        row_number() over (order by r.contact_id, r.message_id)::integer as n
      from (
        select * from report_deliveries
        where account_id = ${accountId} and (contact_id, message_id) > (${after.contactId}, ${after.messageId})
        order by contact_id, message_id limit ${limit}
      ) as r
      left join deliveries d on d.account_id = ${accountId} and d.id = r.message_id
    ) as r
    where now <> case when is_failed then 'failed' else 'open' end or n = ${limit}
    order by n
  `.execute(db)
  const end = rows.find(({ n }) => n === limit)
  return {
    changed: rows.filter(({ isChanged }) => isChanged),
    last: end && { contactId: end.contactId, messageId: end.messageId },
  }
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
