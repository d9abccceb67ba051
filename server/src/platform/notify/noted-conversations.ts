import type { AccountId, ContactId } from '../ids.ts'
import { isContact, listenForHints } from './hints.ts'
import type { Listener } from './listen.ts'

/** Accounts in which something has changed, each with its conversations; undefined: any of them. */
type Noted = Map<AccountId, Set<ContactId> | undefined>

/** What has changed since somebody last looked, in the memory of this process. */
export type NotedConversations = {
  /** Takes what was noted. Undefined: some may be missing, so look through everything. */
  take: () => Noted | undefined
  /** Notes what could not be worked on, to be taken again. */
  note: (accountId: AccountId, contactIds: Iterable<ContactId> | undefined) => void
  /** Has everything be looked through next time. */
  noteAll: () => void
  stop: () => void
}

/** With their ids, some 5 MB. With more of them everything is looked through. */
const mostNoted = 50_000

/** How often everything is looked through: a process that dies after a commit, before its hint, tells nobody. */
const everythingEveryMs = 60_000

/**
 * Notes what all processes say has changed, so that background work need not look for it: to look through all accounts
 * every few seconds took more processor time than storing the messages.
 */
export function openNotedConversations(listener: Listener, most = mostNoted): NotedConversations {
  let noted: Noted = new Map()
  let conversations = 0
  let isIncomplete = true
  let everythingAt = 0

  function note(accountId: AccountId, contactIds: Iterable<ContactId> | undefined): void {
    if (isIncomplete) return
    const ofAccount = noted.getOrInsertComputed(accountId, () => new Set())
    const before = ofAccount?.size ?? 0
    if (contactIds === undefined) noted.set(accountId, undefined)
    else for (const contactId of contactIds) ofAccount?.add(contactId)
    conversations += (noted.get(accountId)?.size ?? 0) - before
    if (noted.size + conversations > most) noteAll()
  }

  function noteAll(): void {
    isIncomplete = true
    noted = new Map()
    conversations = 0
  }

  const stop = listenForHints(listener, {
    hints: ({ accountId, changed }) => {
      note(accountId, changed.includes('conversations') ? undefined : changed.filter(isContact))
    },
    listening: noteAll,
  })

  return {
    take: () => {
      const isForAll = isIncomplete || performance.now() >= everythingAt
      const taken = isForAll ? undefined : noted
      if (isForAll) everythingAt = performance.now() + everythingEveryMs
      noteAll()
      isIncomplete = false
      return taken
    },
    note,
    noteAll,
    stop,
  }
}
