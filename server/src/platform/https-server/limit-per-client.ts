import { openTally } from '../collections.ts'

export type LimitPerClient = {
  /** Takes one of the client's slots, or returns false when all are taken. Without a client there is no limit. */
  acquire: (client: string | undefined) => boolean
  release: (client: string | undefined) => void
}

/** Lets each client hold at most `most` slots. Clients that hold none take no memory. */
export function openLimitPerClient(most: number): LimitPerClient {
  const held = openTally()
  return {
    acquire: (client) => {
      if (client === undefined) return true
      if (held.of(client) >= most) return false
      held.add(client, 1)
      return true
    },
    release: (client) => {
      if (client !== undefined) held.add(client, -1)
    },
  }
}
