import type { EngineBusy } from '../../../answers/engines/common/engine.ts'
import type { AccountId } from '../../../platform/ids.ts'

/** Accounts whose turns are not claimed for a moment, because the last one found no slot for its model. */
export type AccountBackoff = {
  /** One more turn of the account found no slot. */
  add: (accountId: AccountId, busy: EngineBusy) => void
  /** The accounts in backoff now. */
  accounts: () => AccountId[]
}

/** It doubles with each attempt that finds no slot; the maximum is what an answer of another campaign can well wait. */
const firstMs = 500
const longestMs = 5_000

/** `wake` is called when a slot is free again. */
export function openAccountBackoff(wake: () => void, now: () => number = () => performance.now()): AccountBackoff {
  const backoffs = new Map<AccountId, { until: number; ms: number }>()
  return {
    add: (accountId, { retryAfterSeconds, whenFree }) => {
      const before = backoffs.get(accountId)
      if (before && before.until > now()) return
      const ms = Math.min(before ? 2 * before.ms : firstMs, longestMs)
      const backoff = { until: now() + Math.min(ms, retryAfterSeconds * 1_000), ms }
      backoffs.set(accountId, backoff)
      void whenFree?.then(() => {
        if (backoffs.get(accountId) === backoff) backoffs.delete(accountId)
        wake()
      })
    },
    accounts: () => {
      const at = now()
      for (const [accountId, { until }] of backoffs) if (until + longestMs < at) backoffs.delete(accountId)
      return [...backoffs].filter(([, { until }]) => until > at).map(([accountId]) => accountId)
    },
  }
}
