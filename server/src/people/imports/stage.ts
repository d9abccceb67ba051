import { randomUUID } from 'node:crypto'
import type { Db } from '../../platform/database/db.ts'
import { type RunningStage, startStage } from '../../platform/jobs/loop.ts'
import type { IsDue } from '../../platform/jobs/polling.ts'
import { openYieldToRequests } from '../../platform/jobs/yield-to-requests.ts'
import type { Log } from '../../platform/log.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { claimImport, type DueImport } from './due-store.ts'
import { workOnImport } from './work-on-import.ts'

/** The share of the time while requests come without a break: an import of 100,000 rows takes some minutes then. */
const shareWhenBusy = 1 / 8

/**
 * A block is some 50 ms of work. What it takes longer than this, it waited: on a machine that is overloaded, pauses after
 * the whole time made an import of 100,000 rows last for hours.
 */
const mostWorkMs = 150

/** Imports files of contacts, those of all accounts in turn. */
export function startImporting(
  { db, secretKey, hint, isDue }: { db: Db; secretKey: Buffer; hint: Hint; isDue: IsDue },
  log: Log,
): RunningStage<DueImport> {
  const stopping = new AbortController()
  const yieldToRequests = openYieldToRequests(stopping.signal, shareWhenBusy)
  const pause = (tookMs: number) => yieldToRequests(Math.min(tookMs, mostWorkMs))
  const stage = startStage<DueImport>(
    {
      name: 'imports',
      concurrency: 1,
      isDue,
      claim: () => claimImport(db, randomUUID()),
      run: (job) => workOnImport({ db, secretKey, hint, pause, stopping: stopping.signal }, job),
    },
    log,
  )
  return {
    ...stage,
    stop: () => {
      stopping.abort() // what is done is done; another process goes on
      return stage.stop()
    },
  }
}
