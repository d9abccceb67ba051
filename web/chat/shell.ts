import type { ChatLanguage, ChatPage, ChatSettings, ChatState } from '@patchbay/contract/chat/protocol.ts'
import type { Memory } from './page/memory.ts'
import type { Request } from './page/request.ts'
import type { Tabs, TabWord } from './page/tabs.ts'
import type { Watch } from './page/watch.ts'

export type Identity = 'none' | 'member' | 'refused' | 'expired'

export type EventValues = {
  ready: undefined
  open: undefined
  close: undefined
  /** How many. */
  unread: number
  sent: undefined
  identity: Identity
}
export type Tell = <Name extends keyof EventValues>(name: Name, value: EventValues[Name]) => void

/** What the loader gives to the panel: all that was there before it, and that goes on when it is closed. */
export type Shell = {
  settings: ChatSettings
  language: ChatLanguage
  /** Of the server. */
  origin: string
  root: ShadowRoot
  /** The panel stands in it. */
  place: HTMLElement
  memory: Memory
  tabs: Tabs
  watch: Watch
  request: Request
  /** Of whoever writes now; none: nobody has written. */
  bearer: () => string | undefined
  identity: () => Identity
  state: () => ChatState
  tell: Tell
  /** What of theirs is unread, and what else the launcher shows. */
  refresh: () => void
  /** Aborted when all of it goes, as a preview does; on a page never. */
  end: AbortSignal
  /** The panel covers the screen. */
  isFull: () => boolean
  close: () => void
  /** The token does not hold any more, or never did. */
  refuseToken: (why: 'refused' | 'expired') => void
  /** Nothing of this chat stays, in this tab and in others. */
  leave: () => void
}

export type Panel = {
  open: (takesFocus: boolean) => void
  close: () => void
  /** Whoever writes is another one now, or nobody: nothing that is shown is theirs. */
  renew: (keepsWritten: boolean) => void
  hear: (word: TabWord) => void
  /** What the loader has asked for, and after which number. */
  took: (page: ChatPage, after: number) => void
  refused: (error: unknown) => void
  /** The page goes away, perhaps for good, or comes back as it was. */
  sleep: () => void
  wake: () => void
}

/** What a panel's file hands over once it has run. */
export type StartPanel = (shell: Shell) => Panel
