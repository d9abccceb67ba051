import { formatPhone } from '../ui/format-phone.ts'
import { inboxWords } from './words.ts'

type Names = { name: string | null; phone: string | null; externalId: string | null }

/** What somebody is called: the name, else the number, else the id on their channel. */
export function shownName({ name, phone, externalId }: Names): string {
  return name ?? (phone && formatPhone(phone)) ?? externalId ?? ''
}

/** The first name in a sentence; the whole of what there is if there is none. */
export function shortName({ contact, conversation }: { contact: { firstName: string | null }; conversation: Names }) {
  return contact.firstName ?? shownName(conversation)
}

/** What somebody is called who may have no conversation: by whatever is known of them. */
export function nameOf({ email, ...names }: Names & { email: string | null }): string {
  return shownName(names) || email || inboxWords.noName
}
