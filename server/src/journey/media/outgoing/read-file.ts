import type { Db } from '../../../platform/database/db.ts'
import { type AccountId, isId } from '../../../platform/ids.ts'
import type { OutFile } from '../../channels/kinds/kind.ts'
import { findAttachment, readMedia } from '../store.ts'

/** The file of a message that is about to leave, whole; undefined: it was removed. */
export async function readOutFile(
  db: Db,
  { accountId, id }: { accountId: AccountId; id: string },
): Promise<OutFile | undefined> {
  const attached = isId('msg', id) ? await findAttachment(db, accountId, id) : undefined
  if (!attached?.mediaId) return undefined
  const { mediaId, contentType, fileName } = attached
  const chunks: Buffer[] = []
  for await (const chunk of readMedia(db, accountId, mediaId)) chunks.push(chunk)
  return { contentType, fileName: fileName ?? 'file', bytes: Buffer.concat(chunks) }
}

/** Whether the file of a message that is about to leave is still there. */
export async function hasOutFile(db: Db, { accountId, id }: { accountId: AccountId; id: string }): Promise<boolean> {
  const attached = isId('msg', id) ? await findAttachment(db, accountId, id) : undefined
  return attached?.mediaId != null
}
