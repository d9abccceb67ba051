import type { ImportEncoding, ImportField, ImportState } from '@patchbay/contract/import-fields.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ImportId, ListId } from '../../platform/ids.ts'

export type ImportRef = { accountId: AccountId; importId: ImportId }

export type ImportRow = {
  id: ImportId
  state: ImportState
  fileName: string
  encoding: ImportEncoding
  createdAt: Date
  startedAt: Date | null
  endedAt: Date | null
  parts: number
  bytes: number
  refusal: string | null
  delimiter: string | null
  headers: string[]
  firstRows: string[][]
  rows: number
  mapping: ImportField[]
  checked: number
  wrong: number
  known: number
  /** Where phone numbers without a country code are from. */
  country: string | null
  listId: ListId | null
  overwrites: boolean
  done: number
  added: number
  changed: number
  same: number
  failed: number
  forgotten: number
}

const columns = [
  ...(['id', 'state', 'fileName', 'encoding', 'createdAt', 'startedAt', 'endedAt', 'parts', 'bytes'] as const),
  ...(['refusal', 'delimiter', 'headers', 'firstRows', 'rows', 'mapping', 'checked', 'wrong', 'known'] as const),
  ...(['country', 'listId', 'overwrites', 'done', 'added', 'changed', 'same', 'failed', 'forgotten'] as const),
]

function one(db: Db, { accountId, importId }: ImportRef) {
  return db.selectFrom('imports').select(columns).where('accountId', '=', accountId).where('id', '=', importId)
}

export async function findImport(db: Db, ref: ImportRef): Promise<ImportRow | undefined> {
  return (await one(db, ref).executeTakeFirst()) as ImportRow | undefined // what is in its JSON is ours
}

/** Until the transaction ends nobody else changes it. Lock order: before the contacts. */
export async function lockImport(tx: Tx, ref: ImportRef): Promise<ImportRow | undefined> {
  return (await one(tx, ref).forNoKeyUpdate().executeTakeFirst()) as ImportRow | undefined
}

/** The imports of an account, newest first: ids sort by age. */
export async function listImports(db: Db, accountId: AccountId, limit: number): Promise<ImportRow[]> {
  const rows = await db
    .selectFrom('imports')
    .select(columns)
    .where('accountId', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows as ImportRow[]
}

/** The ids of all imports that are kept: 30 days of them. */
export async function listImportIds(db: Db, accountId: AccountId): Promise<ImportId[]> {
  const rows = await db.selectFrom('imports').select('id').where('accountId', '=', accountId).orderBy('id').execute()
  return rows.map(({ id }) => id as ImportId)
}

/**
 * Inserts an import, unless the account has so many that are not finished. Requests of one account come one by one to
 * this statement, or two could both be the last that is allowed.
 */
export async function insertImport(
  tx: Tx,
  { accountId, importId }: ImportRef,
  { fileName, encoding, most }: { fileName: string; encoding: ImportEncoding; most: number },
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`imports ${accountId}`}, 0))`.execute(tx)
  const { numAffectedRows = 0n } = await sql`
    insert into imports (account_id, id, file_name, encoding)
    select ${accountId}, ${importId}, ${fileName}, ${encoding}
    where (
      select count(*) from imports where account_id = ${accountId} and state not in ('finished', 'stopped', 'refused')
    ) < ${most}
  `.execute(tx)
  return numAffectedRows > 0n
}

type FixedField = 'id' | 'fileName' | 'encoding' | 'createdAt' | 'startedAt' | 'endedAt'
export type ImportChange = Partial<Omit<ImportRow, FixedField>>

/** Writes what has changed. Whoever calls it holds the lock, so that the numbers are still those that were read. */
export async function updateImport(tx: Tx, { accountId, importId }: ImportRef, change: ImportChange): Promise<void> {
  const { headers, firstRows, mapping, ...plain } = change
  const json = Object.entries({ headers, firstRows, mapping }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, JSON.stringify(value)]],
  )
  const { state } = change
  await tx
    .updateTable('imports')
    .set({
      ...plain,
      ...Object.fromEntries(json),
      ...(state === 'running' && { startedAt: sql`now()` }),
      ...(state !== undefined && { place: null }), // it has rows of the file in it
      ...(state !== undefined && ended.has(state) && { endedAt: sql`now()`, firstRows: '[]', erased: [] }),
    })
    .where('accountId', '=', accountId)
    .where('id', '=', importId)
    .execute()
}

const ended: ReadonlySet<ImportState> = new Set(['finished', 'stopped', 'refused'])

/** Hashes of what those were recognized by who were erased since the file came. */
export async function readErasedKeys(db: Db, { accountId, importId }: ImportRef): Promise<string[]> {
  const row = await db
    .selectFrom('imports')
    .select('erased')
    .where('accountId', '=', accountId)
    .where('id', '=', importId)
    .executeTakeFirst()
  return row?.erased ?? []
}

export async function addErasedKeys(tx: Tx, { accountId, importId }: ImportRef, keys: string[]): Promise<void> {
  await sql`
    update imports set erased = array(select unnest(erased) union select unnest(${keys}::text[]))
    where account_id = ${accountId} and id = ${importId}
  `.execute(tx)
}

export async function deleteImport(tx: Tx, { accountId, importId }: ImportRef): Promise<void> {
  await tx.deleteFrom('imports').where('accountId', '=', accountId).where('id', '=', importId).execute()
}
