import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId, OutgoingFileId, UserId } from '../../../platform/ids.ts'
import { deleteUnusedMedia, filesAtOnce } from '../unused-store.ts'

export type OutgoingFileRef = { accountId: AccountId; contactId: ContactId; id: OutgoingFileId }

/** A file that was attached to a reply and not sent yet. */
export type OutgoingFile = { mediaId: string; contentType: string; fileName: string; sizeBytes: number }

/** Who attached it: somebody of the team, or the contact, to a message of their own. Neither can take the other's. */
export type By = { by: 'team'; userId: UserId | undefined } | { by: 'contact' }

type NewFile = OutgoingFileRef & Omit<OutgoingFile, 'sizeBytes'> & By

/** How long somebody may take to send it. */
const goodFor = '1 hour'

/** `unsent`: how many files of the account wait to be sent. */
type WhoGetsFiles = { isOnChannels: boolean; hasPhone: boolean; unsent: number }

/** Whether the contact is there, and known on a built-in channel, or by a phone number. */
export async function findWhoGetsFiles(
  db: Db,
  { accountId, contactId }: Omit<OutgoingFileRef, 'id'>,
): Promise<WhoGetsFiles | undefined> {
  const { rows } = await sql<WhoGetsFiles>`
    select exists (
      select from contact_channels k join channels n on n.account_id = k.account_id and n.id = k.channel_id
      where k.account_id = ${accountId} and k.contact_id = ${contactId} and n.state <> 'removed'
    ) as is_on_channels, p.phone is not null and not p.is_simulated as has_phone, (
      select count(*)::integer from outgoing_files o where o.account_id = ${accountId} and not o.by_contact
    ) as unsent
    from contacts p where p.account_id = ${accountId} and p.id = ${contactId}
  `.execute(db)
  return rows[0]
}

/** False: the contact was erased meanwhile. Until the transaction ends it cannot be. */
export async function insertOutgoingFile(tx: Tx, file: NewFile): Promise<boolean> {
  const { accountId, contactId, id, mediaId, contentType, fileName } = file
  const userId = file.by === 'team' ? (file.userId ?? null) : null
  const { numAffectedRows = 0n } = await sql`
    insert into outgoing_files (account_id, contact_id, id, user_id, media_id, content_type, file_name, by_contact)
    select p.account_id, p.id, ${id}, ${userId}, ${mediaId}, ${contentType}, ${fileName}, ${file.by === 'contact'}
    from contacts p where p.account_id = ${accountId} and p.id = ${contactId}
    for key share
  `.execute(tx)
  return numAffectedRows > 0n
}

/** Takes it, to be sent in the same transaction: one file goes with one reply. Undefined: it is not there, or no longer. */
export async function takeOutgoingFile(
  tx: Tx,
  { accountId, contactId, id }: OutgoingFileRef,
  by: By['by'],
): Promise<OutgoingFile | undefined> {
  const { rows } = await sql<OutgoingFile>`
    delete from outgoing_files o
    using media b
    where o.account_id = ${accountId} and o.contact_id = ${contactId} and o.id = ${id} and o.by_contact = ${by === 'contact'}
      and o.created_at > now() - ${goodFor}::interval and b.account_id = o.account_id and b.id = o.media_id
    returning o.media_id, o.content_type, o.file_name, b.size_bytes
  `.execute(tx)
  return rows[0]
}

/** Deletes it and its bytes, unless a message has them. False: it was not there. */
export async function dropOutgoingFile(tx: Tx, { accountId, contactId, id }: OutgoingFileRef): Promise<boolean> {
  const { rows } = await sql<{ mediaId: string }>`
    delete from outgoing_files
    where account_id = ${accountId} and contact_id = ${contactId} and id = ${id} and not by_contact
    returning media_id
  `.execute(tx)
  await deleteUnusedMedia(
    tx,
    accountId,
    rows.map(({ mediaId }) => mediaId),
  )
  return rows.length > 0
}

/** Deletes what nobody has sent in time, in small transactions: each file is megabytes. */
export async function pruneOutgoingFiles(db: Db): Promise<number> {
  let deleted = 0
  for (;;) {
    const some = await db.transaction().execute(deleteSomeOver)
    deleted += some
    if (some < filesAtOnce) return deleted
  }
}

async function deleteSomeOver(tx: Tx): Promise<number> {
  const { rows } = await sql<{ accountId: AccountId; mediaId: string }>`
    delete from outgoing_files where ctid = any (array(
      select ctid from outgoing_files where created_at < now() - ${goodFor}::interval
      order by created_at limit ${filesAtOnce} for update skip locked
    ))
    returning account_id, media_id
  `.execute(tx)
  for (const accountId of [...new Set(rows.map((row) => row.accountId))].sort()) {
    const mediaIds = rows.filter((row) => row.accountId === accountId).map(({ mediaId }) => mediaId)
    await deleteUnusedMedia(tx, accountId, [...new Set(mediaIds)].sort())
  }
  return rows.length
}
