import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import type { IdFrom } from './store.ts'

/** What contact `c` would get as its id. */
export function idToGive(idFrom: IdFrom | null): RawBuilder<string | null> {
  return idFrom === null ? sql`null::text` : idFrom === 'phone' ? sql`c.phone` : sql`c.email`
}

/** Whether another contact has that id already. */
export function idTakenBy(accountId: AccountId, idFrom: IdFrom | null): RawBuilder<boolean> {
  return sql`exists (select from contacts o where o.account_id = ${accountId} and o.external_id = ${idToGive(idFrom)})`
}

/**
 * Gives a locked contact an id, if it has none and no other contact has it. When somebody is just giving it to another, this
 * waits for that, and then fails as a conflict: the transaction is run again, and finds it taken.
 */
export async function giveId(
  tx: Tx,
  { accountId, contactId }: { accountId: AccountId; contactId: ContactId },
  externalId: string,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update contacts c set external_id = ${externalId}
    where c.account_id = ${accountId} and c.id = ${contactId} and c.external_id is null and not exists (
      select from contacts o where o.account_id = ${accountId} and o.external_id = ${externalId}
    )
  `.execute(tx)
  return numAffectedRows > 0n
}
