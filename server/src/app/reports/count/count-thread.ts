import type { QuarterSums } from '../sums/quarter-store.ts'
import { quarterOf, type Sums, tenthsBetween } from '../sums/sums.ts'
import type { CountedMessage, DueThread, WaitingMessages } from './message-store.ts'

type Thread = {
  key: string
  /** What waits since before these messages; none where nothing of it `endsWait`. */
  waiting: WaitingMessages[]
  /** The messages in the order of their numbers. */
  messages: CountedMessage[]
  /** After which messages somebody closed the conversation: what waited then waits no more. */
  closedAfter: number[]
}

/**
 * Adds the messages of a conversation to the sums, and returns what waits after them. A message of the contact is answered
 * by whoever replies first; it counts where it came, whenever the reply comes. A reaction is no message,
 * and a broadcast no reply.
 */
export function countThread(sums: Sums, { key, waiting, messages, closedAfter }: Thread): WaitingMessages[] {
  let open = waiting
  for (const message of messages) {
    const isClosed = (seq: number) => seq < message.seq && open.every(({ lastSeq }) => lastSeq <= seq)
    if (closedAfter.some(isClosed)) open = []
    if (message.kind === 'reaction') continue
    if (message.direction === 'incoming') {
      sums.of(message.atMs, message.channel).messagesIn += 1
      open = withMessage(open, message)
      continue
    }
    const sent = sums.of(message.atMs, message.channel)
    sent.messagesOut += 1
    if (!isReply(message)) continue
    if (message.author === 'bot') addOnce(sent.botKeys, key)
    if (message.author === 'person') addOnce(sent.personKeys, key)
    answer(sums, open, message)
    open = []
  }
  return open
}

const isReply = ({ direction, kind, isBroadcast }: Pick<CountedMessage, 'direction' | 'kind' | 'isBroadcast'>) =>
  direction === 'outgoing' && kind !== 'reaction' && !isBroadcast

/**
 * Whether what waits in a conversation may wait no more after these messages. Otherwise they only add to it, and it need not
 * be read: where nobody ever answers, that would be more with each message.
 */
export function endsWait({ messages, closedAfter }: Pick<DueThread, 'messages' | 'closedAfter'>): boolean {
  return closedAfter.length > 0 || messages.some(isReply)
}

function withMessage(open: WaitingMessages[], { seq, atMs, channel }: CountedMessage): WaitingMessages[] {
  const quarter = quarterOf(atMs)
  const same = open.find((one) => one.quarter === quarter && one.channel === channel)
  if (!same) return [...open, { quarter, channel, messages: 1, firstSeq: seq, firstAtMs: atMs, lastSeq: seq }]
  const more = { ...same, messages: same.messages + 1, lastSeq: Math.max(same.lastSeq, seq) }
  return open.map((one) => (one === same ? more : one))
}

/** The wait began with the first message: there its length is counted. */
function answer(sums: Sums, open: WaitingMessages[], { atMs, author }: CountedMessage): void {
  const [first] = open.toSorted((a, b) => a.firstSeq - b.firstSeq)
  if (!first) return
  sums.of(first.quarter, first.channel).responses.push(tenthsBetween(first.firstAtMs, atMs))
  for (const { quarter, channel, messages } of open) {
    const asked = sums.of(quarter, channel)
    if (author === 'bot') asked.byBot += messages
    else if (author === 'person') asked.byPerson += messages
    else asked.byApi += messages
  }
}

export function addOnce(keys: string[], key: string): void {
  if (!keys.includes(key)) keys.push(key)
}

/** The mark of a later answer is the greater one. */
export function noteLastAnswer({ answerKeys, answerMarks }: QuarterSums, key: string, mark: number): void {
  const at = answerKeys.indexOf(key)
  if (at === -1) {
    answerKeys.push(key)
    answerMarks.push(mark)
  } else answerMarks[at] = Math.max(answerMarks[at] ?? 0, mark)
}
