import type { ReadyFile } from './attachments.ts'
import type { KeptRecords } from './kept-records.ts'

/** A reply that the server has not acknowledged. */
export type UnsentReply = {
  /** The server keeps one reply for each: sent again after a lost answer, it is the same one. */
  clientId: string
  contactId: string
  /** Empty where there is only a file. */
  body: string
  /** The way that was chosen for it. */
  channelId?: string | undefined
  /** What was attached to it, and is with the server already. */
  file?: ReadyFile | undefined
  createdAt: string
  /** The last message of the thread when it was written; the reply comes after it. */
  afterSeq: number
  /** `refused`: the server will not take it, `refusal` says why; it is not tried again by itself. */
  state: 'sending' | 'waiting' | 'refused'
  refusal?: string
}

/** The replies of the queue, oldest first, as stored in this browser. */
export function openUnsentItems(kept: KeptRecords) {
  let items: readonly UnsentReply[] = [...kept.readAll().values()].flatMap(parse).sort(byAge)
  const listeners = new Set<() => void>()
  const change = (next: readonly UnsentReply[]) => {
    items = next
    for (const listener of listeners) listener()
  }
  return {
    all: () => items,
    add: (item: UnsentReply) => {
      kept.write(item.clientId, JSON.stringify(item))
      change([...items, item])
    },
    update: (clientId: string, fields: Partial<UnsentReply>) =>
      change(items.map((item) => (item.clientId === clientId ? { ...item, ...fields } : item))),
    /** `meanwhile` runs when it is out of the list and before anybody is told. */
    remove: (clientId: string, meanwhile?: () => void) => {
      kept.remove(clientId)
      items = items.filter((item) => item.clientId !== clientId)
      meanwhile?.()
      change(items)
    },
    /** Follows what other tabs add and settle. */
    follow: (onAdded: (item: UnsentReply) => void) =>
      kept.onChange((clientId, text) => {
        if (text === null) return change(items.filter((item) => item.clientId !== clientId))
        const [item] = parse(text)
        if (!item || items.some((each) => each.clientId === clientId)) return
        change([...items, item].sort(byAge))
        onAdded(item)
      }),
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function byAge(one: UnsentReply, other: UnsentReply): number {
  return one.createdAt.localeCompare(other.createdAt)
}

/** What another version of the app stored and this one cannot read is left alone. */
function parse(text: string): UnsentReply[] {
  try {
    const {
      clientId,
      contactId,
      body = '',
      createdAt,
      afterSeq = 0,
      ...more
    } = JSON.parse(text) as Partial<UnsentReply>
    const { channelId, file } = more
    if (!clientId || !contactId || !createdAt || (body === '' && !file)) return []
    return [{ clientId, contactId, body, channelId, file, createdAt, afterSeq, state: 'waiting' }]
  } catch {
    return []
  }
}
