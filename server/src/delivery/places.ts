import { randomUUID } from 'node:crypto'
import type { Receiver } from './store.ts'

/** How many attempts may be on their way at once, to one receiver and to all, and how many are. */
export type Places = {
  freeFor: (receiver: Receiver) => number
  take: (receiver: Receiver) => void
  leave: (receiver: Receiver) => void
  /** Takes a place for an event that is yet to be written; undefined when none is free. */
  reserve: (receiver: Receiver) => string | undefined
  /** The event was written: the place stays taken, under no token. */
  use: (token: string) => void
  giveBack: (token: string) => void
}

export function openPlaces({ perReceiver, inAll }: { perReceiver: number; inAll: number }): Places {
  const taken = new Map<string, number>()
  const reserved = new Map<string, Receiver>()
  let all = 0

  function freeFor(receiver: Receiver): number {
    return Math.min(perReceiver - (taken.get(keyOf(receiver)) ?? 0), inAll - all)
  }

  function take(receiver: Receiver): void {
    taken.set(keyOf(receiver), (taken.get(keyOf(receiver)) ?? 0) + 1)
    all += 1
  }

  function leave(receiver: Receiver): void {
    const left = (taken.get(keyOf(receiver)) ?? 0) - 1
    if (left > 0) taken.set(keyOf(receiver), left)
    else taken.delete(keyOf(receiver))
    all -= 1
  }

  return {
    freeFor,
    take,
    leave,
    reserve: (receiver) => {
      if (freeFor(receiver) <= 0) return undefined
      take(receiver)
      const token = randomUUID()
      reserved.set(token, receiver)
      return token
    },
    use: (token) => void reserved.delete(token),
    giveBack: (token) => {
      const receiver = reserved.get(token)
      if (receiver && reserved.delete(token)) leave(receiver)
    },
  }
}

export function keyOf({ accountId, kind }: Receiver): string {
  return `${kind} ${accountId}`
}
