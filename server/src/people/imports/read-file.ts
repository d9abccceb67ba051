import { setImmediate } from 'node:timers/promises'
import { limits } from '@patchbay/contract/limits.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { Pause } from '../../platform/jobs/yield-to-requests.ts'
import { Refusal } from '../../platform/refusal.ts'
import { withoutGuard } from '../../platform/text/csv.ts'
import { parseEmail } from '../../platform/text/email.ts'
import { parsePhone } from '../contacts/phone.ts'
import { countBlocks, deleteBlocks, deleteParts, insertBlocks, readPart, readPlace, savePlace } from './block-store.ts'
import { type DueImport, renewLease } from './due-store.ts'
import { type IsErased, readErased } from './erased-rows.ts'
import { type NewBlock, openBlocks } from './file/blocks.ts'
import { type FilePlace, isTooWide, type ParsedRow, parseFile } from './file/parse-file.ts'
import { cellsOf } from './file/read-row.ts'
import { suggestMapping } from './file/suggest-mapping.ts'
import { type ImportChange, updateImport } from './store.ts'

type Ctx = { db: Db; secretKey: Buffer; pause: Pause; stopping: AbortSignal; until: number }

/** So many rows tell what a column has; so many of them are shown, and so much of each cell. */
const sampleRows = 20
const shownRows = 3
const shownCharacters = 120

/** After so much work there is a pause. */
const workMs = 50

/** Where the next turn of reading a file begins, and what was found before. */
type Place = FilePlace & {
  head: { headers: string[]; isPerson: boolean } | undefined
  /** The first rows, from which it is guessed what the columns are. */
  sample: string[][]
  rows: number
  blocks: number
}

/** The import is not ours any more, or the process stops. */
class Interruption extends Error {}

/**
 * Reads the text of an import into blocks of rows, until its turn is over. Whoever dies in between leaves blocks that the
 * next one deletes: it goes on from the place where the turn before ended. A file that cannot be read is refused, for good.
 */
export async function readFile(ctx: Ctx, job: DueImport): Promise<void> {
  try {
    const found = await readRows(ctx, job, await findPlace(ctx, job))
    if (!found) return
    const { sample, ...change } = found
    await write(ctx, job, async (tx, isErased) => {
      await deleteParts(tx, job)
      await updateImport(tx, job, { ...change, firstRows: firstOf(withoutErased(sample, isErased)), state: 'checking' })
    })
  } catch (error) {
    if (error instanceof Interruption) return
    if (!(error instanceof Refusal)) throw error
    await write(ctx, job, (tx) => refuseImport(tx, job, error.message))
  }
}

/** What is left of its file is of no use to anybody. */
export async function refuseImport(tx: Tx, job: DueImport, refusal: string): Promise<void> {
  await deleteParts(tx, job)
  await deleteBlocks(tx, job)
  await updateImport(tx, job, { state: 'refused', refusal })
}

type Write = (tx: Tx, isErased: IsErased | undefined) => Promise<void>

/**
 * A transaction that writes only while the import is ours. Nothing may be written of somebody who was erased after it was
 * read.
 */
async function write({ db, secretKey, stopping }: Ctx, job: DueImport, work: Write): Promise<void> {
  if (stopping.aborted) throw new Interruption()
  await db.transaction().execute(async (tx) => {
    if (!(await renewLease(tx, job))) throw new Interruption()
    const { accountId, importId } = job
    await work(tx, await readErased(tx, { accountId, importId, secretKey }))
  })
}

/** Nobody has chosen a country yet. */
const withoutErased = (sample: string[][], isErased: IsErased | undefined) =>
  isErased ? sample.filter((cells) => !isErased(cells, null)) : sample

