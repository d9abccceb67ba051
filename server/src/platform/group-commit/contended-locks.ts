import { openTally } from '../collections.ts'

/** Locks that a statement has recently timed out on: shared batches leave out the rows that need them. */
export type ContendedLocks = {
  isEmpty: () => boolean
  has: (lock: unknown) => boolean
  /** Whether so many locks of one owner are contended that further ones of this owner are likely to be. */
  hasMany: (owner: string) => boolean
  add: (lock: unknown, owner: string) => void
  delete: (lock: unknown) => void
}

const rememberedMs = 10_000
const mostRemembered = 1_000
const many = 3

export function openContendedLocks(now: () => number): ContendedLocks {
  const contended = new Map<unknown, { owner: string; until: number }>()
  const ofOwner = openTally()

  function forget(lock: unknown): void {
    const owner = contended.get(lock)?.owner
    if (owner === undefined) return
    contended.delete(lock)
    ofOwner.add(owner, -1)
  }

  /** The map iterates from the oldest on, because a lock is added anew at every timeout. */
  function forgetOld(): void {
    for (const [lock, { until }] of contended) {
      if (until > now() && contended.size <= mostRemembered) return
      forget(lock)
    }
  }

  return {
    isEmpty: () => {
      if (contended.size > 0) forgetOld()
      return contended.size === 0
    },
    has: (lock) => (contended.get(lock)?.until ?? 0) > now(),
    hasMany: (owner) => ofOwner.of(owner) >= many,
    add: (lock, owner) => {
      forget(lock)
      contended.set(lock, { owner, until: now() + rememberedMs })
      ofOwner.add(owner, 1)
      forgetOld()
    },
    delete: forget,
  }
}
