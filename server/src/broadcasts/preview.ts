import type { BroadcastPreview } from '@patchbay/contract/app/broadcasts.ts'
import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'
import { countAudience, findTrouble, readFirstReaders } from './preview-store.ts'
import { bodyFor } from './record/body.ts'
import { type GivenBroadcast, readBroadcast } from './start.ts'

/** As many as show that names are filled in, and what becomes of the text without one. */
const shown = 3

/** What a broadcast would send at this moment; it checks all that starting it checks. */
export async function previewBroadcast(db: Db, accountId: AccountId, given: GivenBroadcast): Promise<BroadcastPreview> {
  const { listId, listName, body } = await db.transaction().execute((tx) => readBroadcast(tx, accountId, given))
  const [audience, readers, trouble] = await Promise.all([
    countAudience(db, accountId, listId),
    readFirstReaders(db, accountId, { listId, limit: shown }),
    findTrouble(db, accountId),
  ])
  const messages = readers.map((reader) => ({ ...reader, body: bodyFor(body, reader.firstName) }))
  return { listName, ...audience, messages, trouble }
}
