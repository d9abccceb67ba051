import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatMessage, ChatPage } from '@patchbay/contract/chat/protocol.ts'
import { openWindow } from './chat-window.ts'
import type { Door, DoorVisitor } from './door.ts'

/** What a visitor sees who leaves the panel open, whatever becomes of servers and connections. */
export type Onlooker = AsyncDisposable & {
  /** In the order in which they came; a panel shows nothing else. */
  shown: ChatMessage[]
  /** How often the stream was opened. */
  opened: () => number
}

/** As the panel does: the stream from the greatest number it has; what it has already is dropped, and what broke is opened again. */
export function watch(door: Door, { headers, ask }: DoorVisitor): Onlooker {
  const shown: ChatMessage[] = []
  let [opened, isOpen] = [0, true]
  const last = () => shown.at(-1)?.seq ?? 0
  const show = (messages: ChatMessage[]) => {
    for (const message of messages) if (message.seq > last()) shown.push(message)
  }

  async function lookOn(): Promise<void> {
    while (isOpen) {
      await catchUp().catch(() => {})
      await follow().catch(() => {})
      if (isOpen) await sleep(300 + 600 * Math.random()) // sixty requests a minute are a visitor's
    }
  }

  async function catchUp(): Promise<void> {
    const { status, body } = await ask('GET', `messages?after=${last()}`)
    if (status === 200) show((body as ChatPage).messages)
  }

  async function follow(): Promise<void> {
    const { url, certificate } = door.server()
    const address = `${url}/chat/${door.channelId}/stream?after=${last()}`
    using window = await openWindow({ url: address, certificate }, headers)
    if (window.status === 200) opened += 1
    while (isOpen && window.isOpen()) {
      show(window.messages())
      await sleep(50)
    }
    show(window.messages())
  }

  const looking = lookOn()
  return {
    shown,
    opened: () => opened,
    [Symbol.asyncDispose]: async () => {
      isOpen = false
      await looking
    },
  }
}
