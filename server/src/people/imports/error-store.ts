import type { ImportField } from '@patchbay/contract/import-fields.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { ImportRef } from './store.ts'

/** A row that was not imported, and why. */
export type ErrorRow = { n: number; line: number; field: ImportField | null; reason: string; cells: string[] }

export async function insertErrors(
  tx: Tx,
  { accountId, importId }: ImportRef,
  errors: (ErrorRow & { keys: string[] })[],
): Promise<void> {
  if (errors.length === 0) return
  const rows = errors.map(({ cells, ...error }) => ({ accountId, importId, ...error, cells: JSON.stringify(cells) }))
  await tx.insertInto('importErrors').values(rows).execute()
}

const columns = ['n', 'line', 'field', 'reason', 'cells'] as const

/** Rows that were not imported, in the order of the file, from the one after `after` on. */
export async function readErrors(
  db: Db,
  { accountId, importId }: ImportRef,
  { after, limit }: { after: number; limit: number },
): Promise<ErrorRow[]> {
  const rows = await db
    .selectFrom('importErrors')
    .select(columns)
    .where('accountId', '=', accountId)
    .where('importId', '=', importId)
    .where('n', '>', after)
    .orderBy('n')
    .limit(limit)
    .execute()
  return rows as ErrorRow[]
}

export async function lockError(tx: Tx, { accountId, importId }: ImportRef, n: number): Promise<ErrorRow | undefined> {
  const row = await tx
    .selectFrom('importErrors')
    .select(columns)
    .where('accountId', '=', accountId)
    .where('importId', '=', importId)
    .where('n', '=', n)
    .forUpdate()
    .executeTakeFirst()
  return row as ErrorRow | undefined
}

export async function deleteError(tx: Tx, { accountId, importId }: ImportRef, n: number): Promise<void> {
  await tx
    .deleteFrom('importErrors')
    .where('accountId', '=', accountId)
    .where('importId', '=', importId)
    .where('n', '=', n)
    .execute()
}

/** Deletes the rows with one of these keys; returns how many. */
export async function deleteErrorsWith(tx: Tx, { accountId, importId }: ImportRef, keys: string[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from import_errors
    where account_id = ${accountId} and import_id = ${importId} and keys && ${keys}::text[]
  `.execute(tx)
  return Number(numAffectedRows)
}
