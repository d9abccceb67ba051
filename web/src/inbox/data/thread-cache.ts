import type { Message, Note, ThreadEvent } from '@patchbay/contract/app/messages.ts'

/**
 * What is loaded of a conversation, oldest first. `older`: where the page before it ends; null at its beginning.
 * `removedBefore`: at its beginning, from before when messages were removed.
 */
export type LoadedThread = {
  messages: readonly Message[]
  events: readonly ThreadEvent[]
  notes: readonly Note[]
  older: number | null
  removedBefore?: string | null
}

/**
 * Puts the newest page, fetched anew, over what was loaded. If so many messages are new that the page does not reach down
 * to the loaded ones, it replaces them: a thread never has a gap.
 */
export function withNewest(loaded: LoadedThread | undefined, page: LoadedThread): LoadedThread {
  const first = page.messages[0]
  if (!loaded || !first) return page
  const newest = loaded.messages.at(-1)
  if (!newest || newest.seq < first.seq - 1) return page
  if (page.older !== null) return join(loaded, page, loaded.older)
  // What was before its first message has been removed.
  return join({ ...loaded, messages: loaded.messages.filter(({ seq }) => seq >= first.seq) }, page, null)
}

/** Puts an older page before what is loaded, or over the part of it that it covers. */
export function withOlder(loaded: LoadedThread, page: LoadedThread): LoadedThread {
  const [first] = loaded.messages
  const [oldest] = page.messages
  const reachesFurther = oldest === undefined || first === undefined || oldest.seq < first.seq
  return join(page, loaded, reachesFurther ? page.older : loaded.older, page)
}

/** Adds or replaces one message, such as the reply that the server has just kept. */
export function withMessage(loaded: LoadedThread, message: Message): LoadedThread {
  return join(loaded, { messages: [message], events: [], notes: [], older: null }, loaded.older)
}

/** Adds a note that the server has just kept. */
export function withNote(loaded: LoadedThread, note: Note): LoadedThread {
  return join(loaded, { messages: [], events: [], notes: [note], older: null }, loaded.older)
}

/** The notes that were known before the newest page was read and that it should have: they were deleted. */
export function deletedNotes(known: LoadedThread | undefined, page: LoadedThread): string[] {
  const kept = new Set(page.notes.map(({ id }) => id))
  const reached = known?.notes.filter(({ seq }) => seq >= (page.older ?? 0)) ?? []
  return reached.map(({ id }) => id).filter((id) => !kept.has(id))
}

export function withoutNotes(loaded: LoadedThread, ids: readonly string[]): LoadedThread {
  return { ...loaded, notes: loaded.notes.filter(({ id }) => !ids.includes(id)) }
}

/**
 * The end of a page that must be read again to learn what became of a delivery before the newest page; undefined when all
 * of them are settled. Two messages may be far apart, so it is asked again after each page.
 */
export function unsettledBefore(loaded: LoadedThread, seq: number): number | undefined {
  const open = loaded.messages.findLast((message) => message.seq < seq && isUnsettled(message))
  return open && open.seq + 1
}

/** The highest number among messages of the contact; 0 when there are none. */
export function lastIncomingSeq({ messages }: LoadedThread): number {
  return messages.findLast(({ direction }) => direction === 'incoming')?.seq ?? 0
}

function isUnsettled({ delivery }: Message): boolean {
  return delivery !== null && delivery.status !== 'Sent'
}

/** Joins two lists of messages. `later` wins where both have the same message, unless `winner` is named. */
function join(
  earlier: LoadedThread,
  later: LoadedThread,
  older: number | null,
  winner: LoadedThread = later,
): LoadedThread {
  const loser = winner === later ? earlier : later
  const messages = new Map([...loser.messages, ...winner.messages].map((message) => [message.id, message]))
  const events = new Map([...loser.events, ...winner.events].map((event) => [event.id, event]))
  const notes = new Map([...loser.notes, ...winner.notes].map((note) => [note.id, note]))
  return {
    messages: [...messages.values()].sort((a, b) => a.seq - b.seq),
    events: [...events.values()].sort((a, b) => a.seq - b.seq || a.at.localeCompare(b.at)),
    notes: [...notes.values()].sort((a, b) => a.seq - b.seq || a.at.localeCompare(b.at)),
    older,
    removedBefore: winner.removedBefore ?? loser.removedBefore ?? null,
  }
}
