import { getCountries, getCountryCallingCode } from 'libphonenumber-js'
import { ibansIn } from './iban.ts'
import { normalizeText } from './normalize-text.ts'

/** What may separate the digits of one number. */
const separator = String.raw`(?:[^\S\n]|[.()/*_~|·•\u20e3'’]|\p{Pd})`

const apart = String.raw`(?<![\d+]|\d${separator}{1,3})`
const alone = `(?!${separator}{0,3}\\d)`

const day = String.raw`(?:[12]\d|3[01]|0?[1-9])`
const month = '(?:1[0-2]|0?[1-9])'
const year = String.raw`(?:19|20)\d\d`
const hour = String.raw`(?:2[0-4]|[01]?\d)`

const dateOrTime = [
  String.raw`${year}[.\-/]${month}[.\-/]${day}`,
  String.raw`(?:${day}[.\-/]${month}|${month}[.\-/]${day})[.\-/](?:${year}|\d\d)`,
  String.raw`${hour}[:.h][0-5]\d(?::[0-5]\d)?`,
  String.raw`${year}\s?[\-–—/]\s?${year}`,
  String.raw`(?<![\-–—]\s?)${hour}\s?[\-–—]\s?${hour}(?!\s?[\-–—])`,
]
const between = String.raw`\s?[\-–—/,]\s?|\s`
const one = `(?:${dateOrTime.join('|')})(?!\\d)`
/**
 * Lookahead and backreference make each match atomic: 12.12. can be day first or month first, and with backtracking the
 * time would double with each such date.
 */
const several = `(?=(${one}))\\1(?:(?:${between})(?=(${one}))\\2)*`

const amount = String.raw`(?:[1-9]\d{0,2}(?:[.,'’ ]\d{3}){1,3}|[1-9]\d{0,8})(?:[.,]\d{1,2})?`
const names =
  'EUR|USD|GBP|CHF|JPY|CNY|PLN|CZK|SEK|NOK|DKK|HUF|BRL|INR|RUB|TRY|CAD|AUD|euros?|dollars?|pounds?|francs?|credits?'
const currency = String.raw`(?:[€$£¥₹₽₺₩]|(?:${names})(?!\p{L}))`

/**
 * Dates, times, ranges of hours or years, and prices, which do not count as phone numbers. Only where no other digit is
 * near: otherwise a phone number could be disguised as a date.
 */
const datesAndPrices = new RegExp(
  [`${apart}(?:${several})${alone}`, `${currency}\\s?${amount}${alone}`, `${apart}${amount}\\s?${currency}`].join('|'),
  'giu',
)

/** Phone numbers and bank accounts that may be sent, normalized as `removeNumbers` compares them. */
type KnownNumbers = { ibans: Set<string>; numbers: Set<string> }

/** A shorter number is no phone number. */
const leastDigits = 7
/** The digits that may follow a known number, as in "030 1234567 24 hours". */
const mostDigitsAfter = 4
/** Bounds of one number, in groups of digits and in digits (those of an IBAN). A longer run is several numbers. */
const mostGroups = 15
const mostDigits = 34
/** Numbers beyond so many characters of a known text are not known. */
const mostCharactersRead = 20_000

export function numbersOf(texts: string[]): KnownNumbers {
  const known: KnownNumbers = { ibans: new Set(), numbers: new Set() }
  for (const original of texts) {
    const { text } = normalizeText(original.slice(0, mostCharactersRead))
    for (const { key } of ibansIn(text)) known.ibans.add(key)
    for (const run of runsIn(text)) {
      for (const number of numbersIn(run)) for (const spelling of spellingsOf(number)) known.numbers.add(spelling)
    }
  }
  return known
}

/**
 * Removes every unknown number that could be called or paid to, in whatever spelling. Prices, dates, times and years
 * stay.
 */
export function removeNumbers(original: string, known: KnownNumbers): { text: string; removed: number } {
  const { text, originalOffset } = normalizeText(original)
  const ibans = ibansIn(text)
  const foreign = [
    ...ibans.filter(({ key }) => !known.ibans.has(key)),
    ...runsIn(mask(text, ibans)).filter(({ groups }) => !isKnown(groups, known)),
  ].sort((one, other) => other.start - one.start)
  if (foreign.length === 0) return { text: original, removed: 0 }
  let rest = original
  for (const { start, end } of foreign)
    rest = `${rest.slice(0, originalOffset(start))} ${rest.slice(originalOffset(end))}`
  const tidy = rest.replace(/[ \t]+/g, ' ').replace(/ (?=[.,;:!?](\s|$))/g, '')
  return { text: tidy.trim(), removed: foreign.length }
}

