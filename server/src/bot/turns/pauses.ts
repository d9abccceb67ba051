import type { EngineBusy } from '../../engines/common/engine.ts'
import type { AccountId } from '../../platform/ids.ts'

/** Accounts whose turns are not claimed for a moment, because the last one found its model busy. */
export type Pauses = {
  /** One more turn of the account found no slot. */
  note: (accountId: AccountId, busy: EngineBusy) => void
  /** Those to leave out now. */
  list: () => AccountId[]
}

/** It doubles with each look in vain; not longer than an answer of another campaign of the account can well wait. */
const firstMs = 500
const longestMs = 5_000

/** `wake`: a slot is free again; there may be work for it. */
export function openPauses(wake: () => void, now: () => number = () => performance.now()): Pauses {
  const pauses = new Map<AccountId, { until: number; ms: number }>()
  return {
    note: (accountId, { retryAfterSeconds, whenFree }) => {
      const before = pauses.get(accountId)
      if (before && before.until > now()) return
      const ms = Math.min(before ? 2 * before.ms : firstMs, longestMs)
      const pause = { until: now() + Math.min(ms, retryAfterSeconds * 1_000), ms }
      pauses.set(accountId, pause)
      void whenFree?.then(() => {
        if (pauses.get(accountId) === pause) pauses.delete(accountId)
        wake()
      })
    },
    list: () => {
      const at = now()
      for (const [accountId, { until }] of pauses) if (until + longestMs < at) pauses.delete(accountId)
      return [...pauses].filter(([, { until }]) => until > at).map(([accountId]) => accountId)
    },
  }
}
