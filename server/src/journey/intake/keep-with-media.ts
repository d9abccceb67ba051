import type { Db, Tx } from '../../platform/database/db.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { retryConflicts, retryOnLostConnection } from '../../platform/database/retry.ts'
import { type GivenMedia, readGivenMedia } from '../media/read-given.ts'
import { attach, storeMedia } from '../media/store.ts'
import type { Incoming } from './incoming.ts'
import { findKept, type IncomingRow, type KeepResult, keepMessage, waitAfterFile } from './store.ts'

/**
 * Stores a message that has a file, in a transaction of its own: the message with its whole file, or neither. Writing
 * megabytes must not delay other messages, so it takes no part in the group commit, and the file is written before the
 * message takes its sequence number, which locks the conversation for other messages.
 */
export async function keepWithMedia(
  { db, share }: { db: Db; share: FairShare },
  row: IncomingRow,
  { url, contentType }: NonNullable<Incoming['file']>,
): Promise<KeepResult> {
  const media = await readGivenMedia(url, contentType)
  async function keep(): Promise<KeepResult | undefined> {
    const first = await findKept(db, row)
    if (first || !media) return first
    try {
      return await db.transaction().execute((tx) => keepBoth(tx, row, media))
    } catch (error) {
      if (error instanceof Copy) return undefined // the retry finds the first
      throw error
    }
  }
  // If the connection broke after the commit, the retry finds the message.
  return share(row.accountId, () => retryOnLostConnection(() => retryConflicts(keep)))
}

/** Thrown to undo what was written for a message that turned out to be a copy of another. */
class Copy extends Error {}

async function keepBoth(tx: Tx, row: IncomingRow, media: GivenMedia): Promise<KeepResult> {
  const { accountId, messageId } = row
  const { contentType } = media
  const file = media.kind === 'inline' ? { mediaId: await storeMedia(tx, accountId, media) } : { url: media.url }
  const kept = await keepMessage(tx, row)
  if (kept?.contactId === undefined) throw new Copy()
  await waitAfterFile(tx, row)
  await attach(tx, { accountId, messageId, contentType, ...file })
  return kept
}
