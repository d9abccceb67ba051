import type { AccountId } from '../../platform/ids.ts'
import { type RunningStage, startStage } from '../../platform/jobs/loop.ts'
import type { IsDue } from '../../platform/jobs/polling.ts'
import type { Log } from '../../platform/log.ts'
import { type FetchCtx, fetchMedia } from './fetch.ts'
import { claimFetches, type Fetch } from './fetch-store.ts'

/** A file of up to 10 MiB is in memory while it is fetched, and no account may use all of the capacity. */
const concurrency = 4
const perAccount = 2

/** Fetches the files that messages name by their address. */
export function startMediaFetching(ctx: FetchCtx & { isDue: IsDue }, log: Log): RunningStage<Fetch> {
  const fetching = new Map<AccountId, number>()
  const count = (accountId: AccountId, change: number) =>
    fetching.set(accountId, (fetching.get(accountId) ?? 0) + change)

  const stage = startStage<Fetch>(
    {
      name: 'media',
      concurrency,
      isDue: ctx.isDue,
      claim: async (limit) => {
        const busy = [...fetching].filter(([, n]) => n > 0).map(([accountId]) => accountId)
        const fetches = await claimFetches(ctx.db, { limit, perAccount, busy })
        for (const { accountId } of fetches) count(accountId, 1)
        return fetches
      },
      run: (fetch) =>
        fetchMedia(ctx, fetch).finally(() => {
          if (count(fetch.accountId, -1).get(fetch.accountId) !== 0) return
          fetching.delete(fetch.accountId)
          stage.wake() // the claim skipped this account while it was busy
        }),
    },
    log,
  )
  return stage
}
