import type { ChatLine, ChatMessage, ChatState } from '@patchbay/contract/chat/protocol.ts'
import type { WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import { openingAt } from '../../../journey/channels/kinds/webchat/hours.ts'
import { shownName } from '../entry/chat.ts'
import { idOfSid } from '../who/bearer.ts'
import type { StoredChat, StoredLine, StoredMessage } from './chat-store.ts'
import { isShownPicture } from './file-types.ts'

/** How a file of a message is fetched, for an hour. */
export type UrlOf = (message: StoredMessage) => string

/** A message as its visitor sees it. */
export function showMessage(settings: WebchatSettings, message: StoredMessage, urlOf: UrlOf): ChatMessage {
  const { seq, at, author, userName, text, sid, choices, file } = message
  const from = author === 'contact' ? 'visitor' : author === 'bot' ? 'bot' : 'person'
  return {
    ...{ seq, at, from, text },
    name: from === 'person' ? shownName(settings, userName) : null,
    id: from === 'visitor' && sid !== null ? idOfSid(sid) : null,
    choices: choices ?? [],
    file: file && {
      name: file.name ?? 'file',
      contentType: file.contentType,
      sizeBytes: file.sizeBytes,
      url: file.state === 'stored' ? urlOf(message) : null,
      isPicture: isShownPicture(file.contentType),
    },
  }
}

export function showLine(settings: WebchatSettings, { id, seq, at, kind, userName }: StoredLine): ChatLine {
  return { id, seq, at, is: kind === 'taken over' ? 'joined' : 'assistant again', name: shownName(settings, userName) }
}

/** Who waits for so long is asked for an e-mail address. */
const longWaitMs = 3 * 60_000

/** Who answers now. `chat`: undefined before the first message. */
export function showState(settings: WebchatSettings, chat: StoredChat, at: number): ChatState {
  const { isOpen, opensAt } = openingAt(settings.hours, at)
  const { by, name } = answererOf(settings, chat)
  const hasWaited = !isOpen || (chat.waitsForMs ?? 0) >= longWaitMs
  return { by, name, isOpen, opensAt, mayAskEmail: settings.asksEmail && !chat.hasEmail && chat.isWaiting && hasWaited }
}

function answererOf(settings: WebchatSettings, chat: StoredChat): Pick<ChatState, 'by' | 'name'> {
  const { handler, handlerReason, handlerName, hasHandlerUser, isBotActive, isWaiting } = chat
  // One that the bot has handed over belongs to nobody yet.
  const hasPerson =
    handler === 'person' && (hasHandlerUser || handlerReason === 'typed' || handlerReason === 'taken over')
  if (hasPerson) return { by: 'person', name: shownName(settings, handlerName) }
  const isBots = isBotActive && !isWaiting && (handler === null || handler === 'bot')
  return { by: isBots ? 'bot' : 'nobody', name: null }
}

/** How soon a browser without a stream asks again: soon while somebody may be about to answer. */
export function pollAfterSeconds({ lastAt, lastIsTheirs, handler }: StoredChat, at: number): number {
  const idleMs = lastAt === null ? Number.POSITIVE_INFINITY : at - lastAt
  if (idleMs < 2 * 60_000) return lastIsTheirs && handler !== 'person' ? 3 : 5
  return idleMs < 15 * 60_000 ? 15 : 60
}
