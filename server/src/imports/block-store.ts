import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/db.ts'
import type { ImportRef } from './store.ts'

/** A row of the file: the line that it begins in, and its cells. Null: it was forgotten. */
export type FileRow = [line: number, ...cells: string[]] | null

/** Of so many rows are blocks made; a block is what is read, checked and imported at once. */
export const blockRows = 250

export async function insertPart(
  tx: Tx,
  { accountId, importId }: ImportRef,
  { n, text }: { n: number; text: string },
): Promise<void> {
  await tx.insertInto('importParts').values({ accountId, importId, n, text }).execute()
}

export async function readPart(db: Db, { accountId, importId }: ImportRef, n: number): Promise<string | undefined> {
  const part = await db
    .selectFrom('importParts')
    .select('text')
    .where('accountId', '=', accountId)
    .where('importId', '=', importId)
    .where('n', '=', n)
    .executeTakeFirst()
  return part?.text
}

export async function deleteParts(tx: Tx, { accountId, importId }: ImportRef): Promise<void> {
  await tx.deleteFrom('importParts').where('accountId', '=', accountId).where('importId', '=', importId).execute()
}

/** Inserts rows, the first of which has this number in the file, in blocks. */
export async function insertBlocks(
  tx: Tx,
  { accountId, importId }: ImportRef,
  { fromRow, rows }: { fromRow: number; rows: FileRow[] },
): Promise<void> {
  const blocks = Array.from({ length: Math.ceil(rows.length / blockRows) }, (_, n) => ({
    ...{ accountId, importId, fromRow: fromRow + n * blockRows },
    rows: JSON.stringify(rows.slice(n * blockRows, (n + 1) * blockRows)),
  }))
  await tx.insertInto('importBlocks').values(blocks).execute()
}

/** The rows from this one on, to the end of its block. */
export async function readRowsFrom(db: Db, { accountId, importId }: ImportRef, row: number): Promise<FileRow[]> {
  const block = await db
    .selectFrom('importBlocks')
    .select(['fromRow', 'rows'])
    .where('accountId', '=', accountId)
    .where('importId', '=', importId)
    .where('fromRow', '<=', row)
    .orderBy('fromRow', 'desc')
    .limit(1)
    .executeTakeFirst()
  return block ? (block.rows as FileRow[]).slice(row - block.fromRow) : []
}

export async function deleteBlocks(tx: Tx, { accountId, importId }: ImportRef): Promise<void> {
  await tx.deleteFrom('importBlocks').where('accountId', '=', accountId).where('importId', '=', importId).execute()
}

export type Block = { fromRow: number; rows: FileRow[] }

/**
 * The next block, after the one that begins with this row, that may have one of these texts in a cell, in lower case; or
 * one of these rows of digits, with anything between them.
 */
export async function findBlockWith(
  tx: Tx,
  { accountId, importId }: ImportRef,
  { texts, digits, after }: { texts: string[]; digits: string[]; after: number },
): Promise<Block | undefined> {
  const { rows } = await sql<Block>`
    select from_row, rows from import_blocks
    where account_id = ${accountId} and import_id = ${importId} and from_row > ${after}
      and (
        exists (select from unnest(${texts}::text[]) as t where strpos(lower(rows::text), t) > 0)
        or exists (
          select from unnest(${digits}::text[]) as d where strpos(regexp_replace(rows::text, '[^0-9]', '', 'g'), d) > 0
        )
      )
    order by from_row limit 1
  `.execute(tx)
  return rows[0]
}

export async function updateBlock(tx: Tx, { accountId, importId }: ImportRef, { fromRow, rows }: Block): Promise<void> {
  await tx
    .updateTable('importBlocks')
    .set({ rows: JSON.stringify(rows) })
    .where('accountId', '=', accountId)
    .where('importId', '=', importId)
    .where('fromRow', '=', fromRow)
    .execute()
}
