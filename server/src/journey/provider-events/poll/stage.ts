import { startStage } from '../../../platform/jobs/loop.ts'
import type { IsDue } from '../../../platform/jobs/polling.ts'
import { type PollCtx, pollChannel } from './poll-channel.ts'
import { claimPolls, type Poll, releasePoll } from './poll-store.ts'

/** Each is one open request, nearly always idle. */
const concurrency = 200

/** What could not be kept now can perhaps be in a moment. */
const afterFailureSeconds = 3

/** Fetches from channels whose provider does not call us. A stop releases them at once, so that another process goes on. */
export function startPollingChannels(ctx: PollCtx & { isDue: IsDue }): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const stage = startStage<Poll>(
    {
      name: 'channel polls',
      concurrency,
      isDue: ctx.isDue,
      claim: (limit) => claimPolls(ctx.db, limit),
      run: async (poll) => {
        try {
          await pollChannel(ctx, poll, stopping.signal)
        } catch (error) {
          await releasePoll(ctx.db, poll, afterFailureSeconds).catch(() => {}) // then it runs out
          throw error
        }
      },
    },
    ctx.log,
  )
  return {
    stop: async () => {
      stopping.abort()
      await stage.stop()
    },
  }
}
