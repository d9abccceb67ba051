import type { Shell } from '../shell.ts'
import type { Source } from '../source/source.ts'
import { type Action, next, type State } from '../state.ts'
import type { PanelView } from '../view/panel.ts'
import type { Words } from '../words/words.ts'

/** What the parts of an opened chat share. Each of them does one thing to it: read, send, mark. */
export type Talk = {
  shell: Shell
  source: Source
  words: Words
  view: PanelView
  state: State
  /** The page is away, or about to be. */
  isAsleep: boolean
  /** Stops what is followed; none: nothing is. */
  unfollow: (() => void) | undefined
  /** It was said that the chat ends with the page. */
  isPassing: boolean
  /** The first page has been read. */
  isRead: boolean
  /** Of files that wait: they last as long as the page. */
  files: Map<string, { file: File; stop: AbortController }>
  /** That somebody is writing is said once a turn. */
  typing: { isSaid: boolean }
  /** Called after every change. */
  drawn: () => void
  /** Reads everything once more. */
  again: () => void
  /** A message is kept: there is a chat now. `isFirst`: none was known before. */
  sent: (isFirst: boolean) => void
  /** The key has ended; what is written here stays, for the next one. */
  beginAnew: () => void
}

export function act(talk: Talk, action: Action): void {
  const before = talk.state
  talk.state = next(before, action)
  if (talk.state === before) return
  const hasPending = talk.state.pending.length + before.pending.length > 0
  if (hasPending && talk.state.pending !== before.pending)
    talk.shell.memory.saveTab({ pending: [...talk.state.pending] })
  draw(talk)
}

function draw(talk: Talk): void {
  if (!talk.state.isOpen) return
  talk.view.draw(talk.state)
  talk.drawn()
}
