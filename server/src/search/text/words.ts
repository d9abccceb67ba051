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
  const found: Word[] = []
  for (const { 0: run, index: at } of text.matchAll(runs)) {
    for (const { 0: word, 1: picture, 2: part, index: offset } of fold(run).matchAll(words)) {
      found.push({ text: word, at, offset, kind: picture ? 'picture' : part ? 'unspaced' : 'letters' })
    }
  }
  return found
}

/** Marks that belong to no script, such as accents, and those of Arabic and Hebrew that most people do not write. */
const accents = /[[\p{M}&&\p{Script=Inherited}][\u0591-\u05c7][\u064b-\u065f]\u0640]/gv

/** Without case and accents. By way of upper case: "ß" is then equal to "ss", and "ı" to "i"; but "ẞ" must be "ß" first. */
function fold(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase()
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

/** About so many characters before the match. */
const before = 30
const excerptCharacters = 120

/** The part of a text around the first of these words in it. */
export function excerptOf(text: string, wanted: Word[]): string {
  const start = Math.max(0, findFirst(text, wanted.map(needleOf)) - before)
  // Neither half a character at the ends nor a mark without its letter.
  return text
    .slice(start, start + excerptCharacters)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(start > 0 ? /^[\udc00-\udfff]?\p{M}*/u : /^/, '')
}

function findFirst(text: string, needles: string[]): number {
  for (const word of wordsOf(text)) {
    const place = Math.min(...needles.map((needle) => placeIn(word, needle)))
    if (place < Number.POSITIVE_INFINITY) return placeInText(text, word.at, word.offset + place)
  }
  return 0
}

/** How many characters of a word are before the needle; infinitely many if it is not there. */
function placeIn({ text, kind }: Word, needle: string): number {
  const place = kind === 'unspaced' ? text.indexOf(needle.trim()) : ` ${text}`.startsWith(needle) ? 0 : -1
  return place < 0 ? Number.POSITIVE_INFINITY : place
}

/** Where the compared form of what begins at `at` has this many characters. */
function placeInText(text: string, at: number, characters: number): number {
  let place = at
  for (let compared = 0; compared < characters && place < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(place) ?? 0)
    compared += fold(character).length
    place += character.length
  }
  return place
}
