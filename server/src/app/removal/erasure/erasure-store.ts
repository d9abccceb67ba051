import { sql } from 'kysely'
import { sidHash } from '../../../journey/intake/store.ts'
import { alertWebhook } from '../../../outbox/receivers.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

const lease = sql`now() + interval '1 minute'`

/**
 * Deletes the contact, the conversation and the list memberships, and inserts a row that says that the rest must
 * follow. After the commit nothing can be added to it: a message needs the conversation, and the same sender is a new
 * contact.
 */
export async function beginErasure(tx: Tx, { accountId, contactId }: Ref): Promise<void> {
  await sql`
    insert into erasures (account_id, contact_id, leased_until) values (${accountId}, ${contactId}, ${lease})
  `.execute(tx)
  await sql`delete from contacts where account_id = ${accountId} and id = ${contactId}`.execute(tx)
  await sql`
    update contact_channels set signed_in_as = ${erased} where account_id = ${accountId} and signed_in_as = ${contactId}
  `.execute(tx)
}

/** What a browser's chat was is shown to the one customer who signed in there first: to nobody, when nothing is left of them. */
const erased = 'erased'

/** What providers sent and nobody could read, where it names the contact by an address. Before these are gone with the contact. */
export async function deleteEventsNaming(tx: Tx, { accountId, contactId }: Ref): Promise<void> {
  await sql`
    delete from provider_events e
    using contact_addresses d
    where d.account_id = ${accountId} and d.contact_id = ${contactId}
      and e.account_id = d.account_id and e.channel_id = d.channel_id and strpos(e.body, d.address) > 0
  `.execute(tx)
}

/**
 * What providers sent that names one of these messages: what could not be read, and what they say of ours and waits to be tried again.
 * Before the messages and their parts are gone, by which they are known. Few are kept of a channel, and no longer than 14 days.
 */
export async function deleteEventsOfMessages(db: Db, accountId: AccountId, ids: string[]): Promise<void> {
  await sql`
    with named as materialized (
      select channel_id, provider_id from delivery_parts
      where account_id = ${accountId} and delivery_id = any (${ids}) and provider_id is not null
      union
      select split_part(message_sid, ':', 1), substr(message_sid, strpos(message_sid, ':') + 1) from messages
      where account_id = ${accountId} and id = any (${ids}) and message_sid like 'chn\_%:_%'
    )
    delete from provider_events e using named k
    where e.account_id = ${accountId} and e.channel_id = k.channel_id
      and (e.provider_id = k.provider_id or strpos(e.body, k.provider_id) > 0)
  `.execute(db)
}

/** Takes the lease of an erasure that was begun. False: there is nothing left to erase. */
export async function leaseErasure(db: Db, { accountId, contactId }: Ref): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update erasures set leased_until = ${lease} where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(db)
  return numAffectedRows > 0n
}

/** Leases one erasure whose lease has run out, of an account of which none is under way: each may have very many messages. */
export async function claimErasure(db: Db): Promise<Ref[]> {
  const { rows } = await sql<Ref>`
    update erasures set leased_until = ${lease}
    where ctid = any (array(
      select ctid from erasures e where leased_until < now() and not exists (
        select from erasures o where o.account_id = e.account_id and o.leased_until >= now()
      )
      order by leased_until limit 1 for update skip locked
    ))
    returning account_id, contact_id
  `.execute(db)
  return rows
}

/** A label that no conversation has any more may be a word of the erased contact. If it is used again, it gets a colour anew. */
export async function deleteUnusedChannels(db: Db, accountId: AccountId): Promise<void> {
  await sql`
    delete from channel_labels h where h.account_id = ${accountId} and not exists (
      select from conversations c where c.account_id = ${accountId} and coalesce(c.channel, 'custom') = h.label
    )
  `.execute(db)
}

/** Everything is erased; returns the number of messages. */
export async function endErasure(db: Db, { accountId, contactId }: Ref): Promise<number> {
  const { rows } = await sql<{ messages: number }>`
    delete from erasures where account_id = ${accountId} and contact_id = ${contactId} returning messages
  `.execute(db)
  return rows[0]?.messages ?? 0
}

/** Stored answers of POST /contacts that contain the contact: a retry with the same key is a new request. */
export async function deleteKeys(db: Db, { accountId, contactId }: Ref): Promise<void> {
  await sql`delete from idempotency_keys where account_id = ${accountId} and contact_id = ${contactId}`.execute(db)
}

/**
 * Alerts that name the contact, and that they were told. Their ids begin with `evt_`, and there are as many as an account is
 * told in the time that it keeps them: at most one a minute.
 */
