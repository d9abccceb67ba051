import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, MessageId } from '../../platform/ids.ts'

const chunkBytes = 256 * 1024

/**
 * Stores a file once per content and account, and returns its id, which is the SHA-256 of the bytes. The first content
 * type wins. When two transactions store one content, the insert of the second waits for the first to end: it then
 * finds the whole file, or stores it itself.
 */
export async function storeMedia(
  tx: Tx,
  accountId: AccountId,
  { contentType, bytes }: { contentType: string; bytes: Buffer },
): Promise<string> {
  const id = hash('sha256', bytes)
  for (;;) {
    const added = await tx
      .insertInto('media')
      .values({ accountId, id, contentType, sizeBytes: bytes.length })
      .onConflict((c) => c.columns(['accountId', 'id']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (added) {
      await insertChunks(tx, accountId, { id, bytes })
      return id
    }
    if (await lockMedia(tx, accountId, id)) return id
    // It was erased between the two statements: store it again.
  }
}

async function insertChunks(tx: Tx, accountId: AccountId, media: { id: string; bytes: Buffer }): Promise<void> {
  // One at a time: a statement copies what it sends, and other requests run in between.
  for (let n = 0; n * chunkBytes < media.bytes.length; n += 1) {
    const bytes = media.bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes)
    await tx.insertInto('mediaChunks').values({ accountId, mediaId: media.id, n, bytes }).execute()
  }
}

/** Locks a stored file until the transaction ends, so that it cannot be erased before it is attached. */
async function lockMedia(tx: Tx, accountId: AccountId, id: string): Promise<boolean> {
  const found = await tx
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return found !== undefined
}

export type NewAttachment = { accountId: AccountId; messageId: MessageId; contentType: string } & (
  | { mediaId: string; fileName?: string }
  | { url: string }
)

/** Attaches a file to a message: one that is stored, or one that is still to be fetched. */
export async function attach(tx: Tx, attachment: NewAttachment): Promise<void> {
  const { accountId, messageId, contentType } = attachment
  const file =
    'mediaId' in attachment
      ? { state: 'stored' as const, mediaId: attachment.mediaId, fileName: attachment.fileName ?? null }
      : { state: 'not fetched yet' as const, url: attachment.url, dueAt: sql<Date>`now()` }
  await tx
    .insertInto('attachments')
    .values({ accountId, messageId, contentType, ...file })
    .execute()
}

/** The file of a message, if it has one; without `mediaId` it is not stored, and `state` says why. */
export async function findAttachment(
  db: Db,
  accountId: AccountId,
  messageId: MessageId,
): Promise<{ mediaId: string | null; contentType: string; fileName: string | null; state: string } | undefined> {
  return db
    .selectFrom('attachments')
    .select(['mediaId', 'contentType', 'fileName', 'state'])
    .where('accountId', '=', accountId)
    .where('messageId', '=', messageId)
    .executeTakeFirst()
}

export async function findMedia(
  db: Db,
  accountId: AccountId,
  mediaId: string,
): Promise<{ contentType: string; sizeBytes: number } | undefined> {
  return db
    .selectFrom('media')
    .select(['contentType', 'sizeBytes'])
    .where('accountId', '=', accountId)
    .where('id', '=', mediaId)
    .executeTakeFirst()
}

/** The first and the last byte. */
export type ByteRange = { from: number; to: number }

/** Which of the chunks of a file have these bytes, and which bytes of each. */
export function chunksOf({ from, to }: ByteRange): ({ n: number } & ByteRange)[] {
  const first = Math.floor(from / chunkBytes)
  return Array.from({ length: Math.floor(to / chunkBytes) - first + 1 }, (_, index) => {
    const start = (first + index) * chunkBytes
    return { n: first + index, from: Math.max(0, from - start), to: Math.min(chunkBytes - 1, to - start) }
  })
}

/** Throws when it was erased meanwhile, so that nobody takes half a file for all of it. */
export async function readChunk(
  db: Db,
  accountId: AccountId,
  { mediaId, n }: { mediaId: string; n: number },
): Promise<Buffer> {
  const { bytes } = await db
    .selectFrom('mediaChunks')
    .select('bytes')
    .where('accountId', '=', accountId)
    .where('mediaId', '=', mediaId)
    .where('n', '=', n)
    .executeTakeFirstOrThrow()
  return bytes
}

/**
 * Reads a stored file chunk by chunk, each on demand, so that a slow reader holds neither the file in memory nor a
 * connection. Throws when there is no such file, or when it is erased meanwhile: it never ends as half a file.
 */
export async function* readMedia(db: Db, accountId: AccountId, mediaId: string): AsyncGenerator<Buffer> {
  const media = await findMedia(db, accountId, mediaId)
  if (!media) throw new Error(`there is no media ${mediaId}`)
  for (const { n } of chunksOf({ from: 0, to: media.sizeBytes - 1 }))
    yield await readChunk(db, accountId, { mediaId, n })
}
