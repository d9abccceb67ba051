import type { ParsedRow } from './parse-file.ts'

/**
 * Of so many rows are blocks made, or of so many bytes: a block is what is read, checked and imported at once, and what a
 * statement takes apart. So many of both are written in one transaction.
 */
export const blockRows = 250
const blockBytes = 256 * 1024
const atOnce = { rows: 8 * blockRows, bytes: 4 * blockBytes }

export type NewBlock = { fromRow: number; rows: string }

/** Makes blocks of rows, after those that were made before. */
export function openBlocks(before: { rows: number; blocks: number } = { rows: 0, blocks: 0 }) {
  let { rows, blocks } = before
  let made: NewBlock[] = []
  let block: string[] = []
  let bytes = { ofBlock: 0, inAll: 0 }
  let fromRow = rows

  function close(): void {
    if (block.length === 0) return
    made.push({ fromRow: rows - block.length, rows: `[${block.join(',')}]` })
    blocks += 1
    block = []
    bytes = { ...bytes, ofBlock: 0 }
  }

  return {
    add: (row: ParsedRow): void => {
      const text = JSON.stringify(row)
      const length = Buffer.byteLength(text)
      block.push(text)
      rows += 1
      bytes = { ofBlock: bytes.ofBlock + length, inAll: bytes.inAll + length }
      if (block.length === blockRows || bytes.ofBlock >= blockBytes) close()
    },
    /** Takes all blocks that were not taken yet, the last of them as short as it is. */
    take: (): NewBlock[] => {
      close()
      const taken = made
      made = []
      bytes = { ofBlock: 0, inAll: 0 }
      fromRow = rows
      return taken
    },
    areMany: () => rows - fromRow >= atOnce.rows || bytes.inAll >= atOnce.bytes,
    rows: () => rows,
    count: () => blocks,
  }
}
