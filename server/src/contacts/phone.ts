import { parsePhoneNumberFromString } from 'libphonenumber-js'

/**
 * Reads a phone number in any common spelling into E.164, the one form it is kept and compared in. Undefined
 * unless it has a known country calling code and 7 to 15 digits in all.
 *
 * The library's own verdicts are not asked for that: they refuse numbers that people use.
 */
export function parsePhone(text: string): string | undefined {
  const international = text.trim().replace(/^00/, '+')
  if (!spelling.test(international)) return undefined
  let phone = `+${international.replace(/\D/g, '')}`
  // Once more if another digit then looks like a trunk prefix, so that a number read back from us is read as itself.
  for (let previous: string | undefined; previous !== phone; ) {
    previous = phone
    const parsed = parsePhoneNumberFromString(phone)
    if (!parsed) return undefined
    // The library drops a trunk prefix, as the 0 in +44 (0)20…, which helps if a number of the country's length
    // is left. Elsewhere the digits are the caller's.
    if (parsed.isPossible()) phone = parsed.number
  }
  return /^\+\d{7,15}$/.test(phone) ? phone : undefined
}

/** A plus, then digits with spaces, dots, dashes and brackets between them. */
const spelling = /^\+[\d\s.()\p{Pd}]+$/u

/** In an address, a raw `+` arrives as a space, and people leave it out: digits alone are read as international. */
export function parsePhoneInQuery(text: string): string | undefined {
  const trimmed = text.trim()
  return parsePhone(/^(\+|00)/.test(trimmed) ? trimmed : `+${trimmed}`)
}
