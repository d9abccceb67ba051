import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'
import {
  type Block,
  type Candidate,
  findCandidates,
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

/** Blocks to look at: few at first, because most searches find enough in the newest; each look reads the index again. */
const firstLook = 8
const lookGrows = 8

/** The newest messages with these words, up to `limit`, the newest first. */
export async function findLines(db: Db, accountId: AccountId, wanted: Wanted, limit: number): Promise<Line[]> {
  const needles = wanted.words.map(needleOf)
  const matching = (blocks: Block[]) =>
    blocks.flatMap(({ lines }) => lines.filter(({ text }) => needles.every((needle) => text.includes(needle))))

  let found = newest(matching(await readOpenBlocks(db, accountId)), limit)
  let beforeId = 'msg_g' // after every id
  for (let size = firstLook; ; size *= lookGrows) {
    const candidates = await findCandidates(db, accountId, { terms: wanted.terms, beforeId, limit: size })
    for (const some of slices(candidates)) {
      // No block from here on has a message that is newer than the last of those found.
      if (found.length === limit && (found.at(-1)?.messageId ?? '') > (some[0]?.newestId ?? '')) return found
      const blocks = await readBlocksWith(db, accountId, { ids: some.map(({ id }) => id), needles })
      found = newest([...found, ...matching(blocks)], limit)
    }
    if (candidates.length < size) return found
    beforeId = candidates.at(-1)?.newestId ?? ''
  }
}

/** So many blocks are read at once: half a megabyte. */
const readAtOnce = 128

function slices(candidates: Candidate[]): Candidate[][] {
  const count = Math.ceil(candidates.length / readAtOnce)
  return Array.from({ length: count }, (_, n) => candidates.slice(n * readAtOnce, (n + 1) * readAtOnce))
}

/** A message may have moved from an open block to a sealed one between two reads. */
function newest(lines: Line[], limit: number): Line[] {
  const each = new Map(lines.map((line) => [line.messageId, line]))
  return [...each.values()].sort((a, b) => (a.messageId < b.messageId ? 1 : -1)).slice(0, limit)
}
