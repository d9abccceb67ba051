import { parsePhone } from '../contacts/phone.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { withLockTimeout } from '../platform/database/lock-timeout.ts'
import { hasSqlState } from '../platform/database/sql-state.ts'
import { parseEmail } from '../platform/text/email.ts'
import { blockRows, deleteBlocks, type FileRow, readRowsFrom } from './block-store.ts'
import { insertErrors } from './error-store.ts'
import { type Fault, readRow } from './file/read-row.ts'
import { Again, importRows } from './import-rows.ts'
import type { Outcome } from './match.ts'
import { type ImportRef, type ImportRow, lockImport, updateImport } from './store.ts'

type Ctx = { db: Db; secretKey: Buffer }

/** After so many lost races for a batch, a quarter of it is tried: in the end one row, which meets one other at most. */
const triesOfABatch = 3

/**
 * Imports the next rows in one transaction with the number of rows that are done: a process that dies leaves all of them
 * or none, and two processes cannot both do them. Returns whether there is more to do.
 */
export async function importBatch({ db, secretKey }: Ctx, ref: ImportRef): Promise<boolean> {
  for (let tries = 1, most = blockRows; ; tries += 1) {
    try {
      return await withLockTimeout(db, (tx) => importNext(tx, { ...ref, secretKey }, most))
    } catch (error) {
      // 23505: two contacts of the batch exchange a phone number, or somebody else has taken it.
      if (!(error instanceof Again || hasSqlState(error, '23505'))) throw error
      if (tries % triesOfABatch === 0) most = Math.ceil(most / 4)
      if (tries > 10 * triesOfABatch) throw error
    }
  }
}

async function importNext(tx: Tx, { secretKey, ...ref }: ImportRef & { secretKey: Buffer }, most: number) {
  const job = await lockImport(tx, ref)
  if (job?.state !== 'running') return false
  const rows = (await readRowsFrom(tx, ref, job.done)).slice(0, most)
  const kept = rows.flatMap((row, at) => (row === null ? [] : [{ row, n: job.done + at }]))
  const given = kept.map(({ row: [, ...cells] }) => readRow(job, cells))
  const how = { ...ref, secretKey, listId: job.listId, overwrites: job.overwrites }
  const outcomes = await importRows(tx, how, given)
  const errors = outcomes.flatMap((outcome, at) => {
    const one = kept[at]
    return one && 'reason' in outcome ? [errorOf(one, outcome)] : []
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

/** The counts of an import after these rows. */
export function counted(
  job: Pick<ImportRow, 'added' | 'changed' | 'same' | 'failed'>,
  outcomes: (Outcome | Fault)[],
): Pick<ImportRow, 'added' | 'changed' | 'same' | 'failed'> {
  const counts = { added: job.added, changed: job.changed, same: job.same, failed: job.failed }
  for (const outcome of outcomes) counts['reason' in outcome ? 'failed' : outcome.kind] += 1
  return counts
}

type Numbered = { row: NonNullable<FileRow>; n: number }

function errorOf({ row: [line, ...cells], n }: Numbered, { field, reason }: Fault) {
  return { n, line, field, reason, cells, keys: keysOf(cells) }
}

/** What in these cells could identify somebody, spelled as a contact has it. */
export function keysOf(cells: string[]): string[] {
  const keys = cells.flatMap((cell) => {
    const text = cell.trim()
    return text === '' ? [] : [parsePhone(text) ?? parseEmail(text) ?? text]
  })
  return [...new Set(keys)]
}
