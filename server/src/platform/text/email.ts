import { limits } from '@patchbay/contract/limits.ts'

/**
 * The address in the one form we keep and compare: trimmed, in lower case. Undefined when it cannot be one.
 * Whether it exists only a message to it would tell, so the shape is all that is asked.
 */
export function parseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase()
  return email.length <= limits.emailCharacters && shape.test(email) ? email : undefined
}

/** Neither a name around it (`Ana <ana@example.com>`) nor a scheme before it (`mailto:`) is part of an address. */
const shape = /^[^\s@\p{C}<>()[\]\\,;:"]+@[^\s@\p{C}.<>()[\]\\,;:"'`/?#]+(\.[^\s@\p{C}.<>()[\]\\,;:"'`/?#]+)+$/u
