import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import {
  type Block,
  deleteBlocks,
  insertBlocks,
  type Line,
  readOldestBlocks,
  readOpenBlocks,
} from './blocks/block-store.ts'
import { seal } from './blocks/keep-lines.ts'
import { lockSearch } from './due-store.ts'

/** Blocks that are made anew in one transaction. */
const atOnce = 20

/**
 * Removes the words of messages with an id before this one from the search: a step of it. Those that are added later, because
 * the search was behind, are removed the next time. False: there are no more.
 */
export async function removeLines(db: Db, accountId: AccountId, beforeId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockSearch(tx)
    const isKept = ({ messageId }: Line) => messageId >= beforeId
    const open = (await readOpenBlocks(tx, accountId)).filter(({ lines }) => !lines.every(isKept))
    const sealed = await readOldestBlocks(tx, accountId, { beforeId, limit: atOnce })
    await deleteBlocks(tx, accountId, [...open, ...sealed])
    const rest = (blocks: Block[]) =>
      blocks.map(({ lines }) => lines.filter(isKept)).filter((lines) => lines.length > 0)
    await insertBlocks(tx, accountId, [
      ...rest(open).map((lines) => ({ lines, terms: undefined })),
      ...rest(sealed).map((lines) => seal(accountId, lines)),
    ])
    return sealed.length === atOnce
  })
}
