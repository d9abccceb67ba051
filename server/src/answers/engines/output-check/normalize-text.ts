/**
 * A text normalized as browsers, phones and messengers do before they look for addresses and numbers: they ignore
 * invisible characters, and read wide, circled and mathematical letters, and the digits of every script, as plain ones.
 */
export type NormalizedText = {
  text: string
  /** Maps an offset in `text` to the offset in the original. */
  originalOffset: (offset: number) => number
}

export function normalizeText(original: string): NormalizedText {
  let text = ''
  const offsets: number[] = []
  let at = 0
  for (const letter of original) {
    const plain = plainLetter(letter)
    for (let n = 0; n < plain.length; n += 1) offsets.push(at)
    text += plain
    at += letter.length
  }
  offsets.push(original.length)
  return { text, originalOffset: (offset) => offsets[offset] ?? original.length }
}

/** Full-width Chinese punctuation stays: it ends the sentence around an address. */
const kept = /[。，、！？；：（）【】「」『』…‥]/u

function plainLetter(letter: string): string {
  if (letter <= '\x7e') return letter
  if (/\p{Default_Ignorable_Code_Point}/u.test(letter)) return ''
  if (letter === '｡') return '。'
  if (kept.test(letter)) return letter
  const plain = letter.normalize('NFKC')
  return /\p{Nd}/u.test(plain) ? [...plain].map(asciiDigit).join('') : plain
}

/** In Unicode the digits of each script are consecutive, from zero to nine. */
function asciiDigit(letter: string): string {
  if (letter <= '\x7e' || !/\p{Nd}/u.test(letter)) return letter
  const code = letter.codePointAt(0) ?? 0
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return String((code - zero) % 10)
}
