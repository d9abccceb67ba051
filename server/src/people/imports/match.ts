import { type ContactId, newId } from '../../platform/ids.ts'
import { phoneVariants } from '../../platform/text/phone-variants.ts'
import { type Contact, contactFields } from './contact-store.ts'
import type { GivenRow, RowError } from './file/read-row.ts'

/** What became of a row. */
export type Outcome = { kind: 'added' | 'changed' | 'same'; contactId: ContactId }

/** A contact as it will be after the rows so far, and what it was before: undefined when it is new. */
export type MatchedContact = { now: Contact; before: Contact | undefined }

/**
 * Matches rows with contacts, one row after another: by our own id, the external id, the phone number, then the e-mail
 * address. What a row adds or changes is there for the next one, so that rows about one person end in one contact.
 */
export class Matching {
  readonly #byId = new Map<string, MatchedContact>()
  readonly #byExternalId = new Map<string, MatchedContact>()
  readonly #byPhone = new Map<string, MatchedContact>()
  readonly #byEmail = new Map<string, MatchedContact[]>()
  readonly #overwrites: boolean

  /** The contacts that any of the rows may be about, the oldest first. */
  constructor(contacts: Contact[], { overwrites }: { overwrites: boolean }) {
    this.#overwrites = overwrites
    for (const contact of contacts) this.#index({ now: { ...contact }, before: contact })
  }

  /** Whom a row is about; undefined: nobody who is known. */
  find(row: GivenRow): MatchedContact | RowError | undefined {
    const byExternalId = get(this.#byExternalId, row.externalId)
    const byPhone = this.#byAnyPhone(row.phone)
    const match = get(this.#byId, row.contactId) ?? byExternalId ?? byPhone ?? this.#byAddress(row)
    if (!match) return undefined
    if (byExternalId && byExternalId !== match) return { field: 'externalId', reason: 'Another contact has this ID.' }
    if (byPhone && byPhone !== match) return { field: 'phone', reason: 'Another contact has this phone number.' }
    if (row.externalId !== null && match.now.externalId !== null && match.now.externalId !== row.externalId) {
      return { field: 'externalId', reason: 'The contact that this row is about has another ID.' }
    }
    return match
  }

  apply(row: GivenRow): Outcome | RowError {
    const match = this.find(row)
    if (match && 'reason' in match) return match
    if (!match) return { kind: 'added', contactId: this.#add(row) }
    return { kind: this.#merge(match, row) ? 'changed' : 'same', contactId: match.now.id }
  }

  /** All that is new or has changed. */
  written(): MatchedContact[] {
    return [...this.#byId.values()].filter(({ now, before }) => !before || isChanged(before, now))
  }

  /** The telephone that a row has may be known by a variant of its number. */
  #byAnyPhone(phone: string | null): MatchedContact | undefined {
    const variants = phone === null ? [] : phoneVariants(phone)
    return variants.map((one) => this.#byPhone.get(one)).find((match) => match !== undefined)
  }

  /**
   * Several people may share an address: the oldest contact counts, but for one whom the platform knows by another id than
   * the row has.
   */
  #byAddress({ email, externalId }: GivenRow): MatchedContact | undefined {
    const sharing = email === null ? [] : (this.#byEmail.get(email) ?? [])
    return sharing.find(({ now }) => externalId === null || now.externalId === null)
  }

  #add({ contactId: _, ...given }: GivenRow): ContactId {
    const now = { ...given, id: newId('con') }
    this.#index({ now, before: undefined })
    return now.id
  }

  #index(matched: MatchedContact): void {
    const { id, externalId, phone, email } = matched.now
    this.#byId.set(id, matched)
    if (externalId !== null) this.#byExternalId.set(externalId, matched)
    if (phone !== null) this.#byPhone.set(phone, matched)
    if (email !== null) this.#byEmail.getOrInsertComputed(email, () => []).push(matched)
  }

  /**
   * Fills what is blank, and overwrites the rest when that was asked for: never the external id, by which messages find
   * their contact, nor a phone number by another variant of it.
   */
  #merge(matched: MatchedContact, row: GivenRow): boolean {
    const before = { ...matched.now }
    for (const field of contactFields) {
      const [given, has] = [row[field], before[field]]
      const mayWrite = isBlank(has) || (this.#overwrites && field !== 'externalId' && has?.trim() !== given)
      if (field === 'phone' && given !== null && has !== null && phoneVariants(given).includes(has)) continue
      if (given !== null && mayWrite) matched.now[field] = given
    }
    if (!isChanged(before, matched.now)) return false
    if (before.phone !== null && before.phone !== matched.now.phone) this.#byPhone.delete(before.phone)
    if (before.email !== null && before.email !== matched.now.email) {
      const others = this.#byEmail.get(before.email)?.filter((one) => one !== matched)
      this.#byEmail.set(before.email, others ?? [])
    }
    const { externalId, phone, email } = matched.now
    if (externalId !== null) this.#byExternalId.set(externalId, matched)
    if (phone !== null) this.#byPhone.set(phone, matched)
    if (email !== null && email !== before.email) this.#byEmail.getOrInsertComputed(email, () => []).push(matched)
    return true
  }
}

const get = (map: Map<string, MatchedContact>, key: string | null) => (key === null ? undefined : map.get(key))
const isBlank = (text: string | null) => text === null || text.trim() === ''

export function isChanged(one: Contact, other: Contact): boolean {
  return contactFields.some((field) => one[field] !== other[field])
}