export async function findAlertsOf(db: Db, { accountId, contactId }: Ref): Promise<string[]> {
  await sql`
    delete from alert_states
    where account_id = ${accountId} and condition = 'conversation' and subject = ${contactId}
  `.execute(db)
  const { rows } = await sql<{ id: string }>`
    select id from deliveries
    where account_id = ${accountId} and id >= 'evt_' and id < 'evt~' and receiver_id = ${sql.lit(alertWebhook)}
      and strpos(payload, ${contactId}) > 0
  `.execute(db)
  return rows.map(({ id }) => id)
}

export type MessageBatch = { ids: string[]; lastSeq: string }

/** The oldest messages after `afterSeq`, so that the scan skips the rows that were deleted a moment ago. */
export async function readOldestMessages(
  db: Db,
  { accountId, contactId }: Ref,
  { afterSeq, limit }: { afterSeq: string; limit: number },
): Promise<MessageBatch> {
  const { rows } = await sql<{ id: string; seq: string }>`
    select id, seq from messages
    where account_id = ${accountId} and contact_id = ${contactId} and seq > ${afterSeq}
    order by seq limit ${limit}
  `.execute(db)
  return { ids: rows.map(({ id }) => id), lastSeq: rows.at(-1)?.seq ?? afterSeq }
}

/**
 * Deletes deliveries except those that are locked, and returns how many of these are left. It does not wait for them:
 * their writer may be about to write to others that we have deleted, and would wait for us.
 */
export async function deleteDeliveries(db: Db, accountId: AccountId, ids: string[]): Promise<number> {
  await sql`
    delete from deliveries where account_id = ${accountId} and id = any (array(
      select id from deliveries where account_id = ${accountId} and id = any (${ids}) for update skip locked
    ))
  `.execute(db)
  const { rows } = await sql`
    select from deliveries where account_id = ${accountId} and id = any (${ids})
  `.execute(db)
  return rows.length
}

/** Runs after the deliveries: whoever wrote to one of them has added an attempt to the log. */
export async function deleteAttempts(db: Db, accountId: AccountId, ids: string[]): Promise<void> {
  await sql`delete from delivery_parts where account_id = ${accountId} and delivery_id = any (${ids})`.execute(db)
  await sql`delete from delivery_attempts where account_id = ${accountId} and delivery_id = any (${ids})`.execute(db)
}

/** Files that were attached to a reply to the contact and never sent. Nobody can attach another one: their row is gone. */
export async function deleteOutgoingFiles(tx: Tx, { accountId, contactId }: Ref): Promise<string[]> {
  const { rows } = await sql<{ mediaId: string }>`
    delete from outgoing_files where account_id = ${accountId} and contact_id = ${contactId} returning media_id
  `.execute(tx)
  return [...new Set(rows.map(({ mediaId }) => mediaId))].sort()
}

/** Returns the files of the messages, sorted; other messages may use some of them too. */
export async function deleteAttachments(tx: Tx, accountId: AccountId, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ mediaId: string | null }>`
    delete from attachments where account_id = ${accountId} and message_id = any (${ids}) returning media_id
  `.execute(tx)
  return [...new Set(rows.flatMap(({ mediaId }) => mediaId ?? []))].sort()
}

export async function deleteAnswers(
  db: Db,
  { accountId, contactId }: Ref,
  { afterSeq, lastSeq }: { afterSeq: string; lastSeq: string },
): Promise<void> {
  await sql`
    delete from answers where account_id = ${accountId} and contact_id = ${contactId} and from_seq > ${afterSeq} and from_seq <= ${lastSeq}
  `.execute(db)
}

/**
 * Runs last, because the messages are the list of what else to delete. Counts them and renews the lease. Of what came over a channel
 * whose provider is asked for what may be missing, it is noted that it was here: else it would come back with the next answer.
 */
export async function deleteMessages(db: Db, { accountId, contactId }: Ref, ids: string[]): Promise<void> {
  await sql`
    with gone as (
      delete from messages where account_id = ${accountId} and id = any (${ids}) returning id, message_sid, channel
    ), noted as (
      insert into removed_sids (account_id, sid_hash, message_id)
      select ${accountId}, ${sql.raw(sidHash('g.message_sid'))}, g.id
      from gone g join channel_polls p on p.account_id = ${accountId} and p.channel_id = g.channel
      join channels n on n.account_id = p.account_id and n.id = p.channel_id and n.hook_url is not null
      where g.message_sid is not null
      order by 2
      on conflict (account_id, sid_hash) do nothing
    )
    update erasures set messages = messages + (select count(*) from gone), leased_until = ${lease}
    where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(db)
}
