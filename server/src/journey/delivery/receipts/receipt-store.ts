import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ChannelId, ContactId } from '../../../platform/ids.ts'

/** What somebody was written over a channel. */
export type Thread = { accountId: AccountId; channelId: ChannelId; contactId: ContactId }

/** Numbers of messages: up to the first one all have arrived, up to the second one they were read. */
export type Marks = { delivered: number; read: number }

const mostAtOnce = 500

/**
 * Writes down that messages have arrived or were read, the oldest first and at most so many: the same marks again write the rest.
 * What is known already stays as it is. Returns of how many that is new. Deliveries are locked before their parts, in the order of
 * their ids, as by whoever settles one.
 */
export async function writeMarks(
  db: Db,
  { accountId, channelId, contactId }: Thread,
  { delivered, read }: Marks,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with found as materialized (
      select p.delivery_id, bool_or(m.seq <= ${read}) as is_read
      from delivery_parts p join messages m on m.account_id = p.account_id and m.id = p.delivery_id
      where p.account_id = ${accountId} and p.contact_id = ${contactId} and p.channel_id = ${channelId}
        and p.read_at is null and p.address_kind <> 'chat' and p.accepted_at is not null
        and (m.seq <= ${read} or p.delivered_at is null and m.seq <= ${delivered})
      group by p.delivery_id order by p.delivery_id limit ${mostAtOnce}
    ), locked as materialized (
      select d.id, f.is_read from found f join deliveries d on d.account_id = ${accountId} and d.id = f.delivery_id
      order by d.id for update of d
    ), parts as (
      update delivery_parts p set ${forward('p')}
      from locked l where p.account_id = ${accountId} and p.delivery_id = l.id and p.accepted_at is not null
    )
    update deliveries d set ${forward('d')}
    from locked l where d.account_id = ${accountId} and d.id = l.id and d.sent_at is not null
  `.execute(db)
  return Number(numAffectedRows)
}

/** What was read has arrived, and nothing of it is ever taken back. `l` says whether it was read. */
function forward(row: 'p' | 'd') {
  return sql.raw(`delivered_at = coalesce(${row}.delivered_at, now()),
    read_at = case when l.is_read then coalesce(${row}.read_at, now()) else ${row}.read_at end`)
}
