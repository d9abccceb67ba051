/** What may separate the digits of one number. */
export const separator = String.raw`(?:[^\S\n]|[.()/*_~|·•\u20e3'’]|\p{Pd})`

/**
 * Replaces every character of dates, times, ranges of hours or years, and prices by a letter, so that they do not count
 * as phone numbers. Only where no other digit is near: otherwise a phone number could be disguised as a date.
 */
export function maskDatesAndPrices(text: string): string {
  return text.replace(datesAndPrices, (found) => 'x'.repeat(found.length))
}

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

const datesAndPrices = new RegExp(
  [`${apart}(?:${several})${alone}`, `${currency}\\s?${amount}${alone}`, `${apart}${amount}\\s?${currency}`].join('|'),
  'giu',
)