/** Does what `withoutErased` does in blocks, where a row leaves its place; others get their turn in between. */
async function forgetErased(blocks: NewBlock[], isErased: IsErased | undefined): Promise<NewBlock[]> {
  if (!isErased) return blocks
  const left: NewBlock[] = []
  for (const { fromRow, rows } of blocks) {
    const all = JSON.parse(rows) as ParsedRow[]
    left.push({ fromRow, rows: JSON.stringify(all.map((row) => (isErased(cellsOf(row), null) ? null : row))) })
    await setImmediate()
  }
  return left
}

/**
 * Where the last turn ended; what was written behind it is deleted. A server of the version before deletes all blocks and
 * begins anew; its blocks are the same, so that if it left as many it does not matter who wrote them.
 */
async function findPlace(ctx: Ctx, job: DueImport): Promise<Place | undefined> {
  let place = await readPlace<Place>(ctx.db, job)
  await write(ctx, job, async (tx) => {
    await deleteBlocks(tx, job, place?.rows ?? 0)
    if (!place || (await countBlocks(tx, job)) === place.blocks) return
    place = undefined
    await deleteBlocks(tx, job)
  })
  return place
}

type FileSummary = Omit<ImportChange, 'firstRows'> & { sample: string[][] }

/** What was found in the file; undefined: the turn is over before the file. */
async function readRows(ctx: Ctx, job: DueImport, from: Place | undefined): Promise<FileSummary | undefined> {
  const { sample = [] } = from ?? {}
  let head = from?.head
  let delimiter = from?.delimiter
  const blocks = openBlocks(from)
  const keep = (also?: Write) =>
    write(ctx, job, async (tx, isErased) => {
      await insertBlocks(tx, job, await forgetErased(blocks.take(), isErased))
      await also?.(tx, isErased)
    })
  let began = performance.now()
  for await (const { rows, place, hasMoved } of parseFile((n) => readPart(ctx.db, job, n), from)) {
    delimiter = place.delimiter
    if (!head && rows[0]) {
      head = readHead(rows[0])
      if (!head.isPerson) rows.shift()
    }
    for (const row of rows) {
      blocks.add(row)
      if (sample.length < sampleRows && !isTooWide(row)) sample.push(row.slice(1) as string[])
    }
    if (blocks.rows() > limits.importRows) {
      throw new Refusal('INVALID_REQUEST', `The file has more than ${limits.importRows.toLocaleString('en')} rows.`)
    }
    if (hasMoved && performance.now() >= ctx.until) {
      await keep((tx, isErased) => {
        const left = withoutErased(sample, isErased)
        return savePlace(tx, job, { ...place, head, sample: left, rows: blocks.rows(), blocks: blocks.count() })
      })
      return undefined
    }
    if (blocks.areMany()) await keep()
    if (performance.now() - began < workMs) continue
    await ctx.pause(performance.now() - began)
    began = performance.now()
  }
  if (!head || !delimiter) throw new Refusal('INVALID_REQUEST', 'The file is empty.')
  if (blocks.rows() === 0) throw new Refusal('INVALID_REQUEST', 'The file has a header, and no row below it.')
  await keep()
  const { headers } = head
  const mapping = suggestMapping(headers, sample)
  return { delimiter, headers: headers.map(shortened), rows: blocks.rows(), mapping, sample }
}

/** A file without a header begins with a person. */
function readHead(row: ParsedRow): NonNullable<Place['head']> {
  const cells = row.slice(1) as string[] // the first is never wider than itself
  if (cells.length > limits.importColumns) {
    throw new Refusal('INVALID_REQUEST', `The file has ${cells.length} columns; it can have ${limits.importColumns}.`)
  }
  const isPerson = cells.some((cell) => parseEmail(cell) !== undefined || parsePhone(withoutGuard(cell)) !== undefined)
  return { isPerson, headers: isPerson ? cells.map((_, n) => `Column ${n + 1}`) : cells.map((cell) => cell.trim()) }
}

/** What the preview shows of the rows. */
export function firstOf(rows: string[][]): string[][] {
  return rows.slice(0, shownRows).map((row) => row.map(shortened))
}

const shortened = (cell: string) => cell.slice(0, shownCharacters).toWellFormed()
