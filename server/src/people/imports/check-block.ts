import type { Db } from '../../platform/database/db.ts'
import { readRowsFrom } from './block-store.ts'
import { findCandidates } from './contact-store.ts'
import { type GivenRow, isRowError, readRow } from './file/read-row.ts'
import { Matching } from './match.ts'
import { findImport, type ImportRef, lockImport, updateImport } from './store.ts'

/**
 * Looks at the next rows as the mapping is now, and changes nothing but the numbers of the preview. Known contacts are
 * counted as they are at this moment, so their number is about right. Returns whether there is more to do.
 */
export async function checkBlock(db: Db, ref: ImportRef): Promise<boolean> {
  const seen = await findImport(db, ref)
  if (seen?.state !== 'checking') return false
  const rows = await readRowsFrom(db, ref, seen.checked)
  const read = rows.flatMap((row) => (row === null ? [] : [readRow(seen, row)]))
  const given = read.filter((row): row is GivenRow => !isRowError(row))
  const matching = new Matching(await findCandidates(db, ref.accountId, given), { overwrites: false })
  const found = given.map((row) => matching.find(row))
  const faults = found.filter((one) => one && 'reason' in one).length
  const known = found.filter((one) => one && !('reason' in one)).length
  return db.transaction().execute(async (tx) => {
    const now = await lockImport(tx, ref)
    if (now?.state !== 'checking') return false
    // Somebody has chosen other columns meanwhile, or another process was faster.
    if (now.checked !== seen.checked || String(now.mapping) !== String(seen.mapping) || now.country !== seen.country) {
      return true
    }
    const checked = now.checked + rows.length
    const isOver = checked >= now.rows || rows.length === 0
    await updateImport(tx, ref, {
      checked,
      wrong: now.wrong + read.length - given.length + faults,
      known: now.known + known,
      ...(isOver && { state: 'ready' }),
    })
    return !isOver
  })
}
