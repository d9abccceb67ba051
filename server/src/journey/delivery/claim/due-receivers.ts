import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { keyOf, type Receiver } from '../../../outbox/receivers.ts'
import type { ClaimRequest, LeaseBudget } from '../slots/lease-budget.ts'

/** The receivers for which events may be due, as far as this process knows without a query. */
export type DueReceivers = {
  add: (receiver: Receiver) => void
  has: (receiver: Receiver) => boolean
  /** Reserves budget for the receivers to claim for next, and takes them off the list, in the order they were added. */
  takeRequests: (atMost: number) => ClaimRequest[]
  /** The claim returned these events: the rest of the reserved budget is free again. */
  endClaim: (requests: ClaimRequest[], events: LeasedEvent[]) => void
  /**
   * An event of this receiver was settled. If the last claim for it returned less than its budget, because the others
   * were queued behind that event in their conversation, it is worth another claim. True: it was added again.
   */
  addIfUnderfilled: (receiver: Receiver) => boolean
}

export function openDueReceivers(leaseBudget: LeaseBudget): DueReceivers {
  const due = new Map<string, Receiver>()
  /** Receivers whose last claim returned less than its budget. */
  const underfilled = new Set<string>()

  function add({ accountId, receiverId }: Receiver): void {
    due.set(keyOf({ accountId, receiverId }), { accountId, receiverId })
  }

  return {
    add,
    has: (receiver) => due.has(keyOf(receiver)),
    takeRequests: (atMost) => {
      const requests: ClaimRequest[] = []
      let left = atMost
      for (const [key, receiver] of due) {
        const request = leaseBudget.reserveClaim(receiver, left)
        if (!request) continue // it stays due until more of its budget is free
        requests.push(request)
        left -= request.budget
        due.delete(key)
      }
      return requests
    },
    endClaim: (requests, events) => {
      const byReceiver = Map.groupBy(events, keyOf)
      for (const request of requests) {
        const key = keyOf(request)
        const claimed = byReceiver.get(key) ?? []
        leaseBudget.endClaim(request, claimed)
        if (claimed.length === request.budget) add(request)
        else underfilled.add(key)
      }
    },
    addIfUnderfilled: (receiver) => {
      const wasUnderfilled = underfilled.delete(keyOf(receiver))
      if (wasUnderfilled) add(receiver)
      return wasUnderfilled
    },
  }
}
