import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { ImportRef } from './store.ts'

/**
 * A row of the file: the line that it begins in, and its cells; of one that has too many only their number. Null: it was
 * forgotten.
 */
export type FileRow = [line: number, ...cells: string[]] | [line: number, cells: number] | null

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

export async function insertBlocks(
  tx: Tx,
  { accountId, importId }: ImportRef,
  blocks: { fromRow: number; rows: string }[],
): Promise<void> {
  if (blocks.length === 0) return
  const rows = blocks.map((block) => ({ accountId, importId, ...block }))
  await tx.insertInto('importBlocks').values(rows).execute()
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

/** Deletes all blocks, or those from a row on. */
export async function deleteBlocks(tx: Tx, { accountId, importId }: ImportRef, fromRow = 0): Promise<void> {
  await tx
    .deleteFrom('importBlocks')
    .where('accountId', '=', accountId)
    .where('importId', '=', importId)
    .where('fromRow', '>=', fromRow)
    .execute()
}

export type Block = { fromRow: number; rows: FileRow[] }

/** Of so many blocks at once are the texts looked at: some megabytes. */
const lookedAtOnce = 16

/**
 * Finds, of the next blocks, after the one that begins with this row, those that may have one of these texts in a cell,
 * in lower case; or one of these rows of digits, with anything between them. `last`: where the last that was looked at
 * begins.
 */
export async function findBlocksWith(
  tx: Tx,
  { accountId, importId }: ImportRef,
  { texts, digits, after }: { texts: string[]; digits: string[]; after: number },
): Promise<{ blocks: Block[]; last: number | undefined }> {
  const { rows } = await sql<{ fromRow: number; rows: FileRow[] | null }>`
    select from_row, case when
        exists (select from unnest(${texts}::text[]) as t where strpos(lower(rows::text), t) > 0)
        or exists (
          select from unnest(${digits}::text[]) as d where strpos(regexp_replace(rows::text, '[^0-9]', '', 'g'), d) > 0
        )
      then rows end as rows
    from import_blocks
    where account_id = ${accountId} and import_id = ${importId} and from_row > ${after}
    order by from_row limit ${lookedAtOnce}
  `.execute(tx)
  const blocks = rows.flatMap(({ fromRow, rows: found }) => (found === null ? [] : [{ fromRow, rows: found }]))
  return { blocks, last: rows.at(-1)?.fromRow }
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

/** Where the next turn of reading the file begins. */
export async function readPlace<Place>(db: Db, { accountId, importId }: ImportRef): Promise<Place | undefined> {
  const row = await db
    .selectFrom('imports')
    .select('place')
    .where('accountId', '=', accountId)
    .where('id', '=', importId)
    .executeTakeFirst()
  return (row?.place ?? undefined) as Place | undefined // what is in its JSON is ours
}

export async function savePlace(tx: Tx, { accountId, importId }: ImportRef, place: object): Promise<void> {
  await sql`
    update imports set place = ${JSON.stringify(place)}::jsonb where account_id = ${accountId} and id = ${importId}
  `.execute(tx)
}

export async function countBlocks(tx: Tx, { accountId, importId }: ImportRef): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from import_blocks where account_id = ${accountId} and import_id = ${importId}
  `.execute(tx)
  return rows[0]?.n ?? 0
}
