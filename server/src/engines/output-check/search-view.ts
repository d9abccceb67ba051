/**
 * A text as those read it who make addresses and numbers of it: browsers, phones, messengers. They leave out what nobody
 * sees, and take wide, circled and mathematical letters, and the digits of every script, for the plain ones.
 */
export type SearchView = {
  text: string
  /** Where a place in `text` is in the original. */
  originalOf: (at: number) => number
}

export function searchView(original: string): SearchView {
  let text = ''
  const places: number[] = []
  let at = 0
  for (const letter of original) {
    const plain = plainLetter(letter)
    for (let n = 0; n < plain.length; n += 1) places.push(at)
    text += plain
    at += letter.length
  }
  places.push(original.length)
  return { text, originalOf: (place) => places[place] ?? original.length }
}

/** Chinese full stops and other signs as wide as letters stay: there they end the sentence around an address. */
const kept = /[。，、！？；：（）【】「」『』…‥]/u

function plainLetter(letter: string): string {
  if (letter <= '\x7e') return letter
  if (/\p{Default_Ignorable_Code_Point}/u.test(letter)) return ''
  if (letter === '｡') return '。'
  if (kept.test(letter)) return letter
  const plain = letter.normalize('NFKC')
  return /\p{Nd}/u.test(plain) ? [...plain].map(asciiDigit).join('') : plain
}

/** The digits of each script follow one another from zero to nine. */
function asciiDigit(letter: string): string {
  if (letter <= '\x7e' || !/\p{Nd}/u.test(letter)) return letter
  const code = letter.codePointAt(0) ?? 0
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return String((code - zero) % 10)
}
