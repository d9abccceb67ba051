import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import { type Broadcast, idTakenBy, idToGive } from '../record/store.ts'

export type CopyResult = {
  copied: number
  optedOut: number
  noId: number
  noAddress: number
  idTaken: number
  last: string | null
}

/**
 * Copies the next contacts of the list to the recipients. Who has opted out, or has no id on an external platform and can
 * get none, is left out from the start; all others are looked at again when it is their turn.
 */
export async function copyMembers(
  tx: Tx,
  { accountId, id, listId, preparedAfter, recipients, idFrom }: Broadcast,
  limit: number,
): Promise<CopyResult> {
  const { rows } = await sql<CopyResult>`
    with page as materialized (
      select m.contact_id, case when c.opted_out_at is not null then 'opted_out' when c.external_id is not null then null
          when ${idFrom}::text is null or c.is_simulated then 'no_id' when ${idToGive(idFrom)} is null then 'no_address'
          when ${idTakenBy(accountId, idFrom)} then 'id_taken' end as reason
      from list_members m join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
      where m.account_id = ${accountId} and m.list_id = ${listId} and m.contact_id > ${preparedAfter}
      order by m.contact_id
      limit ${limit}
    ), copied as (
      insert into broadcast_recipients (account_id, broadcast_id, n, contact_id, state, reason, settled_at)
      select ${accountId}, ${id}, (${recipients}::integer + row_number() over (order by contact_id))::integer, contact_id,
        case when reason is null then 'waiting' else 'left_out' end, reason, case when reason is not null then now() end
      from page
    )
    select count(*)::integer as copied, (count(*) filter (where reason = 'opted_out'))::integer as opted_out,
      (count(*) filter (where reason = 'no_id'))::integer as no_id,
      (count(*) filter (where reason = 'no_address'))::integer as no_address,
      (count(*) filter (where reason = 'id_taken'))::integer as id_taken, max(contact_id) as last
    from page
  `.execute(tx)
  return rows[0] ?? { copied: 0, optedOut: 0, noId: 0, noAddress: 0, idTaken: 0, last: null }
}
