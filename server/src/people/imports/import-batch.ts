import type { Db, Tx } from '../../platform/database/db.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import { deleteBlocks, type FileRow, readRowsFrom } from './block-store.ts'
import { keysOf, readErased } from './erased-rows.ts'
import { insertErrors } from './error-store.ts'
import { blockRows } from './file/blocks.ts'
import { cellsOf, type RowError, readRow } from './file/read-row.ts'
import { importRows, WriteConflict } from './import-rows.ts'
import type { Outcome } from './match.ts'
import { type ImportRef, type ImportRow, lockImport, updateImport } from './store.ts'

type Ctx = { db: Db; secretKey: Buffer; until: number }

/** After so many lost races for a batch, a quarter of it is tried: in the end one row, which meets one other at most. */
const triesOfABatch = 3

/**
 * Imports the next rows in one transaction with the number of rows that are done: a process that dies leaves all of them
 * or none, and two processes cannot both do them. Returns whether there is more to do. Whoever loses races until the turn is
 * over has failed, and begins the next with fewer rows.
 */
export async function importBatch(
  { db, secretKey, until }: Ctx,
  job: ImportRef & { attempts: number },
): Promise<boolean> {
  const { accountId, importId, attempts } = job
  const ref = { accountId, importId }
  for (let tries = 1, most = quartered(blockRows, attempts - 1); ; tries += 1) {
    try {
      const giveUpAfterMs = Math.max(0, until - performance.now())
      return await withLockTimeout(db, (tx) => importNext(tx, { ...ref, secretKey }, most), { giveUpAfterMs })
    } catch (error) {
      // 23505: two contacts of the batch exchange a phone number, or somebody else has taken it.
      if (!(error instanceof WriteConflict || hasSqlState(error, '23505'))) throw error
      if (tries % triesOfABatch === 0) most = quartered(most, 1)
      if (tries > triesOfABatch && performance.now() > until) throw error
    }
  }
}

const quartered = (rows: number, times: number) => Math.ceil(rows / 4 ** times)

async function importNext(tx: Tx, { secretKey, ...ref }: ImportRef & { secretKey: Buffer }, most: number) {
  const job = await lockImport(tx, ref)
  if (job?.state !== 'running') return false
  const rows = (await readRowsFrom(tx, ref, job.done)).slice(0, most)
  const isErased = await readErased(tx, { ...ref, secretKey })
  const kept = rows.flatMap((row, at) =>
    row === null || isErased?.(cellsOf(row), job.country) ? [] : [{ row, n: job.done + at }],
  )
  const given = kept.map(({ row }) => readRow(job, row))
  const how = { ...ref, secretKey, listId: job.listId, overwrites: job.overwrites }
  const outcomes = await importRows(tx, how, given)
  const errors = outcomes.flatMap((outcome, at) => {
    const one = kept[at]
    return one && 'reason' in outcome ? [errorOf(one, outcome, job.country)] : []
  })
  await insertErrors(tx, ref, errors)
  const done = job.done + rows.length
  const isOver = done >= job.rows || rows.length === 0
  await updateImport(tx, ref, {
    ...counted(job, outcomes),
    done,
    forgotten: job.forgotten + rows.length - kept.length,
    ...(isOver && { state: 'finished' }),
  })
  if (isOver) await deleteBlocks(tx, ref)
  return !isOver
}

type Counts = Pick<ImportRow, 'added' | 'changed' | 'same' | 'failed'>

/** The counts of an import after these rows. */
export function counted(job: Counts, outcomes: (Outcome | RowError)[]): Counts {
  const counts = { added: job.added, changed: job.changed, same: job.same, failed: job.failed }
  for (const outcome of outcomes) counts['reason' in outcome ? 'failed' : outcome.kind] += 1
  return counts
}

type NumberedRow = { row: NonNullable<FileRow>; n: number }

function errorOf({ row, n }: NumberedRow, { field, reason }: RowError, country: string | null) {
  const cells = cellsOf(row)
  return { n, line: row[0], field, reason, cells, keys: keysOf(cells, country) }
}
