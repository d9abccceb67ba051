import type { BroadcastPreview, Reach } from '@patchbay/contract/app/broadcasts.ts'
import { noList } from '../../people/lists/add-contact.ts'
import { hasList } from '../../people/lists/store.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { countAudience, countReach, findTrouble, readFirstReaders } from './preview-store.ts'
import { bodyFor } from './record/body.ts'
import { type GivenBroadcast, readBroadcast } from './start.ts'

/** So many readers show that names are filled in, and what becomes of the text without one. */
const shown = 3

/** What a broadcast would send at this moment; it checks all that starting it checks. */
export async function previewBroadcast(db: Db, accountId: AccountId, given: GivenBroadcast): Promise<BroadcastPreview> {
  const { listId, listName, body, idFrom } = await db.transaction().execute((tx) => readBroadcast(tx, accountId, given))
  const list = { accountId, listId }
  const [audience, readers, trouble] = await Promise.all([
    countAudience(db, list, idFrom),
    readFirstReaders(db, list, { idFrom, limit: shown }),
    findTrouble(db, accountId),
  ])
  const [example] = idFrom === null ? [] : await readFirstReaders(db, list, { idFrom, onlyWithoutId: true, limit: 1 })
  const messages = readers.map(({ hasId: _, ...reader }) => ({ ...reader, body: bodyFor(body, reader.firstName) }))
  return { listName, ...audience, messages, example: example?.externalId ?? null, trouble }
}

/** How many of a list can be written to, and how. */
export async function showReach(db: Db, accountId: AccountId, listId: string): Promise<Reach> {
  if (!isId('lst', listId) || !(await hasList(db, { accountId, listId }))) throw noList()
  return countReach(db, { accountId, listId })
}
