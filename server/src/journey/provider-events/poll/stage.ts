import { startStage } from '../../../platform/jobs/loop.ts'
import type { IsDue } from '../../../platform/jobs/polling.ts'
import { loadKind } from '../../channels/load-kind.ts'
import { catchUp } from './catch-up.ts'
import { type PollCtx, pollChannel, type TurnOf } from './poll-channel.ts'
import { askSoon, claimPolls, isAnyWaiting, type Poll, releasePoll } from './poll-store.ts'

/**
 * Each slot is one open request, nearly always idle. Where there are more channels than slots, each asks briefly and gives its slot
 * up after its turn, so that all of them are fetched from, and wait the longer the more they are.
 */
const usual = { slots: 200, turnMs: 2_000 }

/** What could not be kept now can perhaps be in a moment. */
const afterFailureSeconds = 3

/** Fetches from channels whose provider does not call us, and from others what may be missing. A stop releases them at once, so that another process goes on. */
export function startPollingChannels(
  ctx: PollCtx & { isDue: IsDue },
  { slots, turnMs } = usual,
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  let taken = 0
  const asking = askSoon(ctx.db).catch((error) =>
    ctx.log.warn({ reason: String(error) }, 'what came while nobody was here is asked for later'),
  )
  const stage = startStage<Poll>(
    {
      name: 'channel polls',
      concurrency: slots,
      isDue: ctx.isDue,
      claim: (limit) => claimPolls(ctx.db, limit),
      run: async (poll) => {
        const endsAt = performance.now() + turnMs
        const turnOf: TurnOf = async () => {
          if (taken < slots || !(await isAnyWaiting(ctx.db))) return 'free'
          return performance.now() > endsAt ? 'over' : 'brief'
        }
        taken += 1
        try {
          await fetchFrom(ctx, poll, stopping.signal, turnOf)
        } catch (error) {
          await releasePoll(ctx.db, poll, afterFailureSeconds).catch(() => {}) // then it runs out
          throw error
        } finally {
          taken -= 1
        }
      },
    },
    ctx.log,
  )
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all([asking, stage.stop()])
    },
  }
}

async function fetchFrom(ctx: PollCtx, poll: Poll, stopping: AbortSignal, turnOf: TurnOf): Promise<void> {
  const kind = await loadKind(poll.kind)
  const catchesUp = kind.leaves === 'by a request' && kind.catchUp !== null
  return catchesUp ? catchUp(ctx, poll, stopping) : pollChannel(ctx, poll, stopping, turnOf)
}
