import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'
import {
  type Block,
  deleteBlocks,
  insertBlocks,
  type Line,
  readOldestBlocks,
  readOpenBlocks,
  readSealedBlocks,
} from './blocks/block-store.ts'
import { seal } from './blocks/keep-lines.ts'
import { lockSearch } from './due-store.ts'
import { contactTerm } from './text/terms.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

/** Blocks that are made anew in one transaction. */
const atOnce = 20

/**
 * Removes the words of a deleted contact from the search, in small steps. None are added afterwards: they are
 * read under the same lock, and the conversation is gone. Open blocks come first: they may be sealed in between, and never the other way round.
 */
export async function eraseLines(db: Db, { accountId, contactId }: Ref): Promise<void> {
  const term = contactTerm(accountId, contactId)
  const isKept = (line: Line) => line.contactId !== contactId
  await db.transaction().execute(async (tx) => {
    await lockSearch(tx)
    await replace(tx, accountId, { open: await readOpenToReplace(tx, accountId, isKept), sealed: [], isKept })
  })
  for (let found = atOnce; found === atOnce; ) {
    found = await db.transaction().execute(async (tx) => {
      await lockSearch(tx)
      const sealed = await readSealedBlocks(tx, accountId, { term, limit: atOnce })
      await replace(tx, accountId, { open: [], sealed, isKept })
      return sealed.length
    })
  }
}

/**
 * Removes the words of messages with an id before this one from the search: a step of it. Those that are added later, because
 * the search was behind, are removed the next time. False: there are no more.
 */
export async function removeLines(db: Db, accountId: AccountId, beforeId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockSearch(tx)
    const isKept = ({ messageId }: Line) => messageId >= beforeId
    const open = await readOpenToReplace(tx, accountId, isKept)
    const sealed = await readOldestBlocks(tx, accountId, { beforeId, limit: atOnce })
    await replace(tx, accountId, { open, sealed, isKept })
    return sealed.length === atOnce
  })
}

/** Open blocks with a line that is not kept. */
async function readOpenToReplace(tx: Tx, accountId: AccountId, isKept: (line: Line) => boolean): Promise<Block[]> {
  return (await readOpenBlocks(tx, accountId)).filter(({ lines }) => !lines.every(isKept))
}

type Replaced = { open: Block[]; sealed: Block[]; isKept: (line: Line) => boolean }

/** Makes these blocks anew, with the lines that are kept. */
async function replace(tx: Tx, accountId: AccountId, { open, sealed, isKept }: Replaced): Promise<void> {
  const rest = (blocks: Block[]) => blocks.map(({ lines }) => lines.filter(isKept)).filter((lines) => lines.length > 0)
  await deleteBlocks(tx, accountId, [...open, ...sealed])
  await insertBlocks(tx, accountId, [
    ...rest(open).map((lines) => ({ lines, terms: undefined })),
    ...rest(sealed).map((lines) => seal(accountId, lines)),
  ])
}
