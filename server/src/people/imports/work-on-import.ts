import type { Db } from '../../platform/database/db.ts'
import type { Pause } from '../../platform/jobs/yield-to-requests.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { readRowsFrom } from './block-store.ts'
import { findCandidates } from './contact-store.ts'
import { type DueImport, giveBack, putOff, renewLease } from './due-store.ts'
import { type GivenRow, isRowError, readRow } from './file/read-row.ts'
import { importBatch } from './import-batch.ts'
import { Matching } from './match.ts'
import { readFile, refuseImport } from './read-file.ts'
import { findImport, type ImportRef, lockImport, updateImport } from './store.ts'

type WorkCtx = { db: Db; secretKey: Buffer; hint: Hint; pause: Pause; stopping: AbortSignal }

/** After so long another import has its turn. */
const turnMs = 2_000

/** So many take some five minutes with the waits in between, in which a database or a held row should be back. */
const mostAttempts = 8

/** Screens with contacts fetch them anew so often at most, while an import changes them all the time. */
const refreshMs = 3_000

/** Works on an import for a turn: reads its file, checks its rows, or imports them, block by block. */
export async function workOnImport(ctx: WorkCtx, job: DueImport, forMs = turnMs): Promise<void> {
  const until = performance.now() + forMs
  try {
    if (job.attempts > mostAttempts) await giveUp(ctx, job)
    else if (job.state === 'reading') await readFile({ ...ctx, until }, job)
    else await workOnRows(ctx, job, until)
  } catch (error) {
    await putOff(ctx.db, job).catch(() => {}) // its lease runs out
    throw error
  } finally {
    ctx.hint(job.accountId, 'imports')
  }
  await giveBack(ctx.db, job)
}

/** Whatever is wrong with it, it takes the time of others no longer. What is in stays in. */
async function giveUp({ db }: WorkCtx, job: DueImport): Promise<void> {
  const what = job.state === 'running' ? 'The rows that are not in could not be imported' : 'The file could not be read'
  const refusal = `${what}: it was tried ${mostAttempts} times, and failed. Divide the file, and import its parts.`
  await db.transaction().execute(async (tx) => {
    if (await renewLease(tx, job)) await refuseImport(tx, job, refusal)
  })
}

async function workOnRows(ctx: WorkCtx, job: DueImport, until: number): Promise<void> {
  const { db, hint, pause, stopping } = ctx
  const { accountId, state } = job
  let refreshedAt = 0
  let hasMore = true
  do {
    const began = performance.now()
    if (!(await db.transaction().execute((tx) => renewLease(tx, job)))) return
    hasMore = await (state === 'checking' ? checkBlock(db, job) : importBatch({ ...ctx, until }, job))
    hint(accountId, 'imports')
    if (state === 'running' && (!hasMore || began - refreshedAt > refreshMs)) {
      for (const topic of ['contacts', 'lists'] as const) hint(accountId, topic)
      refreshedAt = began
    }
    await pause(performance.now() - began)
  } while (hasMore && performance.now() < until && !stopping.aborted)
}

/**
 * Looks at the next rows as the mapping is now, and changes nothing but the numbers of the preview. Known contacts are
 * counted as they are at this moment, so their number is about right. Returns whether there is more to do.
 */
async function checkBlock(db: Db, ref: ImportRef): Promise<boolean> {
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
