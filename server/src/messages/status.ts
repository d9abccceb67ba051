/**
 * The statuses of a message that we send. `Waiting` is ours, before the first attempt; the other two are the
 * specification's. An incoming message has whatever status its sender gave it.
 */
export type OutgoingStatus = 'Waiting' | 'Sent' | 'Failed'

/** Which status may follow which: a failure may be mended by a later attempt, what was received stays received. */
const followers: Record<OutgoingStatus, readonly OutgoingStatus[]> = {
  Waiting: ['Sent', 'Failed'],
  Failed: ['Sent', 'Failed'],
  Sent: [],
}

export const firstStatus: OutgoingStatus = 'Waiting'

export function mayFollow(from: OutgoingStatus, to: OutgoingStatus): boolean {
  return followers[from].includes(to)
}
