import type { Db, Tx } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { Identifiers } from '../contacts/opt-out-store.ts'
import { type Block, findBlocksWith, readPlace, savePlace, updateBlock } from './block-store.ts'
import { keepErased, keysOf } from './erased-rows.ts'
import { deleteErrorsWith } from './error-store.ts'
import { isTooWide, type ParsedRow } from './file/parse-file.ts'
import { cellsOf } from './file/read-row.ts'
import { firstOf } from './read-file.ts'
import { type ImportRef, listImportIds, lockImport, updateImport } from './store.ts'

type Ctx = { db: Db; secretKey: Buffer }

/**
 * Forgets a person in the imports of an account: rows that were not imported, rows that wait to be, and those that are still
 * to be read from a file. A row is found by any cell that has one of the identifiers, in a spelling that would be recognized;
 * another one is forgotten with its import.
 */
export async function forgetInImports(ctx: Ctx, accountId: AccountId, who: Identifiers): Promise<void> {
  const keys = [who.externalId, who.phone, who.email].filter((key) => key !== null)
  if (keys.length === 0) return
  for (const importId of await listImportIds(ctx.db, accountId)) {
    await forgetIn(ctx, { accountId, importId }, new Set(keys))
  }
}

/**
 * Forgets in small steps, each with the import locked for a moment. What is imported in between finds the contact still
 * there, and is erased with it.
 */
async function forgetIn({ db, secretKey }: Ctx, ref: ImportRef, keys: Set<string>): Promise<void> {
  const isThere = await withLockTimeout(db, async (tx) => {
    const job = await lockImport(tx, ref)
    if (!job) return false
    const errors = await deleteErrorsWith(tx, ref, [...keys])
    if (errors > 0) await updateImport(tx, ref, { failed: job.failed - errors, forgotten: job.forgotten + errors })
    if (!job.endedAt) await keepErased(tx, { ...ref, secretKey }, keys)
    if (job.state === 'reading') await forgetInPlace(tx, ref, keys)
    return true
  })
  const texts = [...keys].map((key) => key.toLowerCase())
  // A number may be written without its country code: its last digits are the same.
  const digits = [...keys].filter((key) => key.startsWith('+')).map((key) => key.slice(1).slice(-7))
  for (let after: number | undefined = isThere ? -1 : undefined; after !== undefined; ) {
    const from: number = after
    after = await withLockTimeout(db, async (tx) => {
      const job = await lockImport(tx, ref)
      if (!job) return undefined
      const { country } = job
      const { blocks, last } = await findBlocksWith(tx, ref, { texts, digits, after: from })
      for (const block of blocks) await forgetInBlock(tx, { ...ref, country }, block, keys)
      return last
    })
  }
}

/** Forgets somebody in what was read so far of a file that is being read. */
async function forgetInPlace(tx: Tx, ref: ImportRef, keys: Set<string>): Promise<void> {
  const place = await readPlace<{ sample: string[][] }>(tx, ref)
  if (!place) return
  const sample = place.sample.filter((cells) => !keysOf(cells, null).some((key) => keys.has(key)))
  await savePlace(tx, ref, { ...place, sample })
}

async function forgetInBlock(
  tx: Tx,
  { country, ...ref }: ImportRef & { country: string | null },
  { fromRow, rows }: Block,
  keys: Set<string>,
): Promise<void> {
  const isTheirs = (row: ParsedRow) => keysOf(cellsOf(row), country).some((key) => keys.has(key))
  const left = rows.map((row) => (row !== null && isTheirs(row) ? null : row))
  await updateBlock(tx, ref, { fromRow, rows: left })
  const cells = left.flatMap((row) => (row === null || isTooWide(row) ? [] : [cellsOf(row)]))
  if (fromRow === 0) await updateImport(tx, ref, { firstRows: firstOf(cells) })
}
