import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { ChannelRef } from '../channels/store.ts'
import { lastWay } from '../messages/reply-route-store.ts'
import type { ConversationRef } from './conversation-store.ts'

/** Whose turn was skipped because the channel was paused; see `whyNot`. */
const skipped = 'channel_paused'

/** The newest of them: what is more waits for a person, as it has. */
const mostAtOnce = 1_000

/**
 * The channel goes on: the bot owes an answer to those who wrote meanwhile and wait, unless somebody has the conversation or has
 * answered. In the transaction that ends the pause.
 */
export async function oweAfterPause(tx: Tx, { accountId, id }: ChannelRef): Promise<void> {
  await sql`
    with waiting as materialized (
      select c.contact_id from conversations c
      where c.account_id = ${accountId} and c.waiting_since is not null and c.state = 'open' and c.handler = 'bot'
        and c.waiting_reason = ${skipped} and ${sql.raw(lastWay('c'))} = ${id}
      order by c.waiting_since desc
      limit ${mostAtOnce}
    ), locked as materialized (
      select c.contact_id, c.handed_back_seq from conversations c join waiting w on w.contact_id = c.contact_id
      where c.account_id = ${accountId} and c.handler = 'bot' and c.waiting_reason = ${skipped}
      order by c.contact_id
      for update of c
    ), owed as (
      insert into turns (account_id, contact_id, due_at, from_seq, last_seq)
      select m.account_id, m.contact_id, now(), min(m.seq), max(m.seq)
      from locked l join messages m on m.account_id = ${accountId} and m.contact_id = l.contact_id
      where m.direction = 'incoming' and m.kind = 'text' and m.seq > l.handed_back_seq and m.seq > (
        select coalesce(max(o.seq), 0) from messages o
        where o.account_id = ${accountId} and o.contact_id = l.contact_id and o.direction = 'outgoing'
      )
      group by m.account_id, m.contact_id
      order by m.contact_id
      on conflict (account_id, contact_id) do nothing
    )
    update conversations c set waiting_since = null, waiting_reason = null
    from locked l where c.account_id = ${accountId} and c.contact_id = l.contact_id
  `.execute(tx)
}

/**
 * Whether the channel of the contact's last message is paused, and stays so until the transaction ends: who ends the pause
 * afterwards finds what it has written.
 */
export async function staysPaused(tx: Db, { accountId, contactId }: ConversationRef): Promise<boolean> {
  const { rows } = await sql<{ isPaused: boolean }>`
    select n.paused_at is not null as is_paused
    from conversations c join channels n on n.account_id = c.account_id and n.id = ${sql.raw(lastWay('c'))}
    where c.account_id = ${accountId} and c.contact_id = ${contactId}
    for share of n
  `.execute(tx)
  return rows[0]?.isPaused === true
}
