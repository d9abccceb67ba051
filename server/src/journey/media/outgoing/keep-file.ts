import { limits } from '@patchbay/contract/limits.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { retryConflicts } from '../../../platform/database/retry.ts'
import { type AccountId, type ContactId, isId, newId, type OutgoingFileId, type UserId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { hasOneThatWritesFirst } from '../../channels/writes-first.ts'
import { fittingType } from '../check-content.ts'
import { isPicture } from '../content-type.ts'
import { storeMedia } from '../store.ts'
import {
  type By,
  dropOutgoingFile,
  findWhoGetsFiles,
  insertOutgoingFile,
  type OutgoingFile,
  takeOutgoingFile,
} from './outgoing-store.ts'

/** A file as somebody gives it. */
export type GivenFile = {
  bytes: Buffer
  /** As its sender's program has guessed it. */
  contentType?: string | undefined
  fileName: string
}

type Ref = { accountId: AccountId; contactId: ContactId; userId: UserId | undefined }

export type KeptFile = {
  id: OutgoingFileId
  fileName: string
  contentType: string
  sizeBytes: number
  isPicture: boolean
}

/**
 * Keeps a file that is to be sent to a contact, for an hour: the bytes as those of a file that came, after the same look at what they
 * are. Two of the same content are kept once.
 */
export async function keepOutgoingFile(
  db: Db,
  { accountId, contactId, userId }: Ref,
  given: GivenFile,
): Promise<KeptFile> {
  const { bytes } = given
  const fileName = nameOf(given.fileName)
  checkSize(bytes)
  const contentType = await fittingType(bytes, given.contentType)
  const who = await findWhoGetsFiles(db, { accountId, contactId })
  if (!who) throw unknown(contactId)
  if (!who.isOnChannels && !(who.hasPhone && (await hasOneThatWritesFirst(db, accountId)))) {
    throw new Refusal(
      'CONFLICT',
      'Files are sent over built-in channels, and this contact is known on none that is connected.',
    )
  }
  if (who.unsent >= limits.unsentFiles) {
    throw new Refusal(
      'CONFLICT',
      `At most ${limits.unsentFiles} files of an account may wait to be sent; send or remove one.`,
    )
  }
  const id = await store(db, { accountId, contactId, by: 'team', userId }, { bytes, contentType, fileName })
  return { id, fileName, contentType, sizeBytes: bytes.length, isPicture: isPicture(contentType) }
}

/** Keeps a contact's own file for an hour, until a message of theirs takes it along. Of a type that the caller has found out. */
export async function keepVisitorsFile(
  db: Db,
  { accountId, contactId }: Omit<Ref, 'userId'>,
  { bytes, contentType, fileName }: GivenFile & { contentType: string },
): Promise<OutgoingFileId> {
  return store(db, { accountId, contactId, by: 'contact' }, { bytes, contentType, fileName: nameOf(fileName) })
}

/** Takes a contact's own file, for the message that this transaction keeps. */
export async function takeVisitorsFile(
  tx: Tx,
  { accountId, contactId }: Omit<Ref, 'userId'>,
  fileId: string,
): Promise<OutgoingFile> {
  const file = isId('fil', fileId) && (await takeOutgoingFile(tx, { accountId, contactId, id: fileId }, 'contact'))
  return file || refuseUnknown(fileId)
}

async function store(
  db: Db,
  { accountId, contactId, ...by }: Omit<Ref, 'userId'> & By,
  { bytes, contentType, fileName }: GivenFile & { contentType: string },
): Promise<OutgoingFileId> {
  const id = newId('fil')
  await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      const mediaId = await storeMedia(tx, accountId, { contentType, bytes })
      const row = { accountId, contactId, id, mediaId, contentType, fileName, ...by }
      if (!(await insertOutgoingFile(tx, row))) throw unknown(contactId) // and nothing of it is stored
      return true
    }),
  )
  return id
}

/** Takes an attached file away that was not sent. */
export async function dropFile(db: Db, { accountId, contactId }: Omit<Ref, 'userId'>, fileId: string): Promise<void> {
  const isThere =
    isId('fil', fileId) &&
    (await db.transaction().execute((tx) => dropOutgoingFile(tx, { accountId, contactId, id: fileId })))
  if (!isThere) refuseUnknown(fileId)
}

/** Takes an attached file, to be sent with the reply that this transaction makes. */
export async function takeFile(
  tx: Tx,
  { accountId, contactId }: Omit<Ref, 'userId'>,
  fileId: string,
): Promise<OutgoingFile> {
  const file = isId('fil', fileId) && (await takeOutgoingFile(tx, { accountId, contactId, id: fileId }, 'team'))
  return file || refuseUnknown(fileId)
}

function refuseUnknown(id: string): never {
  throw new Refusal(
    'NOT_FOUND',
    `There is no attached file ${id}: it was sent, taken away, or older than an hour. Attach it again.`,
  )
}

function unknown(contactId: string): Refusal {
  return new Refusal('CONTACT_NOT_FOUND', `There is no contact ${contactId}.`)
}

function checkSize(bytes: Buffer): void {
  if (bytes.length === 0) throw new Refusal('INVALID_REQUEST', 'The file is empty.')
  if (bytes.length > limits.mediaBytes) {
    throw new Refusal('PAYLOAD_TOO_LARGE', `A file may have at most ${limits.mediaBytes / 1_048_576} MiB.`)
  }
}

/** Without folders and without what is no text: it is shown here, and on the phone of whoever gets it. */
function nameOf(given: string): string {
  const base = given.split(/[\\/]/).at(-1) ?? ''
  const plain = base.replace(/[\p{Cc}\p{Cf}]/gu, '').trim()
  return plain === '' ? 'file' : plain
}
