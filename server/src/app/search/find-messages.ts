import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import {
  type Block,
  type Candidate,
  findCandidates,
  findNewest,
  type Line,
  preferIndexes,
  readBlocksWith,
  readOpenBlocks,
} from './blocks/block-store.ts'
import { wantedTerms } from './text/terms.ts'
import { needleOf, type Word, wordsOf } from './text/words.ts'

/** What is looked for: messages that have a word for each of these. Undefined: no word is long enough to look it up. */
export type SearchQuery = { words: Word[]; terms: number[] }

export function readWanted(accountId: AccountId, q: string): SearchQuery | undefined {
  const words = wordsOf(q)
  const terms = words.flatMap((word) => wantedTerms(accountId, word))
  return terms.length === 0 ? undefined : { words, terms: [...new Set(terms)] }
}

/** The newest blocks are read without the index: what is in many messages is found there, without sorting most blocks. */
const newestBlocks = 64

/**
 * Blocks that one request compares: some 20 ms. Words that are frequent but never in one message could take all blocks of
 * the account.
 */
const mostCompared = 128

/** Where to begin, how many messages are wanted and older than which, and how much may be compared. */
export type Page = { before?: string | undefined; olderThan?: string | undefined; limit: number; budget?: number }

/**
 * What was found, the newest first. `next`: the search is not at its end, but all messages newer than this one were
 * compared; to go on, give it as `before`.
 */
export type FoundLines = { lines: Line[]; next: string | null }

/**
 * The newest messages with these words, up to `limit`, as far as the budget allows. Pages have all messages together: those
 * that are added meanwhile are newer than `next`, or were not there when the search began; one that moves to another
 * block meanwhile may be on two pages.
 */
export async function findLines(db: Db, accountId: AccountId, wanted: SearchQuery, page: Page): Promise<FoundLines> {
  // One snapshot: blocks are made anew when a contact is erased.
  const transaction = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return transaction.execute((tx) => findInSnapshot(tx, accountId, wanted, page))
}

async function findInSnapshot(
  tx: Tx,
  accountId: AccountId,
  { words, terms }: SearchQuery,
  { before, olderThan, limit, budget = mostCompared }: Page,
): Promise<FoundLines> {
  await preferIndexes(tx)
  const needles = words.map(needleOf)
  const isOlder = ({ messageId }: Line) => olderThan === undefined || messageId < olderThan
  const wantedOf = (blocks: Block[]) => matching(blocks, needles).filter(isOlder)
  let lines = before === undefined ? newest(wantedOf(await readOpenBlocks(tx, accountId)), limit) : []
  /** No block with older messages only can have one of the newest. */
  const areNewest = (newestId = '') => lines.length === limit && (lines.at(-1)?.messageId ?? '') > newestId

  let next = before
  for (let left = budget; left > 0; ) {
    const most = next === undefined ? Math.min(newestBlocks, left) : left
    const candidates =
      next === undefined
        ? await findNewest(tx, accountId, most)
        : await findCandidates(tx, accountId, { terms, beforeId: next, limit: most })
    for (const some of slices(candidates)) {
      if (areNewest(some[0]?.newestId)) return { lines, next: null }
      const blocks = await readBlocksWith(tx, accountId, { ids: some.map(({ id }) => id), needles })
      lines = newest([...lines, ...wantedOf(blocks)], limit)
    }
    next = candidates.at(-1)?.newestId
    if (candidates.length < most || areNewest(next)) return { lines, next: null }
    left -= candidates.length
  }
  return { lines, next: next ?? null }
}

function matching(blocks: Block[], needles: string[]): Line[] {
  return blocks.flatMap(({ lines }) => lines.filter(({ text }) => needles.every((needle) => text.includes(needle))))
}

/** So many blocks are read at first: where each has the words, these are enough. Then twice as many each time. */
const firstRead = 8

function* slices(candidates: Candidate[]): Generator<Candidate[]> {
  for (let from = 0, size = firstRead; from < candidates.length; from += size, size *= 2) {
    yield candidates.slice(from, from + size)
  }
}

/** A message may have moved from an open block to a sealed one between two reads. */
function newest(lines: Line[], limit: number): Line[] {
  const each = new Map(lines.map((line) => [line.messageId, line]))
  return [...each.values()].sort((a, b) => (a.messageId < b.messageId ? 1 : -1)).slice(0, limit)
}
