import type {
  ChatFile,
  ChatLine,
  ChatMarks,
  ChatMessage,
  ChatPage,
  ChatPosted,
  ChatRefusal,
  ChatState,
} from '@patchbay/contract/chat/protocol.ts'

/** What was written and is not known to be kept. */
export type Pending = {
  id: string
  text: string
  choice: string | null
  /** Milliseconds since 1970. */
  at: number
  file: (Pick<ChatFile, 'name' | 'contentType'> & { sizeBytes: number }) | null
  /** Of a file that has arrived there. */
  fileId: string | null
  sentBytes: number
  is: 'sending' | 'waits' | 'failed'
  why: Failure | null
  /** When it is tried again, where the server has said so. */
  againAt: number | null
}

export type Failure = 'too large' | 'too long' | 'type' | 'lost' | 'slow down' | 'full' | 'refused'

export type State = {
  isOpen: boolean
  /** False: they have not written, so there is nothing to read. */
  hasBegun: boolean
  isLoading: boolean
  installation: string | null
  messages: readonly ChatMessage[]
  lines: readonly ChatLine[]
  pending: readonly Pending[]
  now: ChatState
  hasOlder: boolean
  typing: { by: 'bot' | 'person'; until: number } | null
  isOffline: boolean
  refusal: ChatRefusal | null
  email: 'not asked' | 'asked' | 'keeping' | 'kept' | 'failed' | 'wrong'
  /** What was written here before they signed in. */
  fold: readonly ChatMessage[]
  note: 'ends with page' | 'deleted' | 'asked to delete' | null
}

export type Action =
  | { is: 'opened' | 'closed' | 'loading' | 'asks email' }
  | { is: 'emptied'; now: ChatState; hasBegun: boolean }
  | { is: 'page'; page: ChatPage }
  | { is: 'older'; page: ChatPage | null }
  | { is: 'message'; message: ChatMessage }
  | { is: 'line'; line: ChatLine }
  | { is: 'state'; now: ChatState; installation?: string }
  | { is: 'typing'; by: 'bot' | 'person'; until: number }
  | { is: 'typing over'; at: number }
  | { is: 'written'; pending: Pending }
  | { is: 'pending'; id: string; change: Partial<Pending> }
  | { is: 'dropped'; id: string }
  | { is: 'sent'; id: string; posted: ChatPosted; file: ChatFile | null }
  | { is: 'reached'; isReached: boolean }
  | { is: 'refused'; reason: ChatRefusal | null }
  | { is: 'email'; email: State['email'] }
  | { is: 'fold'; messages: readonly ChatMessage[] }
  | { is: 'note'; note: State['note'] }

export function newState(now: ChatState, hasBegun: boolean, pending: readonly Pending[] = []): State {
  return {
    isOpen: false,
    hasBegun,
    isLoading: false,
    installation: null,
    messages: [],
    lines: [],
    pending,
    now,
    hasOlder: false,
    typing: null,
    isOffline: false,
    refusal: null,
    email: 'not asked',
    fold: [],
    note: null,
  }
}

