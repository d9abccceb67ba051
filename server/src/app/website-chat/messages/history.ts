import { type ChatPage, chatLimits } from '@patchbay/contract/chat/protocol.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Chat } from '../entry/chat.ts'
import { ended } from '../entry/refused.ts'
import type { ChatRef } from '../visitors/visitor-store.ts'
import { readChat, type StoredChat } from './chat-store.ts'
import { pollAfterSeconds, showLine, showMessage, showState, type UrlOf } from './show.ts'

type Ctx = Readonly<{ db: Db; installation: () => Promise<string>; urlOf: (ref: ChatRef) => UrlOf }>

/** `pollAfter`: when to ask again, in seconds. Without a page there is nothing new. */
export type History = { page: ChatPage | undefined; pollAfter: number }

/** A line at the end of what a browser has may be newer than its last question: it is told for so long. */
const lineNewsMs = 2 * 60_000

/** A part of a chat: its end, what came after a number, or what was before it. */
export async function readHistory(
  { db, installation, urlOf }: Ctx,
  { chat: { settings }, ref }: { chat: Chat; ref: ChatRef },
  { after, before }: { after: number | undefined; before: number | undefined },
): Promise<History> {
  const { page: most } = chatLimits
  const chat = await readChat(db, ref, { after, before, limit: most + 1 })
  if (!chat) throw ended()
  const now = Date.now()
  const pollAfter = pollAfterSeconds(chat, now)
  const lines = after === undefined ? chat.lines : newLines(chat, after, now)
  if (after !== undefined && chat.messages.length + lines.length === 0 && after <= chat.last) {
    return { page: undefined, pollAfter }
  }
  const hasMore = chat.messages.length > most
  const messages = hasMore ? cut(chat, after !== undefined, most) : chat.messages
  const first = messages[0]?.seq ?? 0
  const end = messages.at(-1)?.seq ?? Number.POSITIVE_INFINITY
  const within = lines.filter(({ seq }) => seq >= first && (seq <= end || !hasMore))
  const page: ChatPage = {
    installation: await installation(),
    messages: messages.map((one) => showMessage(settings, one, urlOf(ref))),
    lines: (after === undefined ? within : lines).map((line) => showLine(settings, line)),
    state: showState(settings, chat, now),
    last: chat.last,
    hasOlder: hasMore && after === undefined,
    read: chat.read,
  }
  return { page, pollAfter: hasMore ? 3 : pollAfter }
}

/** One more was read than is shown, to know that there are more: the oldest of the end, the newest of what came. */
function cut({ messages }: StoredChat, isAfter: boolean, most: number): StoredChat['messages'] {
  return isAfter ? messages.slice(0, most) : messages.slice(-most)
}

function newLines({ lines }: StoredChat, after: number, now: number): StoredChat['lines'] {
  return lines.filter(({ seq, at }) => seq > after || now - at < lineNewsMs)
}
