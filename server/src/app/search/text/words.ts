/**
 * A word as it is compared: without case and accents. `at` is where its run of letters begins in the text, and `offset`
 * how many characters of the compared run are before it.
 */
export type Word = { text: string; at: number; offset: number; kind: Kind }

/** How a word is found: by its beginning; by any part of it; as a whole. */
type Kind = 'letters' | 'unspaced' | 'picture'

/**
 * Scripts without spaces between words, or with articles and prepositions joined to the word: any part is found there.
 * Script extensions, so that the sound mark of Katakana belongs to it.
 */
const unspaced =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Arab}\\p{scx=Hebr}'

const runs = /[\p{L}\p{N}\p{M}\p{ExtPict}]+/gu
const words = new RegExp(
  `(\\p{ExtPict})|([[\\p{L}\\p{N}\\p{M}]&&[${unspaced}]]+)|([[\\p{L}\\p{N}\\p{M}]--[${unspaced}]]+)`,
  'gv',
)

/** The words of a text in their order. What is neither letter, digit nor emoji separates them. */
export function wordsOf(text: string): Word[] {
  return [...eachWord(text)]
}

/** The words of a text, one after the other. */
export function* eachWord(text: string): Generator<Word> {
  for (const { 0: run, index: at } of text.matchAll(runs)) {
    // Most runs: there is nothing to divide, and no accent.
    if (isPlain.test(run)) {
      yield { text: run.toLowerCase(), at, offset: 0, kind: 'letters' }
      continue
    }
    for (const { 0: word, 1: picture, 2: part, index: offset } of fold(run).matchAll(words)) {
      yield { text: word, at, offset, kind: picture ? 'picture' : part ? 'unspaced' : 'letters' }
    }
  }
}

/** Marks that belong to no script, such as accents, and those of Arabic and Hebrew that most people do not write. */
const accents = /[[\p{M}&&\p{Script=Inherited}][\u0591-\u05c7][\u064b-\u065f]\u0640]/gv

/** Without case and accents. By way of upper case: "ß" then is "ss", and "ı" is "i"; but "ẞ" must be "ß" first. */
export function fold(text: string): string {
  const withoutCase = withoutAccents(text).toLowerCase().toUpperCase().toLowerCase()
  return withoutAccents(withoutCase).replaceAll('ς', 'σ')
}

function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(accents, '')
}

const isPlain = /^[\x20-\x7e]*$/

/** The words as a line of text, with a space before each. */
export function lineOf(found: Word[]): string {
  return found.map(({ text }) => ` ${text}`).join('')
}

/** What a line must contain to have a word that begins with this one, or contains it. */
export function needleOf({ text, kind }: Word): string {
  return kind === 'unspaced' ? text : ` ${text}`
}
