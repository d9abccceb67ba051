export type LimitPerOwner = {
  /** Takes one of the owner's share, or says false when all of it is taken. Nobody's share has no end. */
  take: (owner: string | undefined) => boolean
  giveBack: (owner: string | undefined) => void
}

/** Counts what each owner holds, and lets nobody hold more than `most`. Owners who hold nothing are forgotten. */
export function openLimitPerOwner(most: number): LimitPerOwner {
  const held = new Map<string, number>()
  return {
    take: (owner) => {
      if (owner === undefined) return true
      const count = held.get(owner) ?? 0
      if (count >= most) return false
      held.set(owner, count + 1)
      return true
    },
    giveBack: (owner) => {
      if (owner === undefined) return
      const count = held.get(owner) ?? 0
      if (count > 1) held.set(owner, count - 1)
      else held.delete(owner)
    },
  }
}
