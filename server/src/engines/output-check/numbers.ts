import { getCountries, getCountryCallingCode } from 'libphonenumber-js'
import { blankFigures, separator } from './figures.ts'
import { ibansIn } from './iban.ts'
import { searchView } from './search-view.ts'

/** The phone numbers and bank accounts that somebody wrote, in the form in which `removeNumbers` compares them. */
export type KnownNumbers = { ibans: Set<string>; numbers: Set<string> }

/** From so many digits on a number can be one to call. */
const leastDigits = 7
/** Of what stands behind a number that is known, as in "030 1234567 24 hours". */
const mostDigitsBehind = 4
/** Of one number, in groups; of an IBAN, in digits. What is longer is several. */
const mostGroups = 15
const mostDigits = 34
/** Of a text that is looked at for numbers; who writes more is not listened to. */
const mostCharactersRead = 20_000

export function numbersOf(texts: string[]): KnownNumbers {
  const known: KnownNumbers = { ibans: new Set(), numbers: new Set() }
  for (const original of texts) {
    const { text } = searchView(original.slice(0, mostCharactersRead))
    for (const { key } of ibansIn(text)) known.ibans.add(key)
    for (const run of runsIn(text)) {
      for (const number of numbersIn(run)) for (const spelling of spellingsOf(number)) known.numbers.add(spelling)
    }
  }
  return known
}

/**
 * Takes every number out of a text that somebody could call or pay to and that is not among the known ones, in whatever
 * spelling. Prices, dates, times and years are none.
 */
export function removeNumbers(original: string, known: KnownNumbers): { text: string; removed: number } {
  const { text, originalOf } = searchView(original)
  const ibans = ibansIn(text)
  const foreign = [
    ...ibans.filter(({ key }) => !known.ibans.has(key)),
    ...runsIn(blank(text, ibans)).filter(({ groups }) => !isKnown(groups, known)),
  ].sort((one, other) => other.start - one.start)
  if (foreign.length === 0) return { text: original, removed: 0 }
  let rest = original
  for (const { start, end } of foreign) rest = `${rest.slice(0, originalOf(start))} ${rest.slice(originalOf(end))}`
  const tidy = rest.replace(/[ \t]+/g, ' ').replace(/ (?=[.,;:!?](\s|$))/g, '')
  return { text: tidy.trim(), removed: foreign.length }
}

function blank(text: string, places: { start: number; end: number }[]): string {
  return places.reduce((rest, { start, end }) => rest.slice(0, start) + 'x'.repeat(end - start) + rest.slice(end), text)
}

/** Groups of digits with nothing between them but what people put into numbers; the first may begin with a plus. */
type Run = { start: number; end: number; groups: string[]; text: string }

const anyRun = new RegExp(String.raw`\+?\(?\+?\d\u20e3?(?:${separator}{0,3}\d\u20e3?)*`, 'gu')

function runsIn(text: string): Run[] {
  return [...blankFigures(text).matchAll(anyRun)]
    .map(({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
      groups: groupsIn(found),
      text: found,
    }))
    .filter(({ groups }) => digitsIn(groups) >= leastDigits && !isFigure(groups))
}

/** Without the zero of +49 (0)30, which is not dialled from where the plus is. */
function groupsIn(text: string): string[] {
  const [first = '', ...others] = text.replace(/(?<=\d\D*)\(0\)/g, ' ').match(/\d+/g) ?? []
  return [text.includes('+') ? `+${first}` : first, ...others]
}

function digitsIn(groups: string[]): number {
  return groups.reduce((sum, group) => sum + group.replace('+', '').length, 0)
}

/** A million in thousands, or from so many to so many. */
function isFigure([first = '', second = '', third = '', ...others]: string[]): boolean {
  if (others.length > 0) return false
  if (third !== '') return /^[1-9]$/.test(first) && second.length === 3 && third.length === 3
  return [first, second].every((group) => /^[1-9]\d{2,4}0$/.test(group)) && Number(first) < Number(second)
}

/** The numbers that the business meant: all of it, or where it lists several, each. A part of one is another number. */
function numbersIn({ text, groups }: Run): string[] {
  const listed = text.split(/\s[^\d\s]\s/u).map(groupsIn)
  const each = listed.every((part) => digitsIn(part) >= leastDigits) ? listed : []
  const last = groups.at(-1) ?? ''
  const withoutCount = last.length <= 2 ? [groups.slice(0, -1)] : [] // "030 1234567 24 hours"
  return [groups, ...each, ...withoutCount].map((part) => part.join(''))
}

/** Whether a run begins with a known number and goes on with others, but for a few digits. */
function isKnown(groups: string[], known: KnownNumbers): boolean {
  const fewest = [0] // of unknown digits, in the first so many groups
  for (let to = 1; to <= groups.length; to += 1) {
    const behind = to === 1 ? Number.POSITIVE_INFINITY : digitsIn(groups.slice(to - 1, to))
    let least = (fewest[to - 1] ?? 0) + behind
    for (let from = Math.max(0, to - mostGroups); from < to; from += 1) {
      const spellings = spellingsOf(groups.slice(from, to).join(''))
      if (spellings.some((spelling) => known.numbers.has(spelling))) least = Math.min(least, fewest[from] ?? least)
    }
    fewest.push(least)
  }
  return (fewest.at(-1) ?? 0) <= mostDigitsBehind
}

/** The ways to write the same number: with the code of its country, or from inside of it, with a zero or without. */
function spellingsOf(piece: string): string[] {
  const digits = piece.replace('+', '')
  if (digits.length < leastDigits || digits.length > mostDigits) return []
  if (!/^(?:\+|00)/.test(piece)) return [digits]
  const international = digits.replace(/^00/, '')
  const code = [1, 2, 3].map((length) => international.slice(0, length)).find((start) => callingCodes.has(start))
  const national = international.slice(code?.length ?? international.length)
  return [international, national, `0${national}`].filter(({ length }) => length >= leastDigits)
}

/** None of them is the beginning of another. */
const callingCodes = new Set<string>(getCountries().map((country) => getCountryCallingCode(country)))
