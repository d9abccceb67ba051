import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId, ListId } from '../../../platform/ids.ts'
import { type Audience, whyLeftOut } from '../record/audience.ts'
import type { Broadcast } from '../record/store.ts'

export type CopyResult = {
  copied: number
  optedOut: number
  blocked: number
  noId: number
  noAddress: number
  idTaken: number
  last: string | null
}

/**
 * Copies the next contacts of the list to the recipients. Who cannot be written to, or does not want to be, is left out from the start;
 * all others are looked at again when it is their turn.
 */
export async function copyMembers(
  tx: Tx,
  { broadcast, audience }: { broadcast: Broadcast; audience: Audience },
  limit: number,
): Promise<CopyResult> {
  const { accountId, id, listId, preparedAfter, recipients } = broadcast
  const { rows } = await sql<CopyResult>`
    with page as materialized (
      select m.contact_id, ${whyLeftOut(accountId, audience)} as reason
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
      (count(*) filter (where reason = 'blocked'))::integer as blocked,
      (count(*) filter (where reason = 'no_id'))::integer as no_id,
      (count(*) filter (where reason = 'no_address'))::integer as no_address,
      (count(*) filter (where reason = 'id_taken'))::integer as id_taken, max(contact_id) as last
    from page
  `.execute(tx)
  return rows[0] ?? { copied: 0, optedOut: 0, blocked: 0, noId: 0, noAddress: 0, idTaken: 0, last: null }
}

/** What the list is called now; undefined: it is gone. */
export async function readListName(
  tx: Tx,
  { accountId, listId }: { accountId: AccountId; listId: ListId },
): Promise<string | undefined> {
  const list = await tx
    .selectFrom('lists')
    .select('name')
    .where('accountId', '=', accountId)
    .where('id', '=', listId)
    .executeTakeFirst()
  return list?.name
}
