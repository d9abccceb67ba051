import type { OutgoingStatus } from '@patchbay/contract/messages.ts'

/** Which status may follow which: a failure may be mended by a later attempt, what has arrived stays arrived. */
const followers: Record<OutgoingStatus, readonly OutgoingStatus[]> = {
  Waiting: ['Sent', 'Failed'],
  Failed: ['Sent', 'Failed'],
  Sent: [],
}

export const firstStatus: OutgoingStatus = 'Waiting'

/** The statuses that this one may follow. */
export function statusesBefore(status: OutgoingStatus): OutgoingStatus[] {
  const all: OutgoingStatus[] = ['Waiting', 'Sent', 'Failed']
  return all.filter((before) => followers[before].includes(status))
}
