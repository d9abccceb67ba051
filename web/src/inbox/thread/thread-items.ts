import type { Message, MessageDetails, Note, ThreadEvent } from '@patchbay/contract/app/messages.ts'
import type { LoadedThread } from '../data/thread-cache.ts'
import { isTold, tickOf } from './tick.ts'

/** What the thread shows, one after the other. */
export type ThreadItem =
  | { kind: 'day'; key: string; at: string }
  | Between
  | {
      kind: 'message'
      key: string
      message: Message
      reactions: readonly Message[]
      /** Which of its buttons were tapped. */
      tapped: ReadonlySet<string>
      news: News
      hasReceipt: boolean
      channelShown: ChannelShown
    }

/** What a receipt shows of the channel: its name where it is not that of the receipt before, else its mark; nothing where there is one custom channel. */
export type ChannelShown = 'name' | 'mark' | 'none'

/** What of a visitor is other than at their message before: the page they write on, the language of the chat. */
export type News = { page: MessageDetails['page']; language: string | null }

/** What stands between messages: after the message with its `seq`. */
type Between = { kind: 'event'; key: string; event: ThreadEvent } | { kind: 'note'; key: string; note: Note }

const placeOf = (item: Between) => (item.kind === 'event' ? item.event : item.note)

/** Messages of one author within this time share a receipt, which stands at the last of them. */
const groupedWithinMs = 2 * 60_000

export function threadItems({ messages, events, notes }: LoadedThread): ThreadItem[] {
  const there = messages.filter((message) => message.kind !== 'reaction' || !message.details?.takenBackAt)
  const reactions = reactionsByMessage(there)
  const placed = new Set([...reactions.values()].flat())
  const shown = there.filter((message) => !placed.has(message))
  const taps = tapsByMessage(there)
  const channelShown = openChannelShown(shown)
  const news = newsByMessage(shown)
  const pending = [
    ...events.map((event): Between => ({ kind: 'event', key: event.id, event })),
    ...notes.map((note): Between => ({ kind: 'note', key: note.id, note })),
  ].sort((a, b) => placeOf(a).seq - placeOf(b).seq || placeOf(a).at.localeCompare(placeOf(b).at))
  const items: ThreadItem[] = []
  let day: string | undefined
  let told = noNews
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
      next !== undefined &&
      isOneGroup(message, next) &&
      !news.has(next) &&
      !pending.some((item) => placeOf(item).seq < next.seq)
    told = news.get(message) ?? told // what is new with the first of a group is in its receipt, at the last
    items.push({
      kind: 'message',
      key: message.id,
      message,
      reactions: reactions.get(message.id) ?? [],
      tapped: taps.get(message.id) ?? noTaps,
      news: told,
      hasReceipt: !isGrouped,
      channelShown: isGrouped ? 'none' : channelShown(message),
    })
    if (!isGrouped) told = noNews
  }
  for (const item of pending) {
    enter(placeOf(item).at)
    items.push(item)
  }
  return items
}

const noTaps: ReadonlySet<string> = new Set()
const noNews: News = { page: null, language: null }

/** Which buttons of our messages were tapped. A tap that names no message is on the last one that offered it. */
function tapsByMessage(messages: readonly Message[]): Map<string, Set<string>> {
  const taps = new Map<string, Set<string>>()
  for (const [index, { details }] of messages.entries()) {
    const choice = details?.choice
    if (!choice) continue
    const target = details.replyTo
      ? details.replyTo.messageId
      : messages.slice(0, index).findLast((message) => offers(message, choice))?.id
    if (target) taps.set(target, new Set([...(taps.get(target) ?? []), choice]))
  }
  return taps
}

function offers({ delivery }: Message, choice: string): boolean {
  return delivery?.overChannel?.choices.some(({ id }) => id === choice) === true
}

/** Of those messages of visitors with which something is new. The language of whoever reads is no news at first. */
function newsByMessage(messages: readonly Message[]): Map<Message, News> {
  const found = new Map<Message, News>()
  let before = { url: '', language: navigator.language.split('-')[0] ?? '' }
  for (const message of messages) {
    const { page = null, language = null } = message.details ?? {}
    const news = {
      page: page?.url === before.url ? null : page,
      language: language === before.language ? null : language,
    }
    before = { url: page?.url ?? before.url, language: language ?? before.language }
    if (news.page || news.language) found.set(message, news)
  }
  return found
}

/** Goes from receipt to receipt. */
function openChannelShown(shown: readonly Message[]): (message: Message) => ChannelShown {
  const labels = new Set(shown.map(({ channel }) => channel.label))
  const isPlain = labels.size < 2 && shown.every(({ channel }) => channel.kind === null)
  let before: string | undefined
  return ({ channel }) => {
    if (isPlain) return 'none'
    const isSame = before === channel.label
    before = channel.label
    return isSame ? 'mark' : 'name'
  }
}

/**
 * A reaction sits on the message that it names, where that is loaded; one that names none, as over a custom channel, on our last message
 * before it. Without one it stays a message of its own. Of several that are the same one is kept.
 */
function reactionsByMessage(messages: readonly Message[]): Map<string, Message[]> {
  const found = new Map<string, Message[]>()
  const byId = new Map(messages.map((message) => [message.id, message]))
  let ours: Message | undefined
  for (const message of messages) {
    if (message.kind === 'text' && message.direction === 'outgoing') ours = message
    if (message.kind !== 'reaction' || message.direction !== 'incoming') continue
    const named = message.details?.replyTo
    const target = named ? byId.get(named.messageId ?? '') : ours
    if (target) found.set(target.id, [...(found.get(target.id) ?? []), message])
  }
  return found
}

/** Whether both have the same author and the same state, so that one receipt tells the truth about both. */
function isOneGroup(message: Message, next: Message): boolean {
  if (message.hasAnswer || message.broadcast || hasOwnToSay(message) || hasOwnToSay(next)) return false
  const isSame =
    message.author === next.author &&
    message.userId === next.userId &&
    message.channel.label === next.channel.label &&
    message.delivery?.status === next.delivery?.status &&
    stateOf(message) === stateOf(next) &&
    message.details?.isSigned === next.details?.isSigned &&
    message.delivery?.fault?.category === next.delivery?.fault?.category
  const apart = Date.parse(next.createdAt) - Date.parse(message.createdAt)
  return isSame && apart < groupedWithinMs && isSameDay(message.createdAt, next.createdAt)
}

const stateOf = ({ delivery }: Message) => delivery && tickOf(delivery)

/** What failed, may have arrived twice, was edited or tapped says so in a receipt of its own. */
function hasOwnToSay({ delivery, details }: Message): boolean {
  return (delivery !== null && isTold(tickOf(delivery))) || (details !== null && !isQuoteAlone(details))
}

function isQuoteAlone({ writtenAt, edited, takenBackAt, choice, described }: MessageDetails): boolean {
  return !writtenAt && !edited && !takenBackAt && choice === null && described === null
}

function isSameDay(one: string, other: string): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString()
}

/** Removes and returns what comes before the message with this number. */
function takeBefore(items: Between[], seq: number): Between[] {
  const count = items.findIndex((item) => placeOf(item).seq >= seq)
  return items.splice(0, count < 0 ? items.length : count)
}
