import { sql } from 'kysely'
import { deleteUnusedMedia, filesAtOnce } from '../../../journey/media/unused-store.ts'
import type { KeepDays } from '../../../platform/config/keep-days.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { withLockTimeout } from '../../../platform/database/lock-timeout.ts'
import type { Pause } from '../../../platform/jobs/yield-to-requests.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { removeLines } from '../../search/erase-lines.ts'
import { finishErasure } from '../erasure/finish-erasure.ts'
import { agedTables, deleteAged, detachFiles, findAged, findDueFiles, findDueLines } from './aged-store.ts'
import { findDueMessages, noteSids } from './message-store.ts'
import { removeMessages } from './remove-messages.ts'
import { removeVisitors } from './remove-visitors.ts'
import { type DueAccount, lockRetention, markRemoving } from './rule-store.ts'
import { findDueVisitors } from './visitor-store.ts'

/** The messages of one transaction, which is then short. */
const messagesAtOnce = 200
const rowsAtOnce = 500
const visitorsAtOnce = 20

/** A `messageSid` is known for 90 days after its message was removed, which is at most a day after it was noted. */
const sidsDays = 91

/** After this time no statement is running that began before: they end after 10 seconds, and intake asks every 10. */
const notedSeconds = 60

export type RemoveCtx = {
  db: Db
  keepDays: KeepDays
  hint: Hint
  pause: Pause
  stopping?: AbortSignal
  notedSeconds?: number
}

/**
 * Removes what is over, of all accounts, in small transactions with pauses: a batch of each account in turn, so that none
 * waits for all of another. Killed anywhere it leaves a batch as a whole or not at all, and the next round finds the rest.
 * A `messageSid` is noted in one round, and its message removed in the next. Returns whether there is such a next one.
 */
export async function removeOver(ctx: RemoveCtx): Promise<{ removed: number; noted: number }> {
  const { db, hint } = ctx
  const keepDays = { ...ctx.keepDays, sids: sidsDays }
  await inTurns(ctx, await findDueFiles(db, keepDays), (due) => removeFiles(ctx, due))

  let removed = 0
  const dueMessages = await findDueMessages(db, keepDays)
  const removing: Cursors = new Map()
  await inTurns(ctx, dueMessages, async (due) => {
    const next = {
      after: removing.get(due) ?? '',
      limit: messagesAtOnce,
      notedSeconds: ctx.notedSeconds ?? notedSeconds,
    }
    const batch = await inTransaction(ctx, (tx) => removeMessages(tx, due, next))
    removed += batch?.removed ?? 0
    if (batch?.removed) hint(due.accountId, 'conversations')
    return moveOn(removing, due, batch?.last)
  })
  await inTurns(ctx, await findDueLines(db, keepDays), ({ accountId, beforeId }) =>
    removeLines(db, accountId, beforeId),
  )
  await inTurns(ctx, await findDueVisitors(db, keepDays), (due) => removeNextVisitors(ctx, due))
  const noted = await noteNext(ctx, dueMessages)
  for (const aged of agedTables) {
    await inTurns(ctx, await findAged(db, keepDays, aged), async (due) => {
      const deleted = await inTransaction(ctx, (tx) => deleteAged(tx, due, { ...aged, limit: rowsAtOnce }))
      return deleted === rowsAtOnce
    })
  }
  return { removed, noted }
}

/** Notes the `messageSid`s of messages that are over, for the next round. */
async function noteNext(ctx: RemoveCtx, dueMessages: DueAccount[]): Promise<number> {
  let noted = 0
  const noting: Cursors = new Map()
  await inTurns(ctx, dueMessages, async (due) => {
    const after = noting.get(due) ?? ''
    const batch = await inTransaction(ctx, async (tx) => {
      if (after === '') await markRemoving(tx, due)
      return noteSids(tx, due, { after, limit: rowsAtOnce })
    })
    noted += batch?.noted ?? 0
    return moveOn(noting, due, batch?.last)
  })
  return noted
}

async function removeFiles(ctx: RemoveCtx, due: DueAccount): Promise<boolean> {
  const batch = await inTransaction(ctx, async (tx) => {
    const { detached, mediaIds } = await detachFiles(tx, due, { limit: filesAtOnce })
    await deleteUnusedMedia(tx, due.accountId, mediaIds)
    return detached
  })
  return batch === filesAtOnce
}

async function removeNextVisitors(ctx: RemoveCtx, due: DueAccount): Promise<boolean> {
  const gone = (await inTransaction(ctx, (tx) => removeVisitors(tx, due, visitorsAtOnce))) ?? []
  for (const contactId of gone) await finishErasure(ctx.db, { accountId: due.accountId, contactId })
  if (gone.length > 0) for (const one of ['contacts', 'conversations'] as const) ctx.hint(due.accountId, one)
  return gone.length === visitorsAtOnce
}

/** Takes a batch of each in turn, for as long as it says that there is more. */
async function inTurns<One>(
  { pause, stopping }: RemoveCtx,
  all: One[],
  batch: (one: One) => Promise<boolean>,
): Promise<void> {
  for (let rest = all; rest.length > 0; ) {
    const more: One[] = []
    for (const one of rest) {
      if (stopping?.aborted) return
      const began = performance.now()
      if (await batch(one)) more.push(one)
      await pause(performance.now() - began)
    }
    rest = more
  }
}

/** How far each account is, in this round. */
type Cursors = Map<DueAccount, string>

function moveOn(all: Cursors, due: DueAccount, last: string | undefined): boolean {
  if (last !== undefined) all.set(due, last)
  return last !== undefined
}

/**
 * Of all processes only one at a time removes something; undefined: it is another one. The commit is not waited for: after
 * a crash some of it is over again.
 */
async function inTransaction<Result>(
  { db }: RemoveCtx,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result | undefined> {
  return withLockTimeout(db, async (tx) => {
    await sql`set local synchronous_commit = off`.execute(tx)
    return (await lockRetention(tx)) ? work(tx) : undefined
  })
}
