import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Product } from '../product.ts'

export type OldRemoval = {
  /** How many messages were removed so far, in how many rounds; and how many rounds a fault has ended. */
  counts: { removed: number; rounds: number; ended: number }
  stop: () => Promise<void>
}

const everyMs = 20_000

/**
 * Removes what is older than some minutes, with the code of the attacked checkout: the product counts in days, and a run
 * lasts for half an hour. `removed_sids` are kept for 91 days here too.
 */
export async function startOldRemoval({ server, database }: Product, keptMinutes: number): Promise<OldRemoval> {
  const load = (file: string) => import(pathToFileURL(join(server, 'server', file)).href)
  const { openWorkDb }: typeof import('../../../server/src/platform/database/db.ts') =
    await load('src/platform/database/db.ts')
  const { openLog }: typeof import('../../../server/src/platform/log.ts') = await load('src/platform/log.ts')
  const { removeOver }: typeof import('../../../server/src/app/removal/retention/remove-over.ts') = await load(
    'src/app/removal/retention/remove-over.ts',
  )
  const { openYieldToRequests }: typeof import('../../../server/src/platform/jobs/yield-to-requests.ts') = await load(
    'src/platform/jobs/yield-to-requests.ts',
  )
  const days = keptMinutes / (24 * 60)
  const keepDays = {
    messages: days,
    attachments: days,
    answers: days,
    attempts: days,
    unanswered: days,
    calls: days,
    audit: 365,
  }
  const stopping = new AbortController()
  const { signal } = stopping
  const counts = { removed: 0, rounds: 0, ended: 0 }
  const db = openWorkDb(database, openLog('silent').log)
  const pause = openYieldToRequests(signal, 1 / 8)

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        const { removed } = await removeOver({ db, keepDays, hint: () => {}, pause, stopping: signal })
        counts.removed += removed
        counts.rounds += 1
      } catch {
        counts.ended += 1 // the database was killed; what was removed before that is
      }
      await sleep(everyMs, undefined, { signal }).catch(() => {}) // it stops
    }
    await db.destroy()
  }

  const running = run()
  return {
    counts,
    stop: () => {
      stopping.abort()
      return running
    },
  }
}
