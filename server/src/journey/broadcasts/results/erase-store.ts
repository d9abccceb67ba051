import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, BroadcastId, ContactId } from '../../../platform/ids.ts'
import { type BroadcastRef, lockBroadcast } from '../record/store.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

/**
 * Removes an erased contact from the recipients of all broadcasts. Who had no message yet, or one that did not arrive
 * yet, counts as erased; what was sent or has failed stays counted as that.
 */
export async function eraseRecipient(db: Db, ref: Ref): Promise<void> {
  for (const broadcastId of await listBroadcastsTo(db, ref)) {
    await db.transaction().execute(async (tx) => {
      await lockBroadcast(tx, { accountId: ref.accountId, broadcastId })
      await eraseFrom(tx, { accountId: ref.accountId, broadcastId }, ref.contactId)
    })
  }
}

async function listBroadcastsTo(db: Db, { accountId, contactId }: Ref): Promise<BroadcastId[]> {
  const rows = await db
    .selectFrom('broadcastRecipients')
    .select('broadcastId')
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .orderBy('broadcastId')
    .execute()
  return rows.map(({ broadcastId }) => broadcastId)
}

async function eraseFrom(tx: Tx, { accountId, broadcastId }: BroadcastRef, contactId: ContactId): Promise<void> {
  await sql`
    with found as materialized (
      select r.n, r.state, d.sent_at
      from broadcast_recipients r left join deliveries d on d.account_id = ${accountId} and d.id = r.message_id
      where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.contact_id = ${contactId}
    ), erased as (
      update broadcast_recipients r set contact_id = null, message_id = null, seq = null,
        state = case when f.state not in ('waiting', 'made', 'taken') then f.state when f.state = 'taken' or f.sent_at is not null then 'sent' else 'left_out' end,
        reason = case when f.state in ('waiting', 'made') and f.sent_at is null then 'erased' else r.reason end,
        settled_at = coalesce(r.settled_at, now())
      from found f
      where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.n = f.n
    )
    update broadcasts b set
      open = b.open - case when f.state in ('made', 'taken') then 1 else 0 end,
      sent = b.sent + case when f.state = 'taken' or f.state = 'made' and f.sent_at is not null then 1 else 0 end,
      erased = b.erased + case when f.state in ('waiting', 'made') and f.sent_at is null then 1 else 0 end
    from found f
    where b.account_id = ${accountId} and b.id = ${broadcastId}
  `.execute(tx)
}
