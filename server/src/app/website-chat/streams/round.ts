import type { ContactId } from '../../../platform/ids.ts'

/** An account can look at three contacts at a time: one is left to who is named meanwhile. */
const atOnce = 2

/** Looks at everybody, a few at a time: who is named meanwhile does not wait for thousands. Who waits for a look gets one, not two. */
export function openRound(look: (contactId: ContactId) => Promise<void>): (contacts: Iterable<ContactId>) => void {
  const waiting = new Set<ContactId>()
  let underWay = 0

  async function goRound(): Promise<void> {
    underWay += 1
    for (const contactId of waiting) {
      waiting.delete(contactId)
      await look(contactId)
    }
    underWay -= 1
  }

  return (contacts) => {
    for (const contactId of contacts) waiting.add(contactId)
    while (underWay < atOnce && waiting.size > 0) void goRound()
  }
}
