import { hintAtCredits } from '../../business/credits/hint-at-credits.ts'
import type { Dispatcher } from '../../outbox/dispatcher.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { startStage } from '../../platform/jobs/loop.ts'
import type { IsDue } from '../../platform/jobs/polling.ts'
import type { Log } from '../../platform/log.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { advance } from './queue/advance.ts'
import { type BroadcastRef, listActive } from './record/store.ts'
import { claimMark, type Mark } from './results/answers-store.ts'
import { scanResults } from './results/scan-results.ts'

type Ctx = Readonly<{
  db: Db
  secretKey: Buffer
  hint: Hint
  inFlightPerReceiver: number
  inFlightPerChannel: number
  dispatcher: Dispatcher
  isDue: IsDue
}>

export type Broadcasting = {
  /** A broadcast may have been started or resumed. */
  wake: () => void
  /** A delivery of this account is over: its broadcasts may go on. */
  wakeFor: (accountId: AccountId) => void
  stop: () => Promise<void>
}

/** Steps of broadcasts that one process runs at once. */
const concurrency = 4

/** Broadcasts that one look finds. Each that has nothing to do for the moment is looked at again a second later. */
const lookedAt = 1_000

/**
 * Half of what may be in flight to a receiver is for broadcasts, so that a reply of a person or the bot always finds a
 * free slot.
 */
const windowOf = (inFlight: number) => Math.max(1, Math.floor(inFlight / 2))

/** Runs the broadcasts of all accounts, together with any number of other processes. */
export function startBroadcasting(ctx: Ctx, log: Log): Broadcasting {
  const { db, hint } = ctx
  const windows = { window: windowOf(ctx.inFlightPerReceiver), channelWindow: windowOf(ctx.inFlightPerChannel) }
  const advanceCtx = { ...ctx, ...windows }
  const turns = openTurns()

  const stage = startStage<BroadcastRef>(
    {
      name: 'broadcasts',
      concurrency,
      isDue: ctx.isDue,
      claim: async (limit) => turns.take(await listActive(db, lookedAt), limit),
      run: async (ref) => {
        let againInMs = 1_000
        try {
          const step = await advance(advanceCtx, ref)
          againInMs = step.againInMs
          for (const contactId of step.recipients) hint(ref.accountId, contactId)
          if (step.isCharged) await hintAtCredits(ctx, ref.accountId)
          if (step.hasChanged) hint(ref.accountId, 'broadcasts')
        } finally {
          setTimeout(stage.wake, turns.end(ref, againInMs)).unref()
        }
      },
    },
    log,
  )

  const results = startStage<Mark>(
    {
      name: 'broadcast results',
      concurrency: 1,
      isDue: ctx.isDue,
      claim: () => claimMark(db),
      run: async (mark) => {
        const { hasChanged } = await scanResults(db, mark)
        if (hasChanged) hint(mark.accountId, 'broadcasts')
      },
    },
    log,
  )

  return {
    wake: () => {
      turns.wake()
      stage.wake()
    },
    wakeFor: (accountId) => {
      if (turns.wake(accountId)) stage.wake()
    },
    stop: async () => void (await Promise.all([stage.stop(), results.stop()])),
  }
}

/** When each broadcast may have something to do, by the clock of this process. One step of each at a time. */
function openTurns() {
  const turns = new Map<string, { accountId: AccountId; at: number; isRunning: boolean }>()
  return {
    take: (active: BroadcastRef[], limit: number): BroadcastRef[] => {
      const ids = new Set<string>(active.map(({ broadcastId }) => broadcastId))
      for (const id of turns.keys()) if (!ids.has(id)) turns.delete(id) // it is over
      const now = performance.now()
      const isDue = ({ accountId, broadcastId }: BroadcastRef) => {
        const turn = turns.getOrInsert(broadcastId, { accountId, at: 0, isRunning: false })
        return !turn.isRunning && turn.at <= now
      }
      const taken = active.filter(isDue).slice(0, limit)
      for (const { accountId, broadcastId } of taken) {
        turns.set(broadcastId, { accountId, at: Infinity, isRunning: true })
      }
      return taken
    },
    /** Returns in how many milliseconds to look again: at once if it was woken while it ran. */
    end: ({ accountId, broadcastId }: BroadcastRef, againInMs: number): number => {
      const isWoken = turns.get(broadcastId)?.at !== Infinity
      const inMs = isWoken ? 0 : againInMs
      turns.set(broadcastId, { accountId, at: performance.now() + inMs, isRunning: false })
      return Math.ceil(inMs)
    },
    /** Returns whether this process knows of one. */
    wake: (accountId?: AccountId): boolean => {
      const woken = [...turns.values()].filter((turn) => accountId === undefined || turn.accountId === accountId)
      for (const turn of woken) turn.at = 0
      return woken.length > 0
    },
  }
}
