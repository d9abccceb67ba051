import { limits } from '@patchbay/contract/limits.ts'
import { parsePhone } from '../contacts/phone.ts'
import type { Db } from '../platform/database/db.ts'
import { Refusal } from '../platform/refusal.ts'
import { withoutGuard } from '../platform/text/csv.ts'
import { parseEmail } from '../platform/text/email.ts'
import type { Pause } from '../work/make-way.ts'
import { blockRows, deleteBlocks, deleteParts, type FileRow, insertBlocks, readPart } from './block-store.ts'
import { type DueImport, renewLease } from './due-store.ts'
import { parseFile } from './file/parse-file.ts'
import { suggestMapping } from './file/suggest-mapping.ts'
import { type ImportChange, updateImport } from './store.ts'

type Ctx = { db: Db; pause: Pause; stopping: AbortSignal }

/** So many rows tell what a column has; so many of them are shown, and so much of each cell. */
const sampleRows = 20
const shownRows = 3
const shownCharacters = 120

/** Written at once: few pauses, for reading is little work. A multiple of what a block has. */
const rowsAtOnce = 8 * blockRows

/** It is not ours any more, or the process stops. */
class Left extends Error {}

/**
 * Reads the text of an import into blocks of rows. Whoever dies in between leaves blocks that the next one deletes: it
 * begins anew, which takes some seconds for the largest file. A file that cannot be read is refused, for good.
 */
export async function readFile(ctx: Ctx, job: DueImport): Promise<void> {
  try {
    await write(ctx, job, (tx) => deleteBlocks(tx, job))
    const found = await readRows(ctx, job)
    await write(ctx, job, async (tx) => {
      await deleteParts(tx, job)
      await updateImport(tx, job, { ...found, state: 'checking' })
    })
  } catch (error) {
    if (error instanceof Left) return
    if (!(error instanceof Refusal)) throw error
    await write(ctx, job, async (tx) => {
      await deleteParts(tx, job)
      await deleteBlocks(tx, job)
      await updateImport(tx, job, { state: 'refused', refusal: error.message })
    })
  }
}

/** A transaction that writes only while the import is ours. */
async function write(
  { db, pause, stopping }: Ctx,
  job: DueImport,
  work: (tx: Parameters<typeof renewLease>[0]) => Promise<void>,
): Promise<void> {
  if (stopping.aborted) throw new Left()
  const began = performance.now()
  await db.transaction().execute(async (tx) => {
    if (!(await renewLease(tx, job))) throw new Left()
    await work(tx)
  })
  await pause(performance.now() - began)
}

async function readRows(ctx: Ctx, job: DueImport): Promise<ImportChange> {
  const { delimiter, records } = await parseFile(readParts(ctx.db, job))
  const first = (await records.next()).value
  if (!first) throw new Refusal('INVALID_REQUEST', 'The file is empty.')
  const [, ...cells] = first
  if (cells.length > limits.importColumns) {
    throw new Refusal('INVALID_REQUEST', `The file has ${cells.length} columns; it can have ${limits.importColumns}.`)
  }
  const isPerson = cells.some((cell) => parseEmail(cell) !== undefined || parsePhone(withoutGuard(cell)) !== undefined)
  const headers = isPerson ? cells.map((_, n) => `Column ${n + 1}`) : cells.map((cell) => cell.trim())
  let block: FileRow[] = isPerson ? [first] : []
  let rows = block.length
  const sample = isPerson ? [cells] : []
  const keep = async () => {
    const fromRow = rows - block.length
    if (block.length > 0) await write(ctx, job, (tx) => insertBlocks(tx, job, { fromRow, rows: block }))
    block = []
  }
  for await (const record of records) {
    if (rows === limits.importRows) {
      throw new Refusal('INVALID_REQUEST', `The file has more than ${limits.importRows.toLocaleString('en')} rows.`)
    }
    rows += 1
    block.push(record)
    if (sample.length < sampleRows) sample.push(record.slice(1) as string[])
    if (block.length === rowsAtOnce) await keep()
  }
  await keep()
  if (rows === 0) throw new Refusal('INVALID_REQUEST', 'The file has a header, and no row below it.')
  return {
    delimiter,
    headers: headers.map(shortened),
    rows,
    firstRows: firstOf(sample),
    mapping: suggestMapping(headers, sample),
  }
}

/** What the preview shows of the rows. */
export function firstOf(rows: string[][]): string[][] {
  return rows.slice(0, shownRows).map((row) => row.map(shortened))
}

const shortened = (cell: string) => cell.slice(0, shownCharacters).toWellFormed()

async function* readParts(db: Db, job: DueImport): AsyncGenerator<string, void> {
  for (let n = 0; ; n += 1) {
    const part = await readPart(db, job, n)
    if (part === undefined) return
    yield part
  }
}
