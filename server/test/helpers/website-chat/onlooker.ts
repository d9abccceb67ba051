import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatMessage, ChatPage } from '@patchbay/contract/chat/protocol.ts'
import { openStream } from './stream.ts'
import type { Door, Visitor } from './visitor.ts'

/** What a visitor sees who leaves the panel open, whatever becomes of servers and connections. */
export type Onlooker = {
  /** In the order in which they came; a panel shows nothing else. */
  shown: ChatMessage[]
  /** How often the stream was opened anew. */
  opened: () => number
  [Symbol.asyncDispose]: () => Promise<void>
}

/** As the panel does: the stream from the greatest number it has; what it has already is dropped, and what broke is opened again. */
export function watch(door: Door, { headers, ask }: Visitor): Onlooker {
  const shown: ChatMessage[] = []
  const last = () => shown.at(-1)?.seq ?? 0
  const show = (message: ChatMessage) => {
    if (message.seq > last()) shown.push(message)
  }
  let [opened, isOpen] = [0, true]

  async function lookOn(): Promise<void> {
    while (isOpen) {
      await catchUp().catch(() => {})
      await follow().catch(() => {})
      if (isOpen) await sleep(300 + 600 * Math.random()) // sixty requests a minute are a visitor's
    }
  }

  async function catchUp(): Promise<void> {
    const { status, body } = await ask('GET', `messages?after=${last()}`)
    if (status === 200) for (const message of (body as ChatPage).messages) show(message)
  }

  async function follow(): Promise<void> {
    const url = `${door.url()}/chat/${door.channelId}/stream?after=${last()}`
    using stream = await openStream({
      ...{ url, headers },
      onEvent: ({ event, data }) => event === 'message' && show(data),
    })
    if (stream.status !== 200) return
    opened += 1
    await Promise.race([stream.ended, stopped])
  }

  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  const looking = lookOn()
  return {
    shown,
    opened: () => opened,
    [Symbol.asyncDispose]: async () => {
      isOpen = false
      stop()
      await looking
    },
  }
}