/** The whole of what the chat does with what happens. It asks nobody, and no clock. */
export function next(state: State, action: Action): State {
  switch (action.is) {
    case 'opened':
      return { ...state, isOpen: true }
    case 'closed':
      return { ...state, isOpen: false, typing: null }
    case 'loading':
      return { ...state, isLoading: true }
    case 'asks email':
      return state.email === 'not asked' ? { ...state, email: 'asked' } : state
    case 'emptied':
      return { ...newState(action.now, action.hasBegun), isOpen: state.isOpen, note: state.note }
    case 'typing':
      return { ...state, typing: { by: action.by, until: action.until } }
    case 'typing over':
      return state.typing && state.typing.until <= action.at ? { ...state, typing: null } : state
    case 'reached':
      return { ...state, isOffline: !action.isReached }
    case 'refused':
      return { ...state, refusal: action.reason, typing: null, isLoading: false }
    case 'email':
      return { ...state, email: action.email }
    case 'fold':
      return { ...state, fold: action.messages }
    case 'note':
      return { ...state, note: action.note }
    case 'page':
      return withPage(state, action.page)
    case 'older':
      return withOlder(state, action.page)
    case 'message':
      return withMessages(state, [action.message])
    case 'line':
      return { ...state, lines: mergedLines(state.lines, [action.line]) }
    case 'state':
      return { ...state, now: action.now, installation: action.installation ?? state.installation }
    case 'written':
      return { ...state, hasBegun: true, note: null, pending: [...state.pending, action.pending] }
    case 'pending':
      return { ...state, pending: changed(state.pending, action.id, action.change) }
    case 'dropped':
      return { ...state, pending: state.pending.filter(({ id }) => id !== action.id) }
    case 'sent':
      return withSent(state, action)
  }
}

function withPage(state: State, page: ChatPage): State {
  const isFirst = state.messages.length === 0
  const merged = withMessages({ ...state, isLoading: false }, page.messages)
  return {
    ...merged,
    lines: mergedLines(merged.lines, page.lines),
    now: page.state,
    installation: page.installation,
    hasOlder: isFirst ? page.hasOlder : state.hasOlder,
    hasBegun: state.hasBegun || page.last > 0,
  }
}

function withOlder(state: State, page: ChatPage | null): State {
  if (!page) return { ...state, isLoading: false, hasOlder: false }
  const merged = withMessages({ ...state, isLoading: false }, page.messages)
  return { ...merged, lines: mergedLines(merged.lines, page.lines), hasOlder: page.hasOlder }
}

/** Each number once, in order; what was waiting here and has arrived there waits no more. */
function withMessages(state: State, added: readonly ChatMessage[]): State {
  const known = new Map(state.messages.map((message) => [message.seq, message]))
  const fresh = added.filter(({ seq }) => !known.has(seq))
  for (const message of added) known.set(message.seq, message)
  const ids = new Set(added.map(({ id }) => id))
  const isAnswered = fresh.some(({ from }) => from !== 'visitor')
  return {
    ...state,
    messages: [...known.values()].sort((one, other) => one.seq - other.seq),
    pending: state.pending.filter(({ id }) => !ids.has(id)),
    typing: isAnswered ? null : state.typing,
  }
}

function mergedLines(lines: readonly ChatLine[], added: readonly ChatLine[]): readonly ChatLine[] {
  const known = new Map([...lines, ...added].map((line) => [line.id, line]))
  return [...known.values()].sort((one, other) => one.seq - other.seq || one.at - other.at)
}

function changed(pending: readonly Pending[], id: string, change: Partial<Pending>): readonly Pending[] {
  return pending.map((each) => (each.id === id ? { ...each, ...change } : each))
}

function withSent(state: State, { id, posted, file }: Extract<Action, { is: 'sent' }>): State {
  const message: ChatMessage = { ...posted, id, file, from: 'visitor', name: null, choices: [] }
  const isKnown = state.messages.some(({ seq }) => seq === posted.seq)
  const rest = { ...state, refusal: null, pending: state.pending.filter((each) => each.id !== id) }
  return isKnown ? rest : withMessages(rest, [message])
}

/** The greatest number that is shown. */
export function lastOf({ messages }: Pick<State, 'messages'>): number {
  return messages[messages.length - 1]?.seq ?? 0
}

/** How far the shop's messages have come: here, and into view. */
export function marksOf({ messages }: Pick<State, 'messages'>, seenUpTo: number): ChatMarks {
  const theirs = messages.filter(({ from }) => from !== 'visitor').map(({ seq }) => seq)
  return { delivered: theirs[theirs.length - 1] ?? 0, read: theirs.filter((seq) => seq <= seenUpTo).pop() ?? 0 }
}
