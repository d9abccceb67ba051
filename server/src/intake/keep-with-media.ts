import type { IncomingMessage } from '@patchbay/contract/messages.ts'
import { given } from '@patchbay/contract/text.ts'
import { type GivenMedia, readGivenMedia } from '../media/read-given.ts'
import { attach, storeMedia } from '../media/store.ts'
import type { Db, Tx } from '../platform/db.ts'
import { insist } from '../platform/insist.ts'
import { type IncomingRow, type Kept, keepMessage } from './store.ts'

/**
 * Keeps a message that has a file, in a transaction of its own: the message with its whole file, or neither. Writing
 * megabytes must not hold up the messages of others, so it takes no part in the group commit.
 */
export async function keepWithMedia(
  db: Db,
  row: IncomingRow,
  { mediaUrl, mediaContentType }: IncomingMessage['customData'],
): Promise<Kept> {
  const media = await readGivenMedia(given(mediaUrl), given(mediaContentType))
  return insist(() =>
    db.transaction().execute(async (tx) => {
      const kept = await keepMessage(tx, row)
      if (kept?.isNew && media) await attachMedia(tx, row, media)
      return kept
    }),
  )
}

async function attachMedia(tx: Tx, { accountId, messageId }: IncomingRow, media: GivenMedia): Promise<void> {
  const { contentType } = media
  if (media.kind === 'remote') await attach(tx, { accountId, messageId, contentType, url: media.url })
  else await attach(tx, { accountId, messageId, contentType, mediaId: await storeMedia(tx, accountId, media) })
}
