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
export async function eraseLines(db: Db, ref: Ref): Promise<void> {
  const { accountId, contactId } = ref
  const term = contactTerm(accountId, contactId)
  await db.transaction().execute(async (tx) => {
    await lockSearch(tx)
    const open = await readOpenBlocks(tx, accountId)
    await replace(tx, ref, { blocks: open.filter((block) => isOf(block, contactId)), areSealed: false })
  })
  for (let found = atOnce; found === atOnce; ) {
    found = await db.transaction().execute(async (tx) => {
      await lockSearch(tx)
      const blocks = await readSealedBlocks(tx, accountId, { term, limit: atOnce })
      return replace(tx, ref, { blocks, areSealed: true })
    })
  }
}

function isOf({ lines }: Block, contactId: ContactId): boolean {
  return lines.some((line) => line.contactId === contactId)
}

async function replace(
  tx: Tx,
  { accountId, contactId }: Ref,
  { blocks, areSealed }: { blocks: Block[]; areSealed: boolean },
): Promise<number> {
  const rest = blocks
    .map(({ lines }) => lines.filter((line) => line.contactId !== contactId))
    .filter((lines) => lines.length > 0)
  await deleteBlocks(tx, accountId, blocks)
  const anew = rest.map((lines) => (areSealed ? seal(accountId, lines) : { lines, terms: undefined }))
  await insertBlocks(tx, accountId, anew)
  return blocks.length
}

/** Blocks that are made anew in one transaction. */
const linesAtOnce = 20

/**
 * Removes the words of messages with an id before this one from the search: a step of it. Those that are added later, because
 * the search was behind, are removed the next time. False: there are no more.
 */
export async function removeLines(db: Db, accountId: AccountId, beforeId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockSearch(tx)
    const isKept = ({ messageId }: Line) => messageId >= beforeId
    const open = (await readOpenBlocks(tx, accountId)).filter(({ lines }) => !lines.every(isKept))
    const sealed = await readOldestBlocks(tx, accountId, { beforeId, limit: linesAtOnce })
    await deleteBlocks(tx, accountId, [...open, ...sealed])
    const rest = (blocks: Block[]) =>
      blocks.map(({ lines }) => lines.filter(isKept)).filter((lines) => lines.length > 0)
    await insertBlocks(tx, accountId, [
      ...rest(open).map((lines) => ({ lines, terms: undefined })),
      ...rest(sealed).map((lines) => seal(accountId, lines)),
    ])
    return sealed.length === linesAtOnce
  })
}
