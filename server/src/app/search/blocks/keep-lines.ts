import { setImmediate } from 'node:timers/promises'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { contactTerm, termsOf } from '../text/terms.ts'
import { wordsOf } from '../text/words.ts'
import { deleteBlocks, insertBlocks, type Line, type NewBlock, readOpenBlocks } from './block-store.ts'

/**
 * Messages of a sealed block. In larger ones two words that a search wants together are more often in different messages;
 * of smaller ones more must be sorted when a word is in most of them.
 */
const blockLines = 32

/** A block is full with so much text, too: it is read as a whole. */
const blockCharacters = 16_384

/** A search reads all open blocks of the account. */
const mostOpen = 16

/** Adds lines to the search, under its lock. Blocks that are full are sealed: from then on the index leads to them. */
export async function keepLines(tx: Tx, accountId: AccountId, lines: Line[]): Promise<void> {
  if (lines.length === 0) return
  const open = await readOpenBlocks(tx, accountId)
  const waiting = [...open.flatMap((block) => block.lines), ...lines]
  if (open.length < mostOpen && !isFull(waiting)) {
    return insertBlocks(tx, accountId, [{ lines, terms: undefined }])
  }
  await deleteBlocks(tx, accountId, open)
  await insertBlocks(tx, accountId, await divide(accountId, waiting))
}

/**
 * Divides lines in the order of time, so that a search that goes back in time reads few blocks. With pauses, so that
 * requests need not wait for all of it.
 */
async function divide(accountId: AccountId, lines: Line[]): Promise<NewBlock[]> {
  const blocks: NewBlock[] = []
  let block: Line[] = []
  for (const line of lines.toSorted((a, b) => (a.messageId < b.messageId ? -1 : 1))) {
    block.push(line)
    if (!isFull(block)) continue
    blocks.push(seal(accountId, block))
    block = []
    await setImmediate()
  }
  return block.length === 0 ? blocks : [...blocks, { lines: block, terms: undefined }]
}

function isFull(lines: Line[]): boolean {
  return lines.length >= blockLines || lines.reduce((sum, { text }) => sum + text.length, 0) >= blockCharacters
}

/** The words of a line are the same again: there is nothing left to fold in it. */
export function seal(accountId: AccountId, lines: Line[]): NewBlock {
  const terms = termsOf(accountId, new Map(lines.flatMap(({ text }) => wordsOf(text)).map((w) => [w.text, w])).values())
  for (const { contactId } of lines) terms.add(contactTerm(accountId, contactId))
  return { lines, terms }
}
