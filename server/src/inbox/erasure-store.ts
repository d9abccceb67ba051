import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/db.ts'
import type { AccountId, ContactId } from '../platform/ids.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

const lease = sql`now() + interval '1 minute'`

/**
 * Deletes the contact, the conversation and their places on lists, and writes down that the rest must follow. From the
 * commit on nothing can be added to it: a message needs the conversation, and the same person is somebody new.
 */
export async function beginErasure(tx: Tx, { accountId, contactId }: Ref): Promise<void> {
  await sql`
    insert into erasures (account_id, contact_id, leased_until) values (${accountId}, ${contactId}, ${lease})
  `.execute(tx)
  await sql`delete from contacts where account_id = ${accountId} and id = ${contactId}`.execute(tx)
}

/** Says that somebody is at it. False: there is nothing to erase any more. */
export async function holdErasure(db: Db, { accountId, contactId }: Ref): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update erasures set leased_until = ${lease} where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(db)
  return numAffectedRows > 0n
}

/** Leases one that nobody is at. */
export async function claimErasure(db: Db): Promise<Ref[]> {
  const { rows } = await sql<Ref>`
    update erasures set leased_until = ${lease}
    where ctid in (
      select ctid from erasures where leased_until < now() order by leased_until limit 1 for update skip locked
    )
    returning account_id, contact_id
  `.execute(db)
  return rows
}

/** All is erased; tells how many messages there were. */
export async function endErasure(db: Db, { accountId, contactId }: Ref): Promise<number> {
  const { rows } = await sql<{ messages: number }>`
    delete from erasures where account_id = ${accountId} and contact_id = ${contactId} returning messages
  `.execute(db)
  return rows[0]?.messages ?? 0
}

/** Answers of POST /contacts that have the contact in them: who asks again with the key asks anew. */
export async function deleteKeys(db: Db, { accountId, contactId }: Ref): Promise<void> {
  await sql`delete from idempotency_keys where account_id = ${accountId} and contact_id = ${contactId}`.execute(db)
}

export type Said = { ids: string[]; lastSeq: string }

/** The oldest messages after `afterSeq`: what was deleted a moment ago is passed over by number, not looked at again. */
export async function readOldest(
  db: Db,
  { accountId, contactId }: Ref,
  { afterSeq, limit }: { afterSeq: string; limit: number },
): Promise<Said> {
  const { rows } = await sql<{ id: string; seq: string }>`
    select id, seq from messages
    where account_id = ${accountId} and contact_id = ${contactId} and seq > ${afterSeq}
    order by seq limit ${limit}
  `.execute(db)
  return { ids: rows.map(({ id }) => id), lastSeq: rows.at(-1)?.seq ?? afterSeq }
}

/**
 * Deletes deliveries, but for those that somebody is writing to at the moment; tells how many of these there are. They are
 * not waited for here: who writes to them may write to others that we have deleted, and would wait for us.
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

/** After the deliveries: who wrote to one of them has put an attempt into the log. */
export async function deleteAttempts(db: Db, accountId: AccountId, ids: string[]): Promise<void> {
  await sql`delete from delivery_attempts where account_id = ${accountId} and delivery_id = any (${ids})`.execute(db)
}

/** The files that the messages had, in order; some of them may be others' too. */
export async function deleteAttachments(tx: Tx, accountId: AccountId, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ mediaId: string | null }>`
    delete from attachments where account_id = ${accountId} and message_id = any (${ids}) returning media_id
  `.execute(tx)
  return [...new Set(rows.flatMap(({ mediaId }) => mediaId ?? []))].sort()
}

/**
 * Deletes those files that no message has any more. They are locked first: whoever attaches one at the moment is waited
 * for, and then seen by the second statement.
 */
export async function deleteUnused(tx: Tx, accountId: AccountId, mediaIds: string[]): Promise<void> {
  await sql`
    select id from media where account_id = ${accountId} and id = any (${mediaIds}) order by id for update
  `.execute(tx)
  await sql`
    delete from media m
    where m.account_id = ${accountId} and m.id = any (${mediaIds})
      and (select true from attachments a where a.account_id = m.account_id and a.media_id = m.id limit 1) is null
  `.execute(tx)
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

/** Last, because they say what else there is to delete; and counts them. */
export async function deleteMessages(db: Db, { accountId, contactId }: Ref, ids: string[]): Promise<void> {
  await sql`
    with gone as (
      delete from messages where account_id = ${accountId} and id = any (${ids}) returning id
    )
    update erasures set messages = messages + (select count(*) from gone), leased_until = ${lease}
    where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(db)
}
