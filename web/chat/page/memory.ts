import { isKey, newKey } from './bearers.ts'
import { openStore } from './store.ts'

/** What the browser knows of a chat: numbers of messages, and milliseconds since 1970. */
export type Thread = {
  /** The greatest number that was read. */
  seen: number
  unread: number
  /** When somebody wrote last. */
  at: number
  /** When the server was asked last while the panel was closed. */
  asked: number
  /** Since when a message of theirs is unanswered; 0: it is not. */
  waits: number
  /** The server has said that it has the chat. */
  isKnown: boolean
}

/** `under`: a hash of the member under whom the key was first used. */
export type Chat = Thread & { key: string; under: string }

/** What ends with the tab. `pending` is what has not been sent. */
type Tab = {
  isOpen: boolean
  /** The launcher is only its mark: it was opened once, or its first word was hidden. */
  isQuiet: boolean
  draft: string
  pending: { is?: unknown }[]
  token: string
  /** Of the member whose token it is. */
  member: Thread
  /** Where it is not kept for longer. */
  chat: Chat | null
}

const newThread: Thread = { seen: 0, unread: 0, at: 0, asked: 0, waits: 0, isKnown: false }
const newTab: Tab = { isOpen: false, isQuiet: false, draft: '', pending: [], token: '', member: newThread, chat: null }
type Areas = { lasting: () => Storage; passing: () => Storage }
const browserAreas: Areas = { lasting: () => localStorage, passing: () => sessionStorage }
const longestUnusedMs = 365 * 86_400_000

export type Memory = ReturnType<typeof openMemory>

/** What is kept in the browser; all of it also here, because storage can be full, forbidden or cleared. */
export function openMemory(id: string, mayLast: boolean, areas: Areas = browserAreas) {
  const kept = openKept(id, mayLast, areas)
  const { lasting, passing, tab, saveTab, saveChat, isMember, ours } = kept
  return {
    ...{ tab, saveTab, isMember, ...keysOf(kept) },
    hasUnsent: () => tab.pending.some(({ is }) => is !== 'failed'),
    /** There is something to read. What was sent and not answered may be there or not: it is sent again. */
    isKnown: () => isMember() || ours(kept.chat)?.isKnown === true,
    /** Of whoever is asking now; none: nothing was ever sent. */
    thread: (): Thread | undefined => (isMember() ? tab.member : ours(kept.chat) || undefined),
    saveThread: (change: Partial<Thread>) => {
      if (isMember()) return saveTab({ member: { ...tab.member, ...change } })
      const chat = ours(kept.chat)
      if (chat) saveChat(Object.assign(chat, change))
    },
    forget: () => {
      kept.chat = null
      lasting.write(null)
      passing.write(null)
      Object.assign(tab, newTab)
    },
    consent: (yes: boolean) => {
      kept.lasts = yes
      if (!yes) lasting.write(null)
      saveTab({ chat: yes ? null : kept.chat })
      if (kept.chat) saveChat(kept.chat)
    },
    setToken: (token: string) => {
      kept.isTold = false
      saveTab({ token, member: { ...newThread } })
    },
    /** Another tab has removed it, as `logout` there does. */
    isRemoved: () => kept.chat !== null && kept.lasts && !lasting.isFailing() && lasting.read<Chat>() === null,
    /** It is nowhere but here. */
    endsWithPage: () => kept.chat !== null && (kept.lasts ? lasting.isFailing() : passing.isFailing()),
  }
}

function openKept(id: string, mayLast: boolean, areas: Areas) {
  const [lasting, passing] = [openStore(areas.lasting, id), openStore(areas.passing, id)]
  const tab: Tab = { ...newTab, ...passing.read<Tab>() }
  const saveTab = (change: Partial<Tab>) => passing.write(Object.assign(tab, change))
  const isMember = () => tab.token !== ''
  const chat = usable(lasting.read<Chat>()) || usable(tab.chat)
  const kept = {
    ...{ lasting, passing, tab, saveTab, isMember, chat },
    lasts: mayLast || (chat !== null && !tab.chat),
    /** The server knows the key of before as this member's. */
    isTold: false,
    saveChat: (saved: Chat) => {
      if (kept.lasts) lasting.write(keepLater(saved, lasting.read<Chat>()))
      else saveTab({ chat: saved })
    },
    /** What was written here before a member signed in is theirs: without them nobody goes on with it. */
    ours: (it: Chat | null): Chat | null => (it && (isMember() || it.under === '') ? it : null),
  }
  return kept
}

function keysOf(kept: ReturnType<typeof openKept>) {
  const { lasting, isMember, ours } = kept
  return {
    key: () => {
      const chat = ours(kept.chat)
      return chat ? chat.key : undefined
    },
    under: () => (kept.chat ? kept.chat.under : ''),
    /** The key of this browser, made now where there is none: another tab may have made it meanwhile. */
    makeKey: (under: string): string => {
      const chat = ours(kept.chat) || (kept.lasts && ours(usable(lasting.read<Chat>()))) || { ...newChat(), under }
      if (chat.under === '' && under !== '') chat.under = under
      kept.chat = chat
      kept.saveChat(chat)
      return chat.key
    },
    forgetKey: () => {
      kept.chat = null
      // Else a member has it now, in another tab.
      if (!lasting.read<Chat>()?.under) lasting.write(null)
      kept.saveTab({ chat: null })
    },
    /** Of a member, the key of before: the server has to hear of it once. */
    untoldKey: () => (isMember() && !kept.isTold && kept.chat ? kept.chat.key : undefined),
    told: () => {
      kept.isTold = true
    },
  }
}

const newChat = (): Chat => ({ ...newThread, at: Date.now(), key: newKey(), under: '' })

/** In another tab more may have been read, or a member have signed in. */
function keepLater(chat: Chat, stored: Chat | null): Chat {
  if (!stored || stored.key !== chat.key) return chat
  if (stored.seen > chat.seen) chat.seen = stored.seen
  if (stored.under) chat.under = stored.under
  return chat
}

function usable(chat: Chat | null): Chat | null {
  if (chat === null || !isKey(chat.key) || !(Date.now() - chat.at < longestUnusedMs)) return null
  return { ...newChat(), ...chat }
}
