import type { Message } from '@patchbay/contract/app/messages.ts'
import type { KeptRecords } from './kept-records.ts'
import { openUnsentItems, type UnsentReply } from './unsent-items.ts'

export type SendQueue = {
  items: () => readonly UnsentReply[]
  add: (reply: Pick<UnsentReply, 'contactId' | 'body' | 'channelId' | 'file' | 'afterSeq'>) => void
  /** Tries all that wait now: the connection is back, or somebody asked for it. */
  tryNow: () => void
  /** Forgets a refused reply. */
  drop: (clientId: string) => void
  subscribe: (listener: () => void) => () => void
}

export type SendQueueParts = {
  kept: KeptRecords
  post: (reply: UnsentReply) => Promise<Message>
  /** Is called in the moment in which the reply leaves the queue. */
  onSent: (reply: UnsentReply, message: Message) => void
  /** Returns a sentence if trying again cannot help. */
  refusalOf: (error: unknown) => string | undefined
  newId: () => string
}

/** How long a reply of another tab is left to that tab. */
const othersFirstMs = 5_000

/**
 * Replies on their way. Each is stored before it is sent and until the server has acknowledged it, and is tried with the
 * same `clientId` until then, so that none is lost and none is doubled, whatever happens to connection, page or tab. Those
 * of one conversation leave one after the other, in their order.
 */
export function openSendQueue({ kept, post, onSent, refusalOf, newId }: SendQueueParts): SendQueue {
  const items = openUnsentItems(kept)
  /** Tries to send a reply, and says whether it was settled, one way or the other. */
  const trySend = async (item: UnsentReply): Promise<boolean> => {
    items.update(item.clientId, { state: 'sending' })
    try {
      const message = await post(item)
      // The message takes the place of the reply in one step: it is never shown twice, nor missing in between.
      items.remove(item.clientId, () => onSent(item, message))
      return true
    } catch (error) {
      const refusal = refusalOf(error)
      items.update(item.clientId, refusal === undefined ? { state: 'waiting' } : { state: 'refused', refusal })
      return refusal !== undefined
    }
  }
  const next = (contactId: string) =>
    items.all().find((item) => item.contactId === contactId && item.state !== 'refused')
  const line = openLines(async (contactId) => {
    const item = next(contactId)
    return item === undefined ? 'empty' : (await trySend(item)) ? 'settled' : 'failed'
  })
  items.follow(({ contactId }) => void line.run(contactId, othersFirstMs))
  for (const { contactId } of items.all()) void line.run(contactId)
  return {
    items: items.all,
    add: (reply) => {
      items.add({ ...reply, clientId: newId(), createdAt: new Date().toISOString(), state: 'sending' })
      void line.run(reply.contactId)
    },
    tryNow: () => {
      for (const { clientId, state } of items.all())
        if (state === 'refused') items.update(clientId, { state: 'waiting' })
      line.wakeAll()
      for (const { contactId } of items.all()) void line.run(contactId)
    },
    drop: (clientId) => items.remove(clientId),
    subscribe: items.subscribe,
  }
}

/** One line for each conversation, in which one reply at a time is tried; after a failure it waits. */
function openLines(step: (contactId: string) => Promise<'empty' | 'settled' | 'failed'>) {
  const wakers = new Map<string, () => void>()
  const pause = (contactId: string, ms: number) =>
    new Promise<void>((done) => {
      const timer = setTimeout(done, ms)
      wakers.set(contactId, () => {
        clearTimeout(timer)
        done()
      })
    })
  return {
    run: async (contactId: string, firstWaitMs = 0): Promise<void> => {
      if (wakers.has(contactId)) return
      wakers.set(contactId, () => {})
      if (firstWaitMs > 0) await pause(contactId, firstWaitMs)
      for (let failures = 0; ; ) {
        const result = await step(contactId)
        if (result === 'empty') break
        if (result === 'settled') failures = 0
        else await pause(contactId, retryDelay(failures++))
      }
      wakers.delete(contactId)
    },
    wakeAll: () => {
      for (const wake of wakers.values()) wake()
    },
  }
}

/** The delay doubles after each failure, up to half a minute. */
function retryDelay(failures: number): number {
  return Math.min(30_000, 1_000 * 2 ** failures)
}
