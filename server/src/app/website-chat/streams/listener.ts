import type { Chat } from '../entry/chat.ts'
import type { StoredChat } from '../messages/chat-store.ts'
import { showLine, showMessage, showState, type UrlOf } from '../messages/show.ts'
import type { ChatRef } from '../visitors/visitor-store.ts'
import type { ChatStream } from './chat-stream.ts'

/** One window of a visitor: what it was sent last. */
export type Listener = {
  chat: Chat
  ref: ChatRef
  /** They listen by the token of the shop. */
  isMember: boolean
  stream: ChatStream
  last: number
  linesUntil: number
  /** As JSON; empty before the first look. */
  state: string
  installation: string
  leave: () => void
}

/** Tells a window what it does not have yet. What a browser has twice it drops, so more is no harm and less is. */
export function tell(listener: Listener, chat: StoredChat | undefined, urlOf: (ref: ChatRef) => UrlOf): void {
  const { stream, ref } = listener
  const { settings } = listener.chat
  const isOver = !chat || (chat.isMembers && !listener.isMember)
  if (isOver || chat.isClosed) {
    stream.end(isOver ? 'ended' : 'closed')
    return
  }
  tellState(listener, chat)
  for (const message of chat.messages.filter(({ seq }) => seq > listener.last)) {
    stream.write('message', showMessage(settings, message, urlOf(ref)))
    listener.last = message.seq
  }
  for (const line of chat.lines.filter(({ at }) => at > listener.linesUntil)) {
    stream.write('line', showLine(settings, line))
    listener.linesUntil = line.at
  }
}

/** What a window has that is ahead of what is here never happened: this is a restored copy. */
function tellState(listener: Listener, chat: StoredChat): void {
  const { stream, installation } = listener
  const state = showState(listener.chat.settings, chat, Date.now())
  const before = listener.state
  listener.state = JSON.stringify(state)
  if (before !== '' && before !== listener.state) stream.write('state', state)
  if (before !== '') return
  stream.write('hello', { installation, state, last: chat.last })
  if (listener.last <= chat.last) return
  stream.write('reset', {})
  listener.last = chat.last
}
