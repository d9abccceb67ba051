import { keyOf, type Receiver } from '../../outbox/receiver.ts'

/**
 * Receivers that this process has reason to unhealthy: the last attempt failed, or one is taking long. They share slots of
 * their own, so that those who hang wait for each other, and never does somebody who is well wait for them. Who is not
 * known is trusted: after its first attempt it is known.
 */
export type UnhealthyReceivers = {
  has: (receiver: Receiver) => boolean
  begin: (receiver: Receiver) => void
  end: (receiver: Receiver) => void
}

/** Beyond so many the oldest are forgotten, and found out about again. */
const mostKnown = 20_000

export function openUnhealthyReceivers(): UnhealthyReceivers {
  const doubted = new Set<string>()
  return {
    has: (receiver) => doubted.size > 0 && doubted.has(keyOf(receiver)),
    begin: (receiver) => {
      doubted.add(keyOf(receiver))
      const [oldest] = doubted.size > mostKnown ? doubted : []
      if (oldest !== undefined) doubted.delete(oldest)
    },
    end: (receiver) => void (doubted.size > 0 && doubted.delete(keyOf(receiver))),
  }
}
