import type { ChatLine, ChatMessage } from '@patchbay/contract/chat/protocol.ts'
import type { Pending, State } from '../state.ts'

/** What stands in the list of messages, from top to bottom. The key stays that of the same thing. */
export type Row = { key: string } & (
  | { is: 'older'; isLoading: boolean }
  | { is: 'fold'; messages: readonly ChatMessage[] }
  | { is: 'day'; at: number; isToday: boolean; isYesterday: boolean }
  | { is: 'greeting'; text: string; at: number; byBot: boolean }
  | { is: 'message'; message: ChatMessage; hasMeta: boolean }
  | { is: 'line'; line: ChatLine }
  | { is: 'choices'; message: ChatMessage }
  | { is: 'pending'; pending: Pending }
  | { is: 'typing'; by: 'bot' | 'person'; name: string | null }
  | { is: 'email'; email: State['email'] }
  | { is: 'note'; note: NonNullable<State['note']> }
)

type Around = {
  greeting: string
  hasBot: boolean
  /** When the panel was opened. */
  openedAt: number
  now: number
}

export function rowsOf(state: State, { greeting, hasBot, openedAt, now }: Around): Row[] {
  const rows: Row[] = []
  const day = openDays(rows, now)
  if (state.fold.length > 0) rows.push({ is: 'fold', key: 'fold', messages: state.fold })
  if (state.hasOlder) rows.push({ is: 'older', key: 'older', isLoading: state.isLoading })
  else if (greeting !== '' && !(state.isLoading && state.messages.length === 0)) {
    const at = state.messages[0]?.at ?? state.pending[0]?.at ?? openedAt
    day(at)
    rows.push({ is: 'greeting', key: 'greeting', text: greeting, at, byBot: hasBot })
  }
  const lines = [...state.lines]
  const addLines = (upTo: number) => {
    while (lines[0] && lines[0].seq <= upTo) {
      const line = lines.shift() as ChatLine
      rows.push({ is: 'line', key: `line ${line.id}`, line })
    }
  }
  for (const [at, message] of state.messages.entries()) {
    addLines(message.seq - 1)
    day(message.at)
    rows.push({
      is: 'message',
      key: `message ${message.seq}`,
      message,
      hasMeta: endsGroup(message, state.messages[at + 1], state.lines),
    })
  }
  addLines(Number.POSITIVE_INFINITY)
  addEnd(rows, state)
  return rows
}

function addEnd(rows: Row[], state: State): void {
  const last = state.messages[state.messages.length - 1]
  for (const pending of state.pending) rows.push({ is: 'pending', key: `pending ${pending.id}`, pending })
  if (last && last.from !== 'visitor' && last.choices.length > 0 && state.pending.length === 0)
    rows.push({ is: 'choices', key: `choices ${last.seq}`, message: last })
  if (state.typing) rows.push({ is: 'typing', key: 'typing', by: state.typing.by, name: state.now.name })
  if (state.email !== 'not asked') rows.push({ is: 'email', key: 'email', email: state.email })
  if (state.note) rows.push({ is: 'note', key: 'note', note: state.note })
}

/** Adds the day where another one begins. */
function openDays(rows: Row[], now: number): (at: number) => void {
  let last = ''
  const [today, yesterday] = [dayOf(now), dayOf(now - 86_400_000)]
  return (at) => {
    const day = dayOf(at)
    if (day === last) return
    last = day
    rows.push({ is: 'day', key: `day ${day}`, at, isToday: day === today, isYesterday: day === yesterday })
  }
}

const dayOf = (at: number) => new Date(at).toDateString()

/** Of messages that one wrote in one minute, the last says who and when. */
function endsGroup(message: ChatMessage, after: ChatMessage | undefined, lines: readonly ChatLine[]): boolean {
  if (!after || after.from !== message.from || after.name !== message.name) return true
  if (Math.floor(after.at / 60_000) !== Math.floor(message.at / 60_000)) return true
  return lines.some(({ seq }) => message.seq <= seq && seq < after.seq)
}
