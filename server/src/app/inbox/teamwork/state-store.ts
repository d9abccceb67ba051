import { sql } from 'kysely'
import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'

/** `until` is an ISO time, of `snoozed` only. */
export type AsideState = { state: 'closed' | 'snoozed'; until: string | null }

/**
 * Closes a conversation or puts it off, which the caller has locked. It is then read for everybody: it is done, or somebody
 * looks after it, so it fills nobody's "Unread". Hence only open conversations are unread, and only they are looked at.
 */
export async function setAside(
  tx: Tx,
  { accountId, contactId }: ConversationRef,
  { state, until }: AsideState,
): Promise<void> {
  await sql`
    update conversations set state = ${state}, snoozed_until = ${until}::timestamptz,
      waiting_since = case when ${state} = 'snoozed' then waiting_since end,
      waiting_reason = case when ${state} = 'snoozed' then waiting_reason end
    where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(tx)
  await sql`
    insert into conversation_reads as r (account_id, contact_id, user_id, seq)
    select ${accountId}, c.contact_id, u.id, c.incoming_seq
    from conversations c join users u on u.account_id = ${accountId} and u.removed_at is null
    where c.account_id = ${accountId} and c.contact_id = ${contactId}
    order by u.id
    on conflict (account_id, user_id, contact_id) do update set seq = greatest(r.seq, excluded.seq)
  `.execute(tx)
  await sql`
    delete from unread_conversations where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(tx)
}

export async function setOpen(tx: Tx, { accountId, contactId }: ConversationRef): Promise<void> {
  await tx
    .updateTable('conversations')
    .set({ state: 'open', snoozedUntil: null })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .execute()
}

export async function readState(tx: Tx, { accountId, contactId }: ConversationRef): Promise<string | undefined> {
  const row = await tx
    .selectFrom('conversations')
    .select('state')
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .executeTakeFirst()
  return row?.state
}

/** Numbers have gaps, so the last one of the conversation does not tell. */
export async function hasMessageAfter(
  tx: Tx,
  { accountId, contactId }: ConversationRef,
  seq: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from messages
    where account_id = ${accountId} and contact_id = ${contactId} and seq > ${seq} and direction = 'incoming' limit 1
  `.execute(tx)
  return rows.length > 0
}

/** Whether a conversation can be put off until then, by the clock of the database. */
export async function canEndAt(db: Db, until: string): Promise<boolean> {
  const { rows } = await sql<{ isFine: boolean }>`
    select ${until}::timestamptz > now() and ${until}::timestamptz < now() + interval '366 days' as is_fine
  `.execute(db)
  return rows[0]?.isFine ?? false
}

/** Opens conversations whose time has come, at most `limit` of all accounts, with a line in their threads. */
export async function openDue(db: Db, limit: number): Promise<{ accountId: AccountId; contactId: ContactId }[]> {
  const { rows } = await sql<{ accountId: AccountId; contactId: ContactId }>`
    with due as materialized (
      select account_id, contact_id from conversations
      where snoozed_until is not null and snoozed_until <= now()
      order by snoozed_until limit ${limit} for update skip locked
    ), opened as (
      update conversations c set state = 'open', snoozed_until = null
      from due d where c.account_id = d.account_id and c.contact_id = d.contact_id
      returning c.account_id, c.contact_id, c.last_seq
    ), noted as (
      insert into conversation_events (account_id, contact_id, seq, kind)
      select account_id, contact_id, last_seq, 'snooze ended' from opened
    )
    select account_id, contact_id from opened
  `.execute(db)
  return rows
}
