import type { ImportError } from '@patchbay/contract/app/imports.ts'
import type { ImportField } from '@patchbay/contract/import-fields.ts'
import type { Db } from '../../platform/database/db.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import { Refusal } from '../../platform/refusal.ts'
import { csvLine, csvStart } from '../../platform/text/csv.ts'
import { keysOf } from './erased-rows.ts'
import { deleteError, type ErrorRow, insertErrors, lockError, readErrors } from './error-store.ts'
import { cellOf, type RowError, readRow } from './file/read-row.ts'
import { counted } from './import-batch.ts'
import { importRows, WriteConflict } from './import-rows.ts'
import { type ImportRef, type ImportRow, lockImport, updateImport } from './store.ts'
import { noImport } from './upload.ts'

const pageSize = 20
/** A row may have 64 KiB. */
const pageOfFile = 100

/** Rows that were not imported, in the order of the file. */
export async function listErrors(
  db: Db,
  { job, ...ref }: ImportRef & { job: ImportRow },
  after = -1,
): Promise<{ errors: ImportError[]; next: string | null }> {
  const found = await readErrors(db, ref, { after, limit: pageSize + 1 })
  const errors = found.slice(0, pageSize)
  const last = found.length > pageSize ? errors.at(-1) : undefined
  return { errors: errors.map((error) => shown(job, error)), next: last ? String(last.n) : null }
}

const longestValue = 500

function shown({ mapping }: ImportRow, { n, line, field, reason, cells }: ErrorRow): ImportError {
  const value = cellOf(mapping, cells, field).slice(0, longestValue).toWellFormed()
  return { n, line, name: nameIn(mapping, cells), field, reason, value }
}

/** Whom the row is about, as far as it says. */
function nameIn(mapping: ImportField[], cells: string[]): string | null {
  const of = (field: ImportField) => cellOf(mapping, cells, mapping.includes(field) ? field : null).trim()
  const name = [of('firstName'), of('lastName')].filter((part) => part !== '').join(' ') || of('name')
  return name === '' ? null : name.slice(0, longestValue).toWellFormed()
}

/** A CSV file of rows that were not imported, piece by piece: the columns of the file, then the line and the reason. */
export async function* errorsCsv(
  { db, share }: { db: Db; share: FairShare },
  { job, ...ref }: ImportRef & { job: ImportRow },
): AsyncGenerator<string> {
  const head = csvStart + csvLine([...job.headers, 'Line', 'Reason'])
  for (let after = -1; ; ) {
    const errors = await share(ref.accountId, () => readErrors(db, ref, { after, limit: pageOfFile }))
    const lines = errors.map(({ cells, line, reason }) => csvLine([...fitted(cells, job.headers.length), line, reason]))
    yield (after === -1 ? head : '') + lines.join('')
    after = errors.at(-1)?.n ?? after
    if (errors.length < pageOfFile) return
  }
}

/** A row that was not imported because it has too few cells, or too many, gets the others empty. */
const fitted = (cells: string[], columns: number) => [...cells, ...Array(Math.max(0, columns - cells.length)).fill('')]

type Correction = ImportRef & { secretKey: Buffer; n: number; value: string }

/** Imports a row with a mended value; returns what is wrong with it still, or null when it is in. */
export async function mendRow(db: Db, mending: Correction): Promise<ImportError | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await mendOnce(db, mending)
    } catch (error) {
      if (!(error instanceof WriteConflict || hasSqlState(error, '23505')) || tries === 5) throw error
    }
  }
}

function mendOnce(db: Db, { secretKey, n, value, ...ref }: Correction): Promise<ImportError | null> {
  return withLockTimeout(db, async (tx) => {
    const job = await lockImport(tx, ref)
    if (!job) throw noImport()
    const error = await lockError(tx, ref, n)
    if (!error) throw new Refusal('NOT_FOUND', 'This row is imported already, or is not kept any more.')
    const { field, cells } = error
    if (field === null) throw new Refusal('INVALID_REQUEST', 'This row can only be mended in the file.')
    const row = readRow(job, [error.line, ...cells], { field, value })
    const how = { ...ref, secretKey, listId: job.listId, overwrites: job.overwrites }
    const [outcome] = await importRows(tx, how, [row])
    await deleteError(tx, ref, n)
    if (outcome && !('reason' in outcome)) {
      await updateImport(tx, ref, counted({ ...job, failed: job.failed - 1 }, [outcome]))
      return null
    }
    const still = withValue(job, error, { value, ...(outcome as RowError) })
    await insertErrors(tx, ref, [{ ...still, keys: keysOf(still.cells, job.country) }])
    return shown(job, still)
  })
}

/** What was typed is kept with the row, so that it is there when somebody goes on with it. */
function withValue(
  { mapping }: ImportRow,
  error: ErrorRow,
  { value, field, reason }: RowError & { value: string },
): ErrorRow {
  const at = error.field === null ? -1 : mapping.indexOf(error.field)
  return { ...error, field, reason, cells: error.cells.map((cell, n) => (n === at ? value : cell)) }
}
