import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'
import {
  type Block,
  type Candidate,
  findCandidates,
  findNewest,
  type Line,
  readBlocksWith,
  readOpenBlocks,
} from './blocks/block-store.ts'
import { wantedTerms } from './text/terms.ts'
import { needleOf, type Word, wordsOf } from './text/words.ts'

/** What is looked for: messages that have a word for each of these. Undefined: no word is long enough to look it up. */
export type Wanted = { words: Word[]; terms: number[] }

export function readWanted(accountId: AccountId, q: string): Wanted | undefined {
  const words = wordsOf(q)
  const terms = words.flatMap((word) => wantedTerms(accountId, word))
  return terms.length === 0 ? undefined : { words, terms: [...new Set(terms)] }
}

/** The newest blocks are read without the index: what is in many messages is found there, without sorting most blocks. */
const newestBlocks = 64

/** Blocks with the words to look at first; each look reads the index again, so the next is larger. */
const firstLook = 64
const lookGrows = 64

/** The newest messages with these words, up to `limit`, the newest first. */
export async function findLines(db: Db, accountId: AccountId, wanted: Wanted, limit: number): Promise<Line[]> {
  const needles = wanted.words.map(needleOf)
  const matching = (blocks: Block[]) =>
    blocks.flatMap(({ lines }) => lines.filter(({ text }) => needles.every((needle) => text.includes(needle))))

  let found = newest(matching(await readOpenBlocks(db, accountId)), limit)
  let candidates = await findNewest(db, accountId, newestBlocks)
  for (let size = newestBlocks, next = firstLook; ; size = next, next *= lookGrows) {
    for (const some of slices(candidates)) {
      // No block from here on has a message that is newer than the last of those found.
      if (found.length === limit && (found.at(-1)?.messageId ?? '') > (some[0]?.newestId ?? '')) return found
      const blocks = await readBlocksWith(db, accountId, { ids: some.map(({ id }) => id), needles })
      found = newest([...found, ...matching(blocks)], limit)
    }
    const beforeId = candidates.at(-1)?.newestId
    if (candidates.length < size || beforeId === undefined) return found
    if (found.length === limit && (found.at(-1)?.messageId ?? '') > beforeId) return found
    candidates = await findCandidates(db, accountId, { terms: wanted.terms, beforeId, limit: next })
  }
}

/** So many blocks are read at first: where each has the words, these are enough. Then twice as many each time. */
const firstRead = 8
const mostRead = 512

function* slices(candidates: Candidate[]): Generator<Candidate[]> {
  for (let from = 0, size = firstRead; from < candidates.length; from += size, size = Math.min(2 * size, mostRead)) {
    yield candidates.slice(from, from + size)
  }
}

/** A message may have moved from an open block to a sealed one between two reads. */
function newest(lines: Line[], limit: number): Line[] {
  const each = new Map(lines.map((line) => [line.messageId, line]))
  return [...each.values()].sort((a, b) => (a.messageId < b.messageId ? 1 : -1)).slice(0, limit)
}
