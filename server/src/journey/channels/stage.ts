import { type RunningStage, startStage } from '../../platform/jobs/loop.ts'
import type { IsDue } from '../../platform/jobs/polling.ts'
import { type CheckCtx, checkChannel } from './check.ts'
import { type ChannelRef, claimChecks } from './store.ts'

/** Looks at channels: every hour at those that work, every ten minutes at the others, and at once after a change. */
export function startCheckingChannels(ctx: CheckCtx & { isDue: IsDue }): RunningStage<ChannelRef> {
  return startStage<ChannelRef>(
    {
      name: 'channel checks',
      concurrency: 4,
      isDue: ctx.isDue,
      claim: (limit) => claimChecks(ctx.db, limit),
      run: (ref) => checkChannel(ctx, ref),
    },
    ctx.log,
  )
}
