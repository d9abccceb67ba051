import type { ContactId } from '../../platform/ids.ts'
import { contactKey } from './find-or-create.ts'

/** What a message says about its contact. */
export type ContactGiven = {
  accountId: string
  /** The contact's id on the external platform. */
  fromId: string
  firstName: string | undefined
  lastName: string | undefined
  email: string | undefined
}

/** `clears`: what the conversation must still have for the message to fill nothing. Undefined: it has no field to fill. */
type KnownContact = { contactId: ContactId; clears: number | undefined }

/** A message whose contact is known, and has no other message in the statement. */
export type KnownRow<Row> = KnownContact & { row: Row }

/**
 * The contacts of recent messages in either direction, in the memory of this process: whose messages need no look-up.
 *
 * It rests on this: the id on the external platform is filled, and never overwritten or moved while its contact lives. A
 * contact that was erased has no conversation either, so that the short statement misses it. Which fields are filled is
 * true as long as the conversation has the same number of `clears`, which the short statement compares.
 */
export type KnownContacts = {
  /** The contact of a message that can fill none of its fields. Undefined: not known, or it may fill one. */
  find: (row: ContactGiven) => KnownContact | undefined
  /**
   * Notes the contact of a message that a statement stored, which has filled the fields that the message gives. `clears`
   * as the statement found it when it began; undefined where it found no conversation.
   */
  note: (row: ContactGiven, contactId: ContactId, clears: number | undefined) => void
  forget: (row: ContactGiven) => void
}

/** `filled`: which fields are not empty, as bits, as long as the conversation has `clears`. */
type Known = { contactId: ContactId; filled: number; clears: number }

/** Some 20,000 contacts with ids of 40 characters. With as many before them, twice as much is remembered. */
const mostBytes = 8e6
/** As measured: a million contacts with such ids came to 440 bytes each. */
const bytesOf = (key: string) => 300 + 2 * key.length

export function openKnownContacts(most = mostBytes): KnownContacts {
  const contacts = openRecent<Known>(most)
  return {
    find: (row) => {
      const known = contacts.get(contactKey(row))
      if (!known) return undefined
      const given = givenFields(row)
      if ((given & ~known.filled) !== 0) return undefined
      return { contactId: known.contactId, clears: given === 0 ? undefined : known.clears }
    },
    note: (row, contactId, clears) => {
      const key = contactKey(row)
      const before = contacts.get(key)
      const isSame = before?.contactId === contactId && before.clears === clears
      const filled = (clears === undefined ? 0 : givenFields(row)) | (isSame ? before.filled : 0)
      contacts.set(key, { contactId, filled, clears: clears ?? 0 })
    },
    forget: (row) => contacts.delete(contactKey(row)),
  }
}

function givenFields({ firstName, lastName, email }: ContactGiven): number {
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