export function hasNumbers(text: string): boolean {
  return removeNumbers(text, { ibans: new Set(), numbers: new Set() }).removed > 0
}

function mask(text: string, ranges: { start: number; end: number }[]): string {
  return ranges.reduce((rest, { start, end }) => rest.slice(0, start) + 'x'.repeat(end - start) + rest.slice(end), text)
}

/** Groups of digits with nothing but separators of numbers between them; the first may begin with a plus. */
type Run = { start: number; end: number; groups: string[]; text: string }

const anyRun = new RegExp(String.raw`\+?\(?\+?\d\u20e3?(?:${separator}{0,3}\d\u20e3?)*`, 'gu')

function runsIn(text: string): Run[] {
  const masked = text.replace(datesAndPrices, (found) => 'x'.repeat(found.length))
  return [...masked.matchAll(anyRun)]
    .map(({ 0: found, index }) => ({ start: index, end: index + found.length, groups: groupsIn(found), text: found }))
    .filter(({ groups }) => digitsIn(groups) >= leastDigits && !isAmountOrRange(groups))
}

/** The groups of digits, without the zero of +49 (0)30, which is not dialled after a country code. */
function groupsIn(text: string): string[] {
  const [first = '', ...others] = text.replace(/(?<=\d\D*)\(0\)/g, ' ').match(/\d+/g) ?? []
  return [text.includes('+') ? `+${first}` : first, ...others]
}

function digitsIn(groups: string[]): number {
  return groups.reduce((sum, group) => sum + group.replace('+', '').length, 0)
}

/** A number of seven digits in groups of thousands, or a range of two round numbers. */
function isAmountOrRange([first = '', second = '', third = '', ...others]: string[]): boolean {
  if (others.length > 0) return false
  if (third !== '') return /^[1-9]$/.test(first) && second.length === 3 && third.length === 3
  return [first, second].every((group) => /^[1-9]\d{2,4}0$/.test(group)) && Number(first) < Number(second)
}

/** The numbers in a run: the whole run, or each item if it is a list. A part of a number is not that number. */
function numbersIn({ text, groups }: Run): string[] {
  const listed = text.split(/\s[^\d\s]\s/u).map(groupsIn)
  const each = listed.every((part) => digitsIn(part) >= leastDigits) ? listed : []
  const last = groups.at(-1) ?? ''
  const withoutCount = last.length <= 2 ? [groups.slice(0, -1)] : [] // "030 1234567 24 hours"
  return [groups, ...each, ...withoutCount].map((part) => part.join(''))
}

/** Whether a run begins with a known number and consists of known numbers, except for a few digits. */
function isKnown(groups: string[], known: KnownNumbers): boolean {
  const fewest = [0] // fewest[n]: the least number of unknown digits in the first n groups
  for (let to = 1; to <= groups.length; to += 1) {
    const unknown = to === 1 ? Number.POSITIVE_INFINITY : digitsIn(groups.slice(to - 1, to))
    let least = (fewest[to - 1] ?? 0) + unknown
    for (let from = Math.max(0, to - mostGroups); from < to; from += 1) {
      const spellings = spellingsOf(groups.slice(from, to).join(''))
      if (spellings.some((spelling) => known.numbers.has(spelling))) least = Math.min(least, fewest[from] ?? least)
    }
    fewest.push(least)
  }
  return (fewest.at(-1) ?? 0) <= mostDigitsAfter
}

/** The ways to write the same number: international, or national with or without a leading zero. */
function spellingsOf(piece: string): string[] {
  const digits = piece.replace('+', '')
  if (digits.length < leastDigits || digits.length > mostDigits) return []
  if (!/^(?:\+|00)/.test(piece)) return [digits]
  const international = digits.replace(/^00/, '')
  const code = [1, 2, 3].map((length) => international.slice(0, length)).find((start) => callingCodes.has(start))
  const national = international.slice(code?.length ?? international.length)
  return [international, national, `0${national}`].filter(({ length }) => length >= leastDigits)
}

/** No calling code is a prefix of another. */
const callingCodes = new Set<string>(getCountries().map((country) => getCountryCallingCode(country)))
