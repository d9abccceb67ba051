export type LimitPerClient = {
  /** Takes one of the client's slots, or returns false when all are taken. Without a client there is no limit. */
  acquire: (client: string | undefined) => boolean
  release: (client: string | undefined) => void
}

/** Lets each client hold at most `most` slots. Clients that hold none take no memory. */
export function openLimitPerClient(most: number): LimitPerClient {
  const held = new Map<string, number>()
  return {
    acquire: (client) => {
      if (client === undefined) return true
      const count = held.get(client) ?? 0
      if (count >= most) return false
      held.set(client, count + 1)
      return true
    },
    release: (client) => {
      if (client === undefined) return
      const count = held.get(client) ?? 0
      if (count > 1) held.set(client, count - 1)
      else held.delete(client)
    },
  }
}
