import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'

/** Conversations, and the highest number of the messages that are about to be removed from each. */
export type Reach = { contactId: ContactId; seq: string }[]

/**
 * Those conversations that change with the removal: it takes the last message of the contact, or the last of all, or one
 * whose answer is owed. All others need no lock: they have later messages, and only get more.
 */
export async function findChanging(tx: Tx, accountId: AccountId, reach: Reach): Promise<ContactId[]> {
  const [ids, seqs] = [reach.map(({ contactId }) => contactId), reach.map(({ seq }) => seq)]
  const { rows } = await sql<{ contactId: ContactId }>`
    select g.contact_id from unnest(${ids}::text[], ${seqs}::bigint[]) as g (contact_id, seq) cross join lateral (
      select c.incoming_seq from conversations c
      where c.account_id = ${accountId} and c.contact_id = g.contact_id limit 1
    ) as c
    where c.incoming_seq between 1 and g.seq or (
      select true from messages m
      where m.account_id = ${accountId} and m.contact_id = g.contact_id and m.seq > g.seq limit 1
    ) is null or (
      select true from turns t where t.account_id = ${accountId} and t.contact_id = g.contact_id and t.from_seq <= g.seq
    )
  `.execute(tx)
  return rows.map(({ contactId }) => contactId)
}

/** Locks these conversations, except those that somebody else has locked, and returns them. */
export async function lockConversations(tx: Tx, accountId: AccountId, ids: ContactId[]): Promise<Set<ContactId>> {
  const { rows } = await sql<{ contactId: ContactId }>`
    select contact_id from conversations
    where account_id = ${accountId} and contact_id = any (${ids}) for update skip locked
  `.execute(tx)
  return new Set(rows.map(({ contactId }) => contactId))
}

/**
 * Runs after the removal, for locked conversations. What is not there cannot be unread; and one without any message leaves all
 * lists, waits for nobody, and belongs to nobody. Its numbers go on with the next message, and who answers stays as it was.
 */
export async function settleConversations(tx: Tx, accountId: AccountId, ids: ContactId[]): Promise<void> {
  const { rows } = await sql<{ contactId: ContactId }>`
    with rest as materialized (
      select c.contact_id, (
        select true from messages m where m.account_id = ${accountId} and m.contact_id = c.contact_id limit 1
      ) is null as is_empty, (
        select true from messages m
        where m.account_id = ${accountId} and m.contact_id = c.contact_id and m.seq = c.incoming_seq
      ) is null as is_heard
      from conversations c where c.account_id = ${accountId} and c.contact_id = any (${ids})
    ), changed as (
      update conversations c
      set incoming_seq = case when r.is_heard then 0 else c.incoming_seq end,
        state = case when r.is_empty then 'empty' else c.state end,
        snoozed_until = case when not r.is_empty then c.snoozed_until end,
        waiting_since = case when not r.is_empty then c.waiting_since end,
        waiting_reason = case when not r.is_empty then c.waiting_reason end,
        assignee_id = case when not r.is_empty then c.assignee_id end
      from rest r where c.account_id = ${accountId} and c.contact_id = r.contact_id and (r.is_empty or r.is_heard)
    )
    select contact_id from rest where is_empty
  `.execute(tx)
  const empty = rows.map(({ contactId }) => contactId)
  if (empty.length === 0) return
  await sql`
    with tagged as (
      delete from conversation_tags where account_id = ${accountId} and contact_id = any (${empty})
    )
    delete from unread_conversations where account_id = ${accountId} and contact_id = any (${empty})
  `.execute(tx)
}

/** Those of the conversations in which an answer is owed to messages that are all gone. */
export async function findTurnsWithoutMessages(tx: Tx, accountId: AccountId, ids: ContactId[]): Promise<ContactId[]> {
  const { rows } = await sql<{ contactId: ContactId }>`
    select t.contact_id from turns t
    where t.account_id = ${accountId} and t.contact_id = any (${ids}) and (
      select true from messages m
      where m.account_id = ${accountId} and m.contact_id = t.contact_id and m.seq between t.from_seq and t.last_seq limit 1
    ) is null
  `.execute(tx)
  return rows.map(({ contactId }) => contactId)
}
