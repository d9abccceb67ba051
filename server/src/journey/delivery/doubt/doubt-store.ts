import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId, UserId } from '../../../platform/ids.ts'

type Ref = { accountId: AccountId; messageId: MessageId }
type ConversationRef = { accountId: AccountId; contactId: ContactId }

export async function findInConversation(
  db: Db,
  { accountId, messageId, contactId }: Ref & ConversationRef,
): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries where account_id = ${accountId} and id = ${messageId} and contact_id = ${contactId}
  `.execute(db)
  return rows.length > 0
}

/**
 * What is known of a delivery, until the transaction ends. `isLeftToPeople`: it ended in doubt, and no attempt is being made or waited
 * for. Lock order: the delivery, then its conversation, as when a doubt is given up.
 */
export async function lockDelivery(
  tx: Tx,
  { accountId, messageId }: Ref,
): Promise<{ isSent: boolean; isLeftToPeople: boolean } | undefined> {
  const { rows } = await sql<{ isSent: boolean; isLeftToPeople: boolean }>`
    select sent_at is not null as is_sent,
      sent_at is null and coalesce(error_category = 'in_doubt', false) and due_at is null as is_left_to_people
    from deliveries where account_id = ${accountId} and id = ${messageId}
    for update
  `.execute(tx)
  return rows[0]
}

/** What may have left of it did. Returns whether that is all of it. */
export async function acceptDoubtful(tx: Tx, { accountId, messageId }: Ref, userId: UserId): Promise<boolean> {
  await sql`
    update delivery_parts
    set accepted_at = now(), doubt_since = null, error_code = null, error_detail = null, doubt_ended_at = now(),
      doubt_ended_by = ${userId}
    where account_id = ${accountId} and delivery_id = ${messageId} and accepted_at is null
      and (begun_at is not null or doubt_since is not null)
  `.execute(tx)
  const { rows } = await sql`
    select from delivery_parts where account_id = ${accountId} and delivery_id = ${messageId} and accepted_at is null limit 1
  `.execute(tx)
  return rows.length === 0
}

const isKnown = sql`doubt_since = null, error_category = null, error_http_status = null, error_detail = null, asked = null,
      own_due_at = null`

export async function settleArrived(tx: Tx, { accountId, messageId }: Ref): Promise<void> {
  await sql`
    update deliveries set sent_at = now(), due_at = null, ${isKnown} where account_id = ${accountId} and id = ${messageId}
  `.execute(tx)
}

/** What never left is due, however old the message is. */
export async function sendRest(tx: Tx, ref: Ref): Promise<void> {
  const { accountId, messageId } = ref
  await sql`update deliveries set ${isKnown} where account_id = ${accountId} and id = ${messageId}`.execute(tx)
  await askAgain(tx, ref)
}

/** It is due as somebody's wish, so it leaves although it may have left before. */
export async function askAgain(tx: Tx, { accountId, messageId }: Ref): Promise<void> {
  await sql`
    update deliveries set due_at = now(), asked = 'now', own_due_at = null where account_id = ${accountId} and id = ${messageId}
  `.execute(tx)
}

/** Somebody knows of the doubts of a message: of those that are over, and of those that they decide. */
export async function endDoubts(db: Db, { accountId, messageId }: Ref, userId: UserId): Promise<void> {
  await sql`
    update delivery_parts set doubt_ended_at = now(), doubt_ended_by = ${userId}
    where account_id = ${accountId} and delivery_id = ${messageId} and doubt_ended_at is null
      and (begun_at is not null and accepted_at is null or resent_at is not null or doubt_since is not null)
  `.execute(db)
}

/** Who waited because of a doubt waits no more, once there is no other. */
export async function endWaitingForDoubts(tx: Tx, { accountId, contactId }: ConversationRef): Promise<void> {
  await sql`
    update conversations c set waiting_since = null, waiting_reason = null
    where c.account_id = ${accountId} and c.contact_id = ${contactId} and c.waiting_reason = 'in_doubt' and not exists (
      select from deliveries d
      where d.account_id = ${accountId} and d.contact_id = ${contactId} and d.error_category is not null and d.sent_at is null
        and d.error_category = 'in_doubt' and d.due_at is null
    )
  `.execute(tx)
}
