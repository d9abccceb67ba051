import { contactKey } from '../../people/contacts/find-or-create.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'
import { listenForHints } from '../../platform/notify/hints.ts'
import type { Listener } from '../../platform/notify/listen.ts'
import type { IncomingRow } from './store.ts'

/**
 * The contacts of recent messages, in the memory of this process: whose messages need no look-up.
 *
 * It rests on this: the id on the external platform is filled, and never overwritten or moved while its contact lives. A
 * contact that was erased has no conversation either, so that the short statement misses it.
 */
export type KnownContacts = {
  /** The contact of a message that can fill none of its fields. Undefined: not known, or it may fill one. */
  find: (row: IncomingRow) => ContactId | undefined
  /** Notes the contact of a message that a statement stored which began at `since`, and filled its fields. */
  note: (row: IncomingRow, contactId: ContactId, since: number) => void
  forget: (row: IncomingRow) => void
  /** Somebody cleared a field of a contact, so that the next message may fill it. */
  noteCleared: (accountId: AccountId) => void
  stop: () => void
}

/** `filled`: which fields are not empty, as bits; known since `since`. */
type Known = { contactId: ContactId; filled: number; since: number }

/** A process that clears a field and dies before its hint tells nobody. */
const filledForMs = 60_000

/** Some 36,000 contacts with ids of 40 characters. With as many before them, twice as much is remembered. */
const mostBytes = 16e6
/** As measured: a million contacts with such ids came to 440 bytes each. */
const bytesOf = (key: string) => 300 + 2 * key.length

/** More accounts in which fields were cleared within a minute are not told apart. */
const mostCleared = 1_000

export function openKnownContacts(
  listener: Listener,
  { most = mostBytes, now = () => performance.now() } = {},
): KnownContacts {
  const contacts = openRecent<Known>(most)
  const clearedAt = new Map<AccountId, number>()
  let allClearedAt = now()

  function isFilled(accountId: AccountId, since: number): boolean {
    return since > Math.max(allClearedAt, now() - filledForMs, clearedAt.get(accountId) ?? 0)
  }

  function noteCleared(accountId: AccountId): void {
    clearedAt.set(accountId, now())
    if (clearedAt.size <= mostCleared) return
    clearedAt.clear()
    allClearedAt = now()
  }

  const stop = listenForHints(listener, {
    hints: ({ accountId, changed }) => {
      if (changed.includes('cleared')) noteCleared(accountId)
    },
    listening: () => {
      allClearedAt = now()
    },
  })

  return {
    find: (row) => {
      const known = contacts.get(contactKey(row))
      if (!known) return undefined
      const given = givenFields(row)
      if (given === 0) return known.contactId
      const isAll = (given & ~known.filled) === 0
      return isAll && isFilled(row.accountId, known.since) ? known.contactId : undefined
    },
    note: (row, contactId, since) => {
      const key = contactKey(row)
      const filled = givenFields(row)
      const before = contacts.get(key)
      if (before?.contactId === contactId && (before.filled & filled) === filled && before.filled !== filled) return
      contacts.set(key, { contactId, filled, since })
    },
    forget: (row) => contacts.delete(contactKey(row)),
    noteCleared,
    stop,
  }
}

function givenFields({ firstName, lastName, email }: IncomingRow): number {
  return (firstName === undefined ? 0 : 1) | (lastName === undefined ? 0 : 2) | (email === undefined ? 0 : 4)
}

type Recent<Value> = {
  get: (key: string) => Value | undefined
  set: (key: string, value: Value) => void
  delete: (key: string) => void
}

/**
 * A map of what was set or read lately, bounded by bytes: when half of it is full, the other half, which was not read since,
 * is dropped. To drop one entry at a time, the order of use would have to be written down at each message.
 */
function openRecent<Value>(most: number): Recent<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  let bytes = 0

  function set(key: string, value: Value): void {
    if (!young.has(key)) bytes += bytesOf(key)
    young.set(key, value)
    if (bytes < most) return
    old = young
    young = new Map()
    bytes = 0
  }

  return {
    get: (key) => {
      const value = young.get(key)
      if (value !== undefined) return value
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
    delete: (key) => {
      young.delete(key)
      old.delete(key)
    },
  }
}
