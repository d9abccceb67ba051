import type { Message } from '@patchbay/contract/app/messages.ts'
import type { UnsentReply } from './unsent-items.ts'

/**
 * The replies of a conversation to show as being sent. The stream may report a reply before the answer to its own request
 * arrives: one that is in the thread already is not shown a second time.
 */
export function unsentShown(
  unsent: readonly UnsentReply[],
  { contactId, messages, userId }: { contactId: string; messages: readonly Message[]; userId: string },
): UnsentReply[] {
  const taken = new Set<string>()
  return unsent.filter((item) => {
    if (item.contactId !== contactId) return false
    const arrived = messages.find(
      ({ id, seq, author, body, userId: writer }) =>
        seq > item.afterSeq && author === 'person' && writer === userId && body === item.body && !taken.has(id),
    )
    if (arrived) taken.add(arrived.id)
    return arrived === undefined
  })
}
