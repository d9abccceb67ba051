/** The one place where a phone number is parsed: from a request body, and from a query string. */

import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'

/**
 * Parses a phone number in any common spelling into E.164, the only form in which it is stored and compared. Undefined
 * unless it has a known country calling code and 7 to 15 digits in all.
 *
 * The library's own validity checks are not used for that: they refuse numbers that people use.
 */
export function parsePhone(text: string): string | undefined {
  const international = text.trim().replace(/^00/, '+')
  if (!spelling.test(international)) return undefined
  let phone = `+${international.replace(/\D/g, '')}`
  // Repeated in case another digit then looks like a trunk prefix, so that parsing a parsed number changes nothing.
  for (let previous: string | undefined; previous !== phone; ) {
    previous = phone
    const parsed = parsePhoneNumberFromString(phone)
    if (!parsed) return undefined
    // The library drops a trunk prefix, as the 0 in +44 (0)20…. Its result is used only if the length is possible in
    // that country; otherwise the digits stay as the caller gave them.
    if (parsed.isPossible()) phone = parsed.number
  }
  return /^\+\d{7,15}$/.test(phone) ? phone : undefined
}

/**
 * Parses a number that may be written as people write it in this country, without a country code. Only one that has a
 * length that is possible there is taken.
 */
export function parsePhoneOf(text: string, country: string | null): string | undefined {
  const trimmed = text.trim()
  if (country === null || !isCountry(country) || !nationalSpelling.test(trimmed) || /^00/.test(trimmed)) {
    return parsePhone(text)
  }
  const parsed = parsePhoneNumberFromString(trimmed, country)
  return parsed?.isPossible() ? parsePhone(parsed.number) : undefined
}

/** Whether it is two letters, such as GB, of a country that has phone numbers. */
export function isCountry(text: string): text is CountryCode {
  return isSupportedCountry(text)
}

const nationalSpelling = /^[\d(][\d\s.()/\p{Pd}]+$/u

/** A plus, then digits with spaces, dots, dashes and brackets between them. */
const spelling = /^\+[\d\s.()\p{Pd}]+$/u

/** In a query string a raw `+` arrives as a space, and people leave it out: digits alone count as international. */
export function parsePhoneInQuery(text: string): string | undefined {
  const trimmed = text.trim()
  return parsePhone(/^(\+|00)/.test(trimmed) ? trimmed : `+${trimmed}`)
}

/**
 * A stored number with a space after its country code and dashes after that, such as +44 7700-900123, which
 * `parsePhone` reads again. Without the space a spreadsheet takes it for a number and rounds it; with spaces alone, where
 * those separate thousands; with dashes alone it subtracts.
 */
export function spacedPhone(phone: string): string {
  const [code, ...groups] = (parsePhoneNumberFromString(phone)?.formatInternational() ?? phone).split(/\D+/).slice(1)
  const digits = groups.join('-')
  return code === undefined || digits === '' ? `+${phone.slice(1, 3)} ${phone.slice(3)}` : `+${code} ${digits}`
}
