import { limits } from '@patchbay/contract/limits.ts'

/**
 * The address in the form that is stored and compared: trimmed, in lower case. Undefined when it is not an address. Only
 * its format is checked: only a message to it would show whether it exists.
 */
export function parseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase()
  return email.length <= limits.emailCharacters && format.test(email) ? email : undefined
}

/** Neither a name around it (`Ana <ana@example.com>`) nor a scheme before it (`mailto:`) is part of an address. */
const format = /^[^\s@\p{C}<>()[\]\\,;:"]+@[^\s@\p{C}.<>()[\]\\,;:"'`/?#]+(\.[^\s@\p{C}.<>()[\]\\,;:"'`/?#]+)+$/u
