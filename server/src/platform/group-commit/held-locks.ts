/** Locks that somebody held a moment ago, and that shared statements had better not wait for. */
export type HeldLocks = {
  isEmpty: () => boolean
  has: (lock: unknown) => boolean
  /** Whether so many locks of one owner are held that others of theirs are likely to be. */
  hasMany: (owner: string) => boolean
  add: (lock: unknown, owner: string) => void
  delete: (lock: unknown) => void
}

const rememberedMs = 10_000
const mostRemembered = 1_000
const many = 3

export function openHeldLocks(now: () => number): HeldLocks {
  const held = new Map<unknown, { owner: string; until: number }>()
  const ofOwner = new Map<string, number>()

  function forget(lock: unknown): void {
    const owner = held.get(lock)?.owner
    if (owner === undefined) return
    held.delete(lock)
    const left = (ofOwner.get(owner) ?? 0) - 1
    left > 0 ? ofOwner.set(owner, left) : ofOwner.delete(owner)
  }

  /** The oldest come first, because each is added again whenever it is met. */
  function forgetOld(): void {
    for (const [lock, { until }] of held) {
      if (until > now() && held.size <= mostRemembered) return
      forget(lock)
    }
  }

  return {
    isEmpty: () => {
      if (held.size > 0) forgetOld()
      return held.size === 0
    },
    has: (lock) => (held.get(lock)?.until ?? 0) > now(),
    hasMany: (owner) => (ofOwner.get(owner) ?? 0) >= many,
    add: (lock, owner) => {
      forget(lock)
      held.set(lock, { owner, until: now() + rememberedMs })
      ofOwner.set(owner, (ofOwner.get(owner) ?? 0) + 1)
      forgetOld()
    },
    delete: forget,
  }
}
