import type { Message, Note, ThreadEvent } from '@patchbay/contract/app/messages.ts'
import type { LoadedThread } from '../data/thread-cache.ts'

/** What the thread shows, one after the other. */
export type ThreadItem =
  | { kind: 'day'; key: string; at: string }
  | Between
  | { kind: 'message'; key: string; message: Message; reactions: readonly Message[]; hasReceipt: boolean }

/** What stands between messages: after the message with its `seq`. */
type Between = { kind: 'event'; key: string; event: ThreadEvent } | { kind: 'note'; key: string; note: Note }

const placeOf = (item: Between) => (item.kind === 'event' ? item.event : item.note)

/** Messages of one author within this time share a receipt, which stands at the last of them. */
const groupedWithinMs = 2 * 60_000

export function threadItems({ messages, events, notes }: LoadedThread): ThreadItem[] {
  const reactions = reactionsByMessage(messages)
  const placed = new Set([...reactions.values()].flat())
  const shown = messages.filter((message) => !placed.has(message))
  const pending = [
    ...events.map((event): Between => ({ kind: 'event', key: event.id, event })),
    ...notes.map((note): Between => ({ kind: 'note', key: note.id, note })),
  ].sort((a, b) => placeOf(a).seq - placeOf(b).seq || placeOf(a).at.localeCompare(placeOf(b).at))
  const items: ThreadItem[] = []
  let day: string | undefined
  const enter = (at: string) => {
    const own = new Date(at).toDateString() // in the browser's zone
    if (own !== day) items.push({ kind: 'day', key: `day ${own}`, at })
    day = own
  }
  for (const [index, message] of shown.entries()) {
    for (const item of takeBefore(pending, message.seq)) {
      enter(placeOf(item).at)
      items.push(item)
    }
    enter(message.createdAt)
    const next = shown[index + 1]
    const isGrouped =
      next !== undefined && isOneGroup(message, next) && !pending.some((item) => placeOf(item).seq < next.seq)
    items.push({
      kind: 'message',
      key: message.id,
      message,
      reactions: reactions.get(message.id) ?? [],
      hasReceipt: !isGrouped,
    })
  }
  for (const item of pending) {
    enter(placeOf(item).at)
    items.push(item)
  }
  return items
}

/**
 * A reaction names no message: it sits on our last message before it. Without one it stays a message of its own. Of
 * several that are the same one is kept.
 */
function reactionsByMessage(messages: readonly Message[]): Map<string, Message[]> {
  const found = new Map<string, Message[]>()
  let ours: Message | undefined
  for (const message of messages) {
    if (message.kind === 'text' && message.direction === 'outgoing') ours = message
    if (message.kind !== 'reaction' || message.direction !== 'incoming' || !ours) continue
    found.set(ours.id, [...(found.get(ours.id) ?? []), message])
  }
  return found
}

/** Whether both have the same author and the same state, so that one receipt tells the truth about both. */
function isOneGroup(message: Message, next: Message): boolean {
  if (message.hasAnswer || message.broadcast || message.delivery?.status === 'Failed') return false // each has something of its own to say
  const isSame =
    message.author === next.author &&
    message.userId === next.userId &&
    message.channel.label === next.channel.label &&
    message.delivery?.status === next.delivery?.status
  const apart = Date.parse(next.createdAt) - Date.parse(message.createdAt)
  return isSame && apart < groupedWithinMs && isSameDay(message.createdAt, next.createdAt)
}

function isSameDay(one: string, other: string): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString()
}

/** Removes and returns what comes before the message with this number. */
function takeBefore(items: Between[], seq: number): Between[] {
  const count = items.findIndex((item) => placeOf(item).seq >= seq)
  return items.splice(0, count < 0 ? items.length : count)
}
